"""Nested records opened from Parquet, JSON and frames: the same trees, every value spoken of, nothing kept that is removed."""

from __future__ import annotations

import gc
import gzip
import json
from pathlib import Path

import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.data.trees import TREE
from shoal.errors import DataError, RecipeError
from shoal.io.reading import TreeReading
from shoal.io.source import from_frame, open_source
from shoal.io.trees.batches import Held
from shoal.io.trees.fold import TreeFold
from shoal.io.trees.opening import open_nested

RECORDS = [
    {"id": 7, "sex": "F", "main": {"ill": "flu"}, "visits": [
        {"type": "ward", "start": "1999", "codes": [1, 2]}, {"type": "home", "codes": []},
    ]},
    {"id": 8, "sex": None, "main": None, "visits": []},
    {"id": 9, "sex": "M", "visits": [{"type": None, "start": "2001", "codes": [2, 2, None]}, {"type": "ward", "codes": [1]}]},
]  # fmt: skip
SCHEMA = Schema(
    (
        Column("sex", Role.QUASI, "node"),
        Column("visit", Role.QUASI, "node", (), "visits[].type"),
        Column("code", Role.QUASI, "node", (), "visits[].codes[]", "visit"),
        Column("number", Role.IDENTIFYING, path="id"),
        Column("start", Role.IDENTIFYING, path="visits[].start"),
        Column("ill", Role.SENSITIVE, path="main.ill"),
    )
)
ARROW = pa.schema(
    [
        ("id", pa.int64()),
        ("sex", pa.string()),
        ("main", pa.struct([("ill", pa.string())])),
        (
            "visits",
            pa.list_(pa.struct([("type", pa.string()), ("start", pa.string()), ("codes", pa.list_(pa.int32()))])),
        ),
    ]
)


def trees(source, schema=SCHEMA):
    """Each record as its single values and its paths of texts, read twice."""
    fold = TreeFold.of_schema(schema, source.missing)
    found = {name: set() for name in fold.shape.names}
    for batch in source.batches():
        for name, values in fold.values(batch).items():
            found[name] |= set(values.to_pylist())
    words = {name: sorted(values) for name, values in found.items()}
    flat = [(name, text) for name in fold.shape.names for text in words[name]]
    made = []
    for batch in source.batches():
        packed = fold.packed(batch, {name: pa.array(texts, pa.string()) for name, texts in words.items()})
        for record in packed.to_pylist():
            nodes: list[tuple] = []
            for number in record.pop(TREE):
                parent, label = (number >> 32) - 1, number & 0xFFFFFFFF
                nodes.append((*(nodes[parent] if parent >= 0 else ()), flat[label]))
            made.append((record, set(nodes)))
    return made


EXPECTED = [
    (
        {"ill": "flu"},
        {
            (("sex", "F"),),
            (("visit", "home"),),
            (("visit", "ward"),),
            (("visit", "ward"), ("code", "1")),
            (("visit", "ward"), ("code", "2")),
        },
    ),
    ({"ill": None}, set()),
    ({"ill": None}, {(("sex", "M"),), (("code", "2"),), (("visit", "ward"),), (("visit", "ward"), ("code", "1"))}),
]


def lines(records, path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    return path


def written(folder: Path, form: str):
    if form == "folder of parquet":
        (folder / "parts").mkdir()
        for number in range(2):
            pq.write_table(
                pa.Table.from_pylist(RECORDS[number * 2 : number * 2 + 2], ARROW),
                folder / "parts" / f"{number}.parquet",
            )
        return folder / "parts"
    if form == "folder of json":
        (folder / "parts").mkdir()
        for number, record in enumerate(RECORDS):
            (folder / "parts" / f"{number}.json").write_text(json.dumps(record, indent=1))
        return folder / "parts"
    path = folder / f"records.{form}"
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(RECORDS, ARROW), path)
    elif form.startswith("json") and "l" not in form:
        data = json.dumps(RECORDS, indent=1).encode()
        path.write_bytes(gzip.compress(data) if form.endswith("gz") else data)
    else:
        lines(RECORDS, path)
    return path


FORMS = [
    "parquet", "folder of parquet", "folder of json", "json", "json.gz", "jsonl", "ndjson", "jsonl.gz", "ndjson.gz",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_the_same_trees_from_every_form(form, tmp_path):
    source = open_source(written(tmp_path, form), TreeReading(schema=SCHEMA))
    assert (source.kind, source.columns, source.records) == ("nested", SCHEMA.names(), 3)
    assert trees(source) == EXPECTED
    leaves = {name for batch in source.batches() for name in batch.schema.names}
    assert leaves == {"sex", "main", "visits"}
    assert all("start" not in [f.name for f in b.schema.field("visits").type.value_type] for b in source.batches())
    source.close()


@pytest.mark.parametrize(
    "frame", [pa.Table.from_pylist(RECORDS, ARROW), polars.from_arrow(pa.Table.from_pylist(RECORDS, ARROW))]
)
def test_frames(frame):
    assert trees(from_frame(frame, trees=SCHEMA)) == EXPECTED


def test_missing_texts(tmp_path):
    source = open_source(written(tmp_path, "jsonl"), TreeReading(schema=SCHEMA, missing=("F", "1", "flu")))
    assert trees(source) == [
        ({"ill": None}, {(("visit", "home"),), (("visit", "ward"),), (("visit", "ward"), ("code", "2"))}),
        ({"ill": None}, set()),
        ({"ill": None}, {(("sex", "M"),), (("code", "2"),), (("visit", "ward"),)}),
    ]


def test_a_flat_table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("id,sex,town\n1,F,Ulm\n2,,Ulm\n")
    schema = Schema(
        (
            Column("id", Role.IDENTIFYING),
            Column("town", Role.QUASI, "node"),
            Column("sex", Role.QUASI, "node", (), "", "town"),
        )
    )
    assert [nodes for _, nodes in trees(open_source(path, TreeReading(schema=schema)), schema)] == [
        {(("town", "Ulm"),), (("town", "Ulm"), ("sex", "F"))},
        {(("town", "Ulm"),)},
    ]


def without(*names, **more):
    return Schema((*(c for c in SCHEMA if c.name not in names), *more.values()))


@pytest.mark.parametrize("form", ["parquet", "jsonl", "json"])
@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (without("start"), "columns: of records.*, 1 path is without a role: visits[].start."),
        (without("start", "number", "ill"), "3 paths are without a role: id, main.ill, visits[].start."),
        (
            without("sex", sex=Column("sex", Role.QUASI, "node", (), "gender")),
            "columns.sex: there is nothing at 'gender' in",
        ),
        (without("ill", x=Column("x", Role.PLAIN, path="main")), "columns.x: 'main' is no single value"),
        (
            without("visit", "code", x=Column("x", Role.QUASI, "node", (), "visit[].type")),
            "Did you mean 'visits[].type'",
        ),
    ],
)
def test_every_value_is_spoken_of(schema, told, form, tmp_path):
    try:
        with pytest.raises(RecipeError) as found:
            open_source(written(tmp_path, form), TreeReading(schema=schema))
    except DataError as clash:  # in JSON a place that the recipe takes for a value and that is none is met first
        assert "main is an object, and a single value" in str(clash) and "main" in told
        return
    assert told in str(found.value).replace(f"records.{form}", "records.*")


def test_what_lies_below_a_removed_path_is_removed(tmp_path):
    schema = without("start", rest=Column("rest", Role.IDENTIFYING, path="visits[]"))
    for form in ("jsonl", "parquet"):
        folder = tmp_path / form
        folder.mkdir()
        assert trees(open_source(written(folder, form), TreeReading(schema=schema)), schema) == EXPECTED


def test_all_there_is_without_a_recipe(tmp_path):
    for form in ("json", "parquet"):
        folder = tmp_path / form
        folder.mkdir()
        opened = open_nested(written(folder, form), TreeReading())
        assert {str(leaf) for leaf in opened.leaves} == {
            "id", "sex", "main.ill", "visits[].type", "visits[].start", "visits[].codes[]",
        }  # fmt: skip
        assert opened.batches.records == 3


def test_other_types_in_one_folder(tmp_path):
    path = written(tmp_path, "folder of parquet")
    pq.write_table(pa.table({"id": [1]}), path / "2.parquet")
    with pytest.raises(DataError, match="other columns"):
        open_source(path, TreeReading(schema=SCHEMA))


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (pa.map_(pa.string(), pa.string()), "nested"),
        (pa.binary(), "binary"),
        (pa.list_(pa.decimal256(60)), "60|38 digits"),
    ],
)
def test_values_that_have_no_text(kind, told, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"sex": pa.array(["F"]), "x": pa.array([None], kind)}), path)
    place = "x[]" if pa.types.is_list(kind) else "x"
    columns = (Column("sex", Role.QUASI, "node"), Column("x", Role.QUASI, "node", (), place))
    with pytest.raises(DataError, match=told):
        open_source(path, TreeReading(schema=Schema(columns)))
    dropped = Schema((columns[0], Column("x", Role.IDENTIFYING)))
    assert trees(open_source(path, TreeReading(schema=dropped)), dropped) == [({}, {(("sex", "F"),)})]


def test_nested_files_need_a_recipe_of_trees(tmp_path):
    with pytest.raises(DataError, match=r'kind = "node"'):
        open_source(written(tmp_path, "jsonl"))


def test_much_goes_to_the_scratch_and_leaves_nothing(tmp_path):
    batch = pa.RecordBatch.from_pylist(RECORDS, ARROW)
    held = Held(ARROW, tmp_path, limit=100)
    for _ in range(3):
        held.add(batch)
    held.done()
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (held.records, held.files) == (9, (folder / "records.parquet",))
    for _ in range(2):
        assert pa.Table.from_batches(held.read()).to_pylist() == pa.Table.from_batches([batch] * 3).to_pylist()
    held.close()
    assert not list(tmp_path.iterdir())
    held = Held(ARROW, tmp_path, limit=100)
    held.add(batch)  # not done: a reader that was stopped
    del held
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_a_reader_that_fails_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.io.trees.batches.IN_MEMORY", 1)
    monkeypatch.setattr(Held.__init__, "__kwdefaults__", {"limit": 1})
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(RECORDS[0]) + "\n" + '{"new": 1}\n')
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with pytest.raises(RecipeError, match="new"):
        open_source(path, TreeReading(schema=SCHEMA, scratch=scratch))
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("form", ["a.jsonl", "a.json", "a.parquet", "folder", "a.csv", "frame"])
def test_one_person_in_several_records_is_told(form, tmp_path):
    ids = [1, 2, 2, 3, 3, 3, 4, None, None, 99, 99]
    rows = [{"id": number, "sex": "F", "main": {"ill": "flu"}} for number in ids]
    schema = Schema((SCHEMA.columns[0], *SCHEMA.columns[3:4], Column("rest", Role.IDENTIFYING, path="main")))
    path = tmp_path / form
    table = pa.Table.from_pylist(rows)
    if form == "frame":
        told = from_frame(table, trees=schema).warnings
        assert told == (f"column 'id': 7 {TOLD}",)
        return
    if form == "folder":
        path.mkdir()
        pq.write_table(table.slice(0, 5), path / "1.parquet")
        pq.write_table(table.slice(5), path / "2.parquet")
    elif form == "a.parquet":
        pq.write_table(table, path)
    elif form == "a.csv":
        path.write_text("id,sex,main\n" + "".join(f"{'' if n is None else n},F,x{n}{i}\n" for i, n in enumerate(ids)))
    else:
        path.write_text(json.dumps(rows) if form == "a.json" else "\n".join(map(json.dumps, rows)))
    source = open_source(path, TreeReading(schema=schema, missing=("99",)))
    assert source.warnings == (f"column 'id': 5 {TOLD}",)
    assert next(set(batch.schema.names) for batch in source.batches()) == {"sex"}


TOLD = (
    "records have a value that another record has too. If it names a person, these people have several records, and the promise "
    "counts records."
)


def test_people_with_one_record_each_are_not_warned_of(tmp_path):
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    assert open_source(tmp_path / "a.jsonl", TreeReading(schema=SCHEMA)).warnings == ()
    # two columns, and one inside of a structure
    rows = [
        {"sex": "F", "a": 1, "b": {"c": "x"}},
        {"sex": "F", "a": 1, "b": {"c": "x"}},
        {"sex": "M", "a": 2, "b": {"c": "x"}},
    ]
    schema = Schema((SCHEMA.columns[0], Column("a", Role.IDENTIFYING), Column("c", Role.IDENTIFYING, path="b.c")))
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for source in (
        open_source(tmp_path / "b.jsonl", TreeReading(schema=schema)),
        from_frame(pa.Table.from_pylist(rows), trees=schema),
    ):
        assert source.warnings == (f"columns 'a', 'b.c': 2, 3 {TOLD}",)
