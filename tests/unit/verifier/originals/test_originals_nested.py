"""The verifier reads nested records by itself, and brings them into the form in which trees are published."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from original_forms import node, paths, schema, single, singles

from shoal.errors import DataError, RecipeError
from shoal.verifier.originals import original_stream, original_trees
from shoal.verifier.recipe.places import Input
from shoal.verifier.trees.reading import Stream, read_trees

if TYPE_CHECKING:
    from pathlib import Path

WARD = schema(
    node("sex"),
    node("clinic", "visits[].clinic"),
    node("diagnosis", "visits[].diagnoses[].name", "clinic"),
    node("care", "visits[].diagnoses[].care[]", "diagnosis"),
    single("insurance", "insurance.kind"),
)
PATIENTS: list[dict[str, Any]] = [
    {
        "name": "Ada", "sex": "F", "insurance": {"kind": "public"},
        "visits": [
            {
                "clinic": "north",
                "diagnoses": [{"name": "asthma", "care": ["inhaler", "rest", "rest"]}, {"name": None, "care": ["bed"]}],
            },
            {"clinic": "north", "diagnoses": [{"name": "asthma", "care": []}]},
        ],
    },
    {"sex": "", "insurance": {"kind": "?"}, "visits": [{"clinic": "?", "diagnoses": [{"name": "flu", "care": ["bed"]}]}]},
    {"sex": None, "insurance": None, "visits": []},
    {},
]  # fmt: skip
EXPECTED = [
    {
        "sex=F",
        "clinic=north",
        "clinic=north/diagnosis=asthma",
        "clinic=north/diagnosis=asthma/care=inhaler",
        "clinic=north/diagnosis=asthma/care=rest",
        "clinic=north/care=bed",
    },
    {"diagnosis=flu", "diagnosis=flu/care=bed"},
    set(),
    set(),
]


def _lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz", "a.json", "a.json.gz"])
def test_json(tmp_path: Path, name: str) -> None:
    text = (
        json.dumps(PATIENTS, indent=1) if ".json" in name and ".jsonl" not in name else "\n" + _lines(PATIENTS)
    ).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    trees = original_trees(Input(path=tmp_path / name, missing=("?",)), WARD)
    assert paths(trees) == EXPECTED
    assert singles(trees, "insurance") == ["public", None, None, None]


def test_a_folder_of_files_and_one_record_alone(tmp_path: Path) -> None:
    folder = tmp_path / "patients"
    folder.mkdir()
    for number, record in enumerate(PATIENTS):
        (folder / f"{number}.json").write_text(json.dumps(record))
    (folder / "_notes").write_text("not data")
    assert paths(original_trees(Input(path=folder, missing=("?",)), WARD)) == EXPECTED
    (folder / "x.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match=r"x\.csv"):
        original_trees(Input(path=folder), WARD)


def test_it_is_what_the_verifier_takes_as_the_original(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(_lines(PATIENTS))
    place = Input(path=tmp_path / "a.jsonl", missing=("?",))
    table = original_trees(place, WARD)
    assert paths(table) == EXPECTED
    with original_stream(place, WARD) as stream:
        for data in (table, stream):
            trees = read_trees("original", data, WARD.shape, ("insurance",))
            assert (trees.records, len(trees.label)) == (4, sum(map(len, EXPECTED)))
    assert [one.name for one in tmp_path.iterdir()] == ["a.jsonl"]


def test_a_stream_is_of_one_form(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(_lines(PATIENTS))
    with original_stream(Input(path=tmp_path / "a.jsonl"), WARD) as stream:
        (first, *_) = stream.batches
    other = first.rename_columns(["x", *first.schema.names[1:]])
    with pytest.raises(DataError, match="other columns"):
        read_trees("original", Stream(first.schema, iter([first, other])), WARD.shape, ())


def test_numbers_have_one_text(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"v": [1, 1.0, "1", -0, 0.0, 1e2, 0.10, true]}\n')
    trees = original_trees(Input(path=tmp_path / "a.jsonl"), schema(node("v", "v[]")))
    assert paths(trees) == [{"v=1", "v=0", "v=100", "v=0.1", "v=true"}]


def test_codes_of_a_class_and_names_in_quotes(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"a.b": {"c": [[99, 1], [2]]}, "s": "99"}\n')
    columns = schema(node("v", '"a.b".c[][]', missing=("99",)), single("s", missing=("99",)))
    trees = original_trees(Input(path=tmp_path / "a.jsonl"), columns)
    assert paths(trees) == [{"v=1", "v=2"}] and singles(trees, "s") == [None]


@pytest.mark.parametrize(
    "text",
    [
        '{"sex": 1, "sex": 2}', '{"sex": NaN}', '{"sex": Infinity}', '\ufeff{"sex": 1}', b'{"sex": "\xff"}', '{"sex": "\\ud800"}',
        '{"sex": ' + "1" * 401 + "}", '{"sex": 1e999}', "[1]", "1", '{"sex": 1} x', '{"sex": 1', '{"": 1}',
        '{"sex": ["F"]}', '{"sex": {"a": 1}}', '{"visits": {"clinic": 1}}', '{"visits": "x"}', '{"insurance": "x"}',
        '{"visits": [1]}',
        '{"a": ' + "[" * 101 + "]" * 101 + "}", '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"a": [' + "1," * 1_000_001 + "1]}",
    ],
)  # fmt: skip
def test_json_that_could_be_read_in_two_ways_is_refused(tmp_path: Path, text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    for name, whole in (
        ("a.jsonl", data + b"\n"),
        ("a.json", data if data.startswith(b"\xef") else b"[" + data + b"]"),
    ):
        (tmp_path / name).write_bytes(whole)
        with pytest.raises(DataError, match=name) as error:
            original_trees(Input(path=tmp_path / name), WARD)
        assert "\ufeff" not in str(error.value)


@pytest.mark.parametrize("text", ["[{}", "[{},", "[{},]", "[{}] x", "[{} {}]", "{} {}", "", "[1]"])
def test_an_array_that_does_not_end_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(DataError, match=r"a\.json"):
        original_trees(Input(path=tmp_path / "a.json"), WARD)


def test_an_empty_array_has_no_records(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(" [ ] \n")
    trees = original_trees(Input(path=tmp_path / "a.json"), WARD)
    assert paths(trees) == [] and singles(trees, "insurance") == []


# ---- columns ---------------------------------------------------------------------------------------------------------------


def _ward() -> pa.Table:
    care = pa.list_(pa.string())
    visit = pa.struct(
        [("clinic", pa.string()), ("diagnoses", pa.list_(pa.struct([("name", pa.string()), ("care", care)])))]
    )
    form = pa.schema(
        [("sex", pa.string()), ("insurance", pa.struct([("kind", pa.string())])), ("visits", pa.list_(visit))]
    )
    return pa.Table.from_pylist(PATIENTS, form)


def test_nested_parquet_and_frames(tmp_path: Path) -> None:
    import duckdb
    import polars as pl

    pq.write_table(_ward(), tmp_path / "a.parquet", row_group_size=1)
    trees = original_trees(Input(path=tmp_path / "a.parquet", missing=("?",)), WARD)
    assert paths(trees) == EXPECTED and singles(trees, "insurance") == ["public", None, None, None]
    folder = tmp_path / "people"
    folder.mkdir()
    for number in range(4):
        pq.write_table(_ward().slice(number, 1), folder / f"{number}.parquet")
    assert paths(original_trees(Input(path=folder, missing=("?",)), WARD)) == EXPECTED
    plain = [*EXPECTED[:1], {"clinic=?", "clinic=?/diagnosis=flu", "clinic=?/diagnosis=flu/care=bed"}, set(), set()]
    for frame in (_ward(), pl.from_arrow(_ward()), duckdb.from_arrow(_ward())):
        assert paths(original_trees(frame, WARD)) == plain  # missing texts are not for frames


def test_typed_values_have_their_text_and_codes_their_value() -> None:
    values = {
        "f": pa.array([[39.0, 0.1], [99.0, float("nan")]], pa.list_(pa.float32())),
        "d": pa.array([dt.date(1900, 1, 1), dt.date(2020, 1, 31)]),
        "t": pa.array([dt.datetime(2020, 1, 31), dt.datetime(2020, 1, 31, 9, 30)], pa.timestamp("ns")),
        "n": pa.array([Decimal("1.50"), Decimal("99.00")]),
        "b": pa.array([True, None]),
        "e": pa.array(["x", "y"]).dictionary_encode(),
        "s": pa.array([99, 5]),
    }
    columns = schema(
        node("f", "f[]", missing=("99",)), node("d", missing=("1900-01-01",)), node("t"), node("n", missing=("99",)),
        node("b"), node("e"), single("s", missing=("99.0",)),
    )  # fmt: skip
    trees = original_trees(pa.table(values), columns)
    assert paths(trees) == [
        {"f=39", "f=0.1", "t=2020-01-31", "n=1.5", "b=true", "e=x"},
        {"d=2020-01-31", "t=2020-01-31T09:30:00", "e=y"},
    ]
    assert singles(trees, "s") == [None, 5]


def test_structures_that_are_missing_have_no_values_behind_them() -> None:
    inner = pa.array([{"a": "x"}, {"a": "y"}], pa.struct([("a", pa.string())]))
    hidden = pa.StructArray.from_arrays([inner.field(0)], ["a"], mask=pa.array([True, False]))
    lists = pa.ListArray.from_arrays(pa.array([0, None, 2], pa.int32()), pa.array(["p", "q"]))
    trees = original_trees(pa.table({"s": hidden, "l": lists}), schema(node("a", "s.a"), node("l", "l[]")))
    assert paths(trees) == [{"l=p", "l=q"}, {"a=y"}]


def test_flat_files_are_records_without_lists(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id;sex;town\n1;F;?\n2;;Ulm\n")
    trees = original_trees(
        Input(path=tmp_path / "a.csv", delimiter=";", missing=("?",)), schema(node("sex"), node("town", parent="sex"))
    )
    assert paths(trees) == [{"sex=F"}, {"town=Ulm"}]


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        (schema(node("x", "nowhere")), "nowhere"),
        (schema(node("x", "sex[]")), "no list"),
        (schema(node("x", "sex.y")), "no fields"),
        (schema(node("x", "visits[].nowhere")), "nowhere"),
        (schema(node("x", "visits")), "single values"),
        (schema(node("s", "sex"), single("x", "insurance")), "single values"),
    ],
)
def test_what_is_not_as_the_recipe_says_is_refused(columns: Any, why: str) -> None:
    with pytest.raises(DataError, match=why):
        original_trees(_ward(), columns)


@pytest.mark.parametrize("path", ["", "a..b", "a.", ".a", "a[", "a[0]", 'a"b', '"a', "[]", "a[]b"])
def test_a_path_that_is_none(path: str) -> None:
    with pytest.raises(RecipeError, match="path"):
        original_trees(pa.table({"a": [1]}), schema(node("x", path or ".")))


def test_a_class_lies_in_the_lists_of_its_parent() -> None:
    with pytest.raises(RecipeError, match="parent"):
        original_trees(pa.table({"a": [1]}), schema(node("p", "a[].x"), node("c", "b[].y", "p")))
    with pytest.raises(RecipeError, match="single value"):
        original_trees(pa.table({"a": [1]}), schema(node("p", "a"), single("s", "b[]")))


# ---- XML -------------------------------------------------------------------------------------------------------------------

XML = """<?xml version="1.0" encoding="UTF-8"?>
<register xmlns:m="urn:x"><note>outside</note>
  <person id=" 1"><sex> F </sex><m:town>Ulm</m:town>
    <visit date="d1"><clinic>north &amp; <![CDATA[<south>]]></clinic><diagnosis>a</diagnosis><diagnosis>b</diagnosis></visit>
  </person><!-- no record -->
  <group><person id="2"><sex/>some text<visit date="d2"/><visit><clinic>east</clinic></visit></person></group>
</register>"""
REGISTER = schema(
    node("sex"),
    node("town", "m:town"),
    node("clinic", "visit[].clinic"),
    node("date", "visit[].@date", "clinic"),
    node("diagnosis", "visit[].diagnosis[]", "clinic"),
    single("id", "@id"),
    single("text", "#text"),
)


@pytest.mark.parametrize("name", ["a.xml", "a.xml.gz"])
def test_xml(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(XML.encode()) if name.endswith(".gz") else XML.encode())
    trees = original_trees(Input(path=tmp_path / name, record="person"), REGISTER)
    north = "clinic=north & <south>"
    assert paths(trees) == [
        {"sex=F", "town=Ulm", north, f"{north}/date=d1", f"{north}/diagnosis=a", f"{north}/diagnosis=b"},
        {"clinic=east", "date=d2"},
    ]
    assert singles(trees, "id") == [" 1", "2"] and singles(trees, "text") == [None, "some text"]


def _xml(record: str) -> str:
    return f"<r><p>{record}</p></r>"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('<!DOCTYPE r [<!ENTITY a "b">]>' + _xml("<sex>&a;</sex>"), "DOCTYPE"),
        ('<!DOCTYPE r SYSTEM "file:///etc/passwd">' + _xml("<sex>F</sex>"), "DOCTYPE"),
        (_xml("<sex>&unknown;</sex>"), "not XML"),
        (_xml("<sex>F</sex>")[:-3], "not XML"),
        (_xml("<sex>F</sex><sex>M</sex>"), "several times"),
        (_xml('<sex a="1">F</sex>'), "attributes"),
        (_xml("<sex><a/>F</sex>"), "attributes"),
        ("<r><q/></r>", "no element <p>"),
        (_xml("<a>" * 120 + "</a>" * 120), "deep"),
        (_xml("<a/>" * 600_000), "a record of more than"),
        ('<?xml version="1.0" encoding="cp1252"?>' + _xml("<sex>F</sex>"), "encoding"),
        (_xml("<sex>F</sex><!--" + "x" * (18 << 20) + "-->"), "more than 16"),
        ("", "no element <p>"),
    ],
)
def test_xml_that_is_refused(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(DataError, match=why):
        original_trees(Input(path=tmp_path / "a.xml", record="p"), schema(node("sex")))


def test_xml_needs_the_name_of_a_record(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(_xml("<sex>F</sex>"))
    with pytest.raises(RecipeError, match="record"):
        original_trees(Input(path=tmp_path / "a.xml"), schema(node("sex")))


# ---- tables with keys --------------------------------------------------------------------------------------------------------

HOMES = schema(
    node("sex"),
    node("home", "place.name"),
    node("shop", "place.shop[].label", "home"),
    node("clinic", "visit[].clinic"),
    node("ill", "visit[].finding[].code", "clinic"),
)
KEYS = (
    "visit.person = person.id",
    "person.town = place.no",
    "shop.at = place.no",
    "finding.a, finding.b = visit.a, visit.b",
)


def _tables(folder: Path) -> dict[str, Path]:
    (folder / "person.csv").write_text("id,sex,town\n1,F,5\n2,M,5\n3,F,\n")
    (folder / "visit.csv").write_text("a,b,person,clinic\n1,x,1,north\n1,y,2,north\n2,x,2,south\n9,9,,lost\n")
    (folder / "finding.tsv").write_text("a\tb\tcode\n1\tx\tflu\n1\ty\tcold\n2\tx\tgout\n\tx\tlost\n9\t9\tlost\n")
    pq.write_table(pa.table({"no": [5, 6], "name": ["Ulm", "Bonn"]}), folder / "place.parquet")
    pq.write_table(pa.table({"at": [5.0, 5.0, None], "label": ["baker", "smith", "none"]}), folder / "shop.parquet")
    names = {"person": "csv", "visit": "csv", "finding": "tsv", "place": "parquet", "shop": "parquet"}
    return {name: folder / f"{name}.{suffix}" for name, suffix in names.items()}


def test_tables_with_keys(tmp_path: Path) -> None:
    trees = original_trees(Input(tables=_tables(tmp_path), record="person", keys=KEYS), HOMES)
    home = {"home=Ulm", "home=Ulm/shop=baker", "home=Ulm/shop=smith"}
    assert paths(trees) == [
        {"sex=F", *home, "clinic=north", "clinic=north/ill=flu"},
        {"sex=M", *home, "clinic=north", "clinic=north/ill=cold", "clinic=south", "clinic=south/ill=gout"},
        {"sex=F"},
    ]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("person.csv", "id,sex,town\n1,F,5\n1,M,5\n", "not unique"),
        ("person.csv", "id,sex,town\n1,F,7\n2,M,5\n", "not there"),
        ("visit.csv", "a,b,person,clinic\n1,x,4,north\n", "not there"),
        ("visit.csv", "a,b,person\n1,x,1\n", "clinic"),
        ("person.csv", "id,sex,town,visit\n1,F,5,x\n", "called like"),
        ("person.csv", "id,sex\n1,F\n2,M\n", "town"),
    ],
)
def test_tables_that_do_not_hang_together(tmp_path: Path, name: str, text: str, why: str) -> None:
    tables = _tables(tmp_path)
    (tmp_path / name).write_text(text)
    if name == "visit.csv":
        (tmp_path / "finding.tsv").write_text("a\tb\tcode\n")
    with pytest.raises((DataError, RecipeError), match=why):
        original_trees(Input(tables=tables, record="person", keys=KEYS), HOMES)


@pytest.mark.parametrize(
    "keys",
    [
        KEYS[:-1], (*KEYS, "visit.clinic = person.sex"), (*KEYS, "x.a = person.id"), (*KEYS[:-1], "finding.a = visit.a, visit.b"),
        (*KEYS[:-1], "finding.a, visit.b = visit.a, visit.b"), ("a = b",), ("a.b",), ("a.b = c.d = e.f",),
    ],
)  # fmt: skip
def test_keys_that_do_not_tie(tmp_path: Path, keys: tuple[str, ...]) -> None:
    with pytest.raises(RecipeError):
        original_trees(Input(tables=_tables(tmp_path), record="person", keys=keys), HOMES)


def test_a_list_of_rows_is_written_as_one(tmp_path: Path) -> None:
    for path in ("visit.clinic", "place[].name"):
        with pytest.raises(RecipeError, match=r"list of rows|looked up"):
            original_trees(Input(tables=_tables(tmp_path), record="person", keys=KEYS), schema(node("x", path)))


def test_records_in_batches_are_those_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.verifier.originals import keyed, nested

    place = Input(tables=_tables(tmp_path), record="person", keys=KEYS)
    expected = paths(original_trees(place, HOMES))
    monkeypatch.setattr(keyed, "_RECORDS", 1)
    assert paths(original_trees(place, HOMES)) == expected
    (tmp_path / "a.jsonl").write_text(_lines(PATIENTS))
    monkeypatch.setattr(nested, "_RECORDS", 1)
    assert paths(original_trees(Input(path=tmp_path / "a.jsonl", missing=("?",)), WARD)) == EXPECTED
