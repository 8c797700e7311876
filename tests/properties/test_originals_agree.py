"""The verifier reads originals with code of its own: of whatever file it reads what the makers read, or refuses it as they do.

Neither is right because the other agrees. But each rule of the reference is written twice, and a difference is a mistake in one.
"""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal.data.schema as makers
from shoal.errors import ShoalError
from shoal.io.reading import RowReading, TreeReading
from shoal.io.source import Source, from_frame, open_source
from shoal.io.trees.keyed_files import open_table_files
from shoal.io.trees.originals import originals
from shoal.verifier import schema as verifiers
from shoal.verifier.originals import open_original, original_trees
from shoal.verifier.recipe.places import Input
from shoal.verifier.sql.duckdb import DuckDBSql, connection

REFUSED = "refused"
_names = count()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("agree")


@pytest.fixture(scope="module")
def sql():
    with connection() as con:
        yield DuckDBSql(con)


def columns(module: Any, *rows: tuple[Any, ...]) -> Any:
    """The same schema in the words of either side. rows: name, role, kind, path, parent, codes."""
    return module.Schema(
        tuple(
            module.Column(name, module.Role(role), kind, path=path, parent=parent, missing=missing)
            for name, role, kind, path, parent, missing in rows
        )
    )


def outcome(work: Any) -> Any:
    try:
        return work()
    except ShoalError:
        return REFUSED


# ---- tables and sets -----------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *'",;|\t ',
        '""',
        "\n",
        "\r\n",
        "\r",
        "a",
        "b",
        "é",
        "NA",
        "?",
        "x y",
        "\u200b",
        "\ufeff",
        "0",
        "\n\n",
        '"\n"',
        ",,",
    ]
)


def by_makers(path: Path, sets: tuple[str, ...] = (), **how: Any) -> Any:
    table = open_source(path, RowReading(sets=sets, **how)).table
    assert table is not None
    return table.column_names, [list(row.values()) for row in table.to_pylist()]


def by_verifier(sql: DuckDBSql, path: Path, schema: verifiers.Schema, **how: Any) -> Any:
    source = open_original(sql, f"v{next(_names)}", Input(path=path, **how), schema)
    read = ", ".join(source.column(name) for name in source.names)
    return list(source.names), [list(row) for row in sql.rows(f"SELECT {read} FROM {source.numbered} ORDER BY pos")]


@settings(max_examples=83, deadline=None)
@given(
    header=st.sampled_from(["a,b\n", "a\n", "a,b\r\n", '"a",b\n', "\ufeffa,b\n", ""]),
    pieces=st.lists(PIECES, max_size=14),
    multiline=st.booleans(),
)
def test_csv(place: Path, sql: DuckDBSql, header: str, pieces: list[str], multiline: bool) -> None:
    path = place / "a.csv"
    path.write_bytes((header + "".join(pieces)).encode())
    schema = columns(verifiers, ("a", "quasi", "scalar", "", None, ()))
    how: dict[str, Any] = {"multiline": multiline, "missing": ("?", "NA")}
    assert outcome(lambda: by_makers(path, **how)) == outcome(lambda: by_verifier(sql, path, schema, **how))


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.lists(st.text(st.sampled_from('ab",\n é|'), max_size=4), min_size=2, max_size=2), max_size=6))
def test_csv_that_is_well_formed(place: Path, sql: DuckDBSql, rows: list[list[str]]) -> None:
    path = place / "b.csv"
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in [["a", "b"], *rows]]
    path.write_text("\n".join(lines) + "\n")
    schema = columns(verifiers, ("a", "quasi", "scalar", "", None, ()))
    expected = ["a", "b"], [[cell or None for cell in row] for row in rows]
    assert by_makers(path, multiline=True) == expected == by_verifier(sql, path, schema, multiline=True)


ENCODED = {"utf-8": "utf-8", "utf-16": "utf-16", "windows-1252": "cp1252", "latin-1": "iso8859-1"}
OFFICE = st.sampled_from(
    ["a", "ü", "€", "'", "''", '"', ";", ",", "\n", "\r\n", "\n;", "\x81", "Ж", "'\n'", ";;", "x;y\n"]
)


@settings(max_examples=80, deadline=None)
@given(
    header=st.sampled_from(["a;b\n", "a;b;\n", "'a';b\r\n", "a;;\n", "ä;b;;\n"]),
    pieces=st.lists(OFFICE, max_size=12),
    encoding=st.sampled_from(sorted(ENCODED)),
    other=st.sampled_from(sorted(ENCODED)),
    quote=st.sampled_from("'\""),
    multiline=st.booleans(),
)
def test_csv_as_offices_write_it(
    place: Path,
    sql: DuckDBSql,
    header: str,
    pieces: list[str],
    encoding: str,
    other: str,
    quote: str,
    multiline: bool,
) -> None:
    path = place / "o.csv"
    data = (header + "".join(pieces)).encode(ENCODED[other], "ignore")
    path.write_bytes(data)
    schema = columns(verifiers, ("a", "quasi", "scalar", "", None, ()))
    how: dict[str, Any] = {"encoding": encoding, "delimiter": ";", "quote": quote, "multiline": multiline}
    assert outcome(lambda: by_makers(path, **how)) == outcome(lambda: by_verifier(sql, path, schema, **how))


WRITTEN = ["1.234,5", "1234,5", "1,234.5", "1 234,5", "1'234.5", "dd.mm.yyyy", "d.m.yyyy", "mm/dd/yyyy", "yyyymmdd"]
CELLS = st.one_of(
    st.text(st.sampled_from("0123456789.,' /+-"), max_size=10),
    st.sampled_from(["1.234,50", "1,234.5", "174,2", "0.123", "31.12.1980", "1.2.1980", "29.02.1900", "12/31/1980"]),
    st.sampled_from(["19801231", "00000101", "99", "k. A.", "", "1980-12-31", "-1", "１", "31.12.1980 ", "+1"]),
)


@settings(max_examples=80, deadline=None)
@given(cells=st.lists(CELLS, max_size=3), form=st.sampled_from(WRITTEN), codes=st.sampled_from([(), ("99", "k. A.")]))
def test_numbers_and_dates_as_written(
    place: Path, sql: DuckDBSql, cells: list[str], form: str, codes: tuple[str, ...]
) -> None:
    path = place / "w.csv"
    path.write_text("".join(f'"{cell}";x\n' for cell in ["a", *cells]), encoding="utf-8")
    schema = verifiers.Schema((verifiers.Column("a", verifiers.Role.QUASI, missing=codes, written=form),))
    how: dict[str, Any] = {"delimiter": ";", "missing": ("-1",)}
    made = outcome(lambda: by_makers(path, written={"a": form}, codes={"a": codes}, **how))
    assert made == outcome(lambda: by_verifier(sql, path, schema, **how))


def as_sets(read: Any, mark: str) -> Any:
    """What the verifier holds as a text with marks, as sets; a missing list apart."""
    if read == REFUSED:
        return REFUSED
    cells = [row[0] for row in read[1]]
    split = [
        cell if cell is None or isinstance(cell, list) else [one for one in cell.split(mark) if cell] for cell in cells
    ]
    return REFUSED if any(cell and "" in cell for cell in split) else [None if c is None else set(c) for c in split]


@settings(max_examples=40, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(["1", "23", " ", "  ", "\n", "\r\n", "\r", "\t", "é", "\u00a0", "\ufeff", "\x0b"]))
)
def test_fimi(place: Path, sql: DuckDBSql, pieces: list[str]) -> None:
    path = place / "a.dat"
    path.write_bytes("".join(pieces).encode() or b"\n")
    schema = columns(verifiers, ("items", "quasi", "set", "", None, ()))
    made = as_sets(outcome(lambda: by_makers(path, ("items",))), " ")
    assert made == as_sets(outcome(lambda: by_verifier(sql, path, schema)), " ")


@settings(max_examples=40, deadline=None)
@given(cells=st.lists(st.text(st.sampled_from("ab|; "), max_size=5), max_size=5), mark=st.sampled_from("|;"))
def test_items_in_cells(place: Path, sql: DuckDBSql, cells: list[str], mark: str) -> None:
    path = place / "s.csv"
    path.write_text("".join(f'"{cell}"\n' for cell in ["items", *cells]))
    schema = columns(verifiers, ("items", "quasi", "set", "", None, ()))
    made = as_sets(outcome(lambda: by_makers(path, ("items",), items=mark, missing=("b",))), mark)
    read = outcome(lambda: by_verifier(sql, path, schema, items=mark, missing=("b",)))
    assert made == as_sets(read, mark)


# ---- trees -----------------------------------------------------------------------------------------------------------------


def forms(table: pa.Table) -> list[Any]:
    """Records of which the order of nodes does not count."""

    def form(value: Any) -> Any:
        if isinstance(value, list):
            return sorted((form(one) for one in value), key=repr)
        if isinstance(value, dict):
            return {name: form(one) for name, one in sorted(value.items())}
        return value

    return [form(row) for row in table.to_pylist()]


def trees_by_makers(source: Source, schema: Any) -> Any:
    return forms(originals(source, schema).read_all())


def agree(rows: list[tuple[Any, ...]], data: Any, makers_source: Any) -> None:
    """makers_source: from a schema of the makers to their source."""
    theirs = columns(makers, *rows)
    made = outcome(lambda: trees_by_makers(makers_source(theirs), theirs))
    if made == REFUSED:
        return  # the makers also refuse what no column speaks of; nothing is released then
    assert forms(original_trees(data, columns(verifiers, *rows))) == made


texts = st.sampled_from([None, "", "x", "y", "?", "99", 99, 99.0, 1.5, -0.0, True, [], {}])
node = "quasi", "node"
WARD = [
    ("a", *node, "", None, ()),
    ("b", *node, "main.b", None, ("99",)),
    ("t", *node, "visits[].t", "a", ()),
    ("c", *node, "visits[].inner[].c", "t", ()),
    ("d", *node, "visits[].inner[].d[]", "c", ("y",)),
    ("e", *node, "visits[].inner[].d[]", "t", ()),
    ("g", *node, "grid[][]", "b", ()),
    ("s", "plain", "scalar", "main.s", None, ("x",)),
    ("rest", "identifying", "scalar", "rest", None, ()),
]
INNER = st.fixed_dictionaries({}, optional={"c": texts, "d": st.none() | st.lists(texts, max_size=3)})
VISIT = st.fixed_dictionaries({}, optional={"t": texts, "inner": st.none() | st.lists(INNER, max_size=3)})
RECORD = st.fixed_dictionaries(
    {"rest": st.just({"z": 1})},
    optional={
        "a": texts,
        "main": st.none() | st.fixed_dictionaries({}, optional={"b": texts, "s": texts}),
        "visits": st.none() | st.lists(VISIT, max_size=3),
        "grid": st.lists(st.none() | st.lists(texts, max_size=2), max_size=2),
    },
)
# every place holds something in one record, for the makers ask that there be something everywhere
FULL = {
    "rest": {"z": 1},
    "a": "x",
    "main": {"b": "y", "s": "u"},
    "visits": [{"t": "x", "inner": [{"c": "y", "d": ["x"]}]}],
    "grid": [["x"]],
}


@settings(max_examples=40, deadline=None)
@given(records=st.lists(RECORD, max_size=4), name=st.sampled_from(["a.jsonl", "a.json"]))
def test_json(place: Path, records: list[Any], name: str) -> None:
    path = place / name
    texts = [json.dumps(record) for record in [*records, FULL]]
    path.write_text("\n".join(texts) if name == "a.jsonl" else f"[{', '.join(texts)}]")
    agree(
        WARD,
        Input(path=path, missing=("?",)),
        lambda schema: open_source(path, TreeReading(schema=schema, missing=("?",))),
    )


CODED = pa.struct([("c", pa.date32()), ("d", pa.list_(pa.string()))])
TYPED = pa.schema(
    [
        ("a", pa.float32()),
        ("main", pa.struct([("b", pa.int16()), ("s", pa.decimal128(5, 2))])),
        ("visits", pa.list_(pa.struct([("t", pa.timestamp("ms")), ("inner", pa.large_list(CODED))]))),
        ("grid", pa.list_(pa.list_(pa.bool_()))),
        ("rest", pa.int64()),
    ]
)
NUMBERS = st.sampled_from([None, 0, 1, 99])
DAYS = st.sampled_from([None, 0, 1, 18000])
typed_inner = st.none() | st.fixed_dictionaries(
    {"c": DAYS, "d": st.none() | st.lists(st.sampled_from([None, "", "x", "y", "?"]))}
)
typed_visit = st.none() | st.fixed_dictionaries(
    {
        "t": DAYS.map(lambda d: None if d is None else d * 43_200_000),
        "inner": st.none() | st.lists(typed_inner, max_size=2),
    }
)
typed = st.fixed_dictionaries(
    {
        "a": st.sampled_from([None, 0.1, 99.0, float("nan"), -0.0, 1e20]),
        "main": st.none() | st.fixed_dictionaries({"b": NUMBERS, "s": NUMBERS}),
        "visits": st.none() | st.lists(typed_visit, max_size=3),
        "grid": st.none()
        | st.lists(st.none() | st.lists(st.sampled_from([None, True, False]), max_size=2), max_size=2),
        "rest": NUMBERS,
    }
)


@settings(max_examples=40, deadline=None)
@given(records=st.lists(typed, max_size=5), codes=st.sampled_from([(), ("99",), ("99.0", "1970-01-02"), ("true", "x")]))
def test_typed_columns(place: Path, records: list[Any], codes: tuple[str, ...]) -> None:
    rows = [(*row[:5], codes if row[1] != "identifying" else ()) for row in WARD]
    table = pa.Table.from_pylist(records, TYPED)
    pq.write_table(table, place / "a.parquet")
    path = place / "a.parquet"
    agree(
        rows,
        Input(path=path, missing=("?",)),
        lambda schema: open_source(path, TreeReading(schema=schema, missing=("?",))),
    )
    agree(rows, table, lambda schema: from_frame(table, trees=schema))


def element(name: str, inner: st.SearchStrategy[str], attributes: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda some, inside: f"<{name}{some}>{inside}</{name}>", attributes, inner)


BLANK = st.sampled_from(["", " ", "\n"])
WORD = st.sampled_from(["x", " y ", "", "a&amp;b", "<![CDATA[<]]>", "<!-- c -->z", "?"])
NONE = st.just("")
DATE = st.sampled_from(["", ' date="d"', " date=' e '"])
VISITS = st.lists(element("clinic", WORD, NONE) | element("ill", WORD, NONE), max_size=4).map("".join)
PERSON = st.builds(
    lambda blank, sex, visits, text: f"{blank}{sex}{text}{''.join(visits)}",
    BLANK, element("sex", WORD, NONE), st.lists(element("visit", VISITS, DATE), max_size=3), WORD,
)  # fmt: skip
REGISTER = [
    ("sex", *node, "", None, ()),
    ("clinic", *node, "visit[].clinic[]", None, ()),
    ("date", *node, "visit[].@date", None, ()),
    ("ill", *node, "visit[].ill[]", "date", ()),
    ("text", "plain", "scalar", "#text", None, ()),
]
FULL_PERSON = '<p><sex>x</sex>text<visit date="d"><clinic>a</clinic><ill>b</ill></visit></p>'


@settings(max_examples=40, deadline=None)
@given(people=st.lists(PERSON, max_size=4))
def test_xml(place: Path, people: list[str]) -> None:
    path = place / "a.xml"
    path.write_text(f"<r>{''.join(f'<p>{one}</p>' for one in people)}{FULL_PERSON}</r>")
    agree(
        REGISTER,
        Input(path=path, record="p", missing=("?",)),
        lambda schema: open_source(path, TreeReading(schema=schema, record="p", missing=("?",))),
    )


KEYS = ("visit.of = person.id", "person.town = place.no", "shop.at = place.no", "ill.a, ill.b = visit.a, visit.b")
TABLES = [
    ("sex", *node, "", None, ()),
    ("home", *node, "place.name", "sex", ()),
    ("shop", *node, "place.shop[].label", "home", ()),
    ("clinic", *node, "visit[].clinic", None, ()),
    ("code", *node, "visit[].ill[].code", "clinic", ("y",)),
    *((f"r{i}", "identifying", "scalar", path, None, ()) for i, path in enumerate(("id", "town", "place", "visit[]"))),
]


def texts_of(rows: list[tuple[Any, ...]], *names: str) -> pa.Table:
    """A table of texts."""
    return pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)})


@st.composite
def keyed(draw: st.DrawFn) -> dict[str, pa.Table]:
    def word() -> str:
        return draw(st.sampled_from(["x", "y", "", "?"]))

    def few() -> range:
        return range(draw(st.integers(0, 4)))

    def some(of: list[Any]) -> Any:
        stray = draw(st.integers(0, 40)) == 0  # now and then a key that points nowhere
        return "77" if stray else draw(st.sampled_from([None, *of]))

    places = [str(n) for n in few()]
    people = [(str(n), word(), some(places)) for n in few()]
    visits = [(str(n % 2), "pq"[n // 2], some([one[0] for one in people]), word()) for n in few()]
    pairs = [*(visit[:2] for visit in visits), (None, "p"), ("0", None)]
    named = texts_of([(word(),) for _ in places], "name")
    return {
        "person": texts_of(people, "id", "sex", "town"),
        # numbers where the tables that refer to them have texts
        "place": named.append_column("no", pa.array(map(int, places), pa.int32())),
        "shop": texts_of([(some(places), word()) for _ in few()], "at", "label"),
        "visit": texts_of(visits, "a", "b", "of", "clinic"),
        "ill": texts_of([(*draw(st.sampled_from(pairs)), word()) for _ in few()], "a", "b", "code"),
    }


@settings(max_examples=40, deadline=None)
@given(tables=keyed())
def test_tables_with_keys(place: Path, tables: dict[str, pa.Table]) -> None:
    files = {name: place / f"{name}.parquet" for name in tables}
    for name, table in tables.items():
        pq.write_table(table, files[name])
    theirs = columns(makers, *TABLES)

    def source(_: Any) -> Source:
        opened = open_table_files(files, "person", KEYS, TreeReading(schema=theirs))
        return Source("nested", theirs.names(), nested=opened.batches)

    made = outcome(lambda: trees_by_makers(source(None), theirs))
    read = outcome(
        lambda: forms(original_trees(Input(tables=files, record="person", keys=KEYS), columns(verifiers, *TABLES)))
    )
    assert made == read


# ---- FHIR ------------------------------------------------------------------------------------------------------------------

UNUSED = ("birthDate", "deceased", "maritalStatus", "race", "ethnicity", "city", "state", "postalCode")
FHIR = [
    ("gender", *node, "", None, ()),
    ("class", *node, "encounter[].class", None, ()),
    ("reason", *node, "encounter[].reason[]", "class", ()),
    ("condition", *node, "encounter[].condition[].code", "class", ()),
    ("rest", "identifying", "scalar", "encounter[]", None, ()),
    *((name, "identifying", "scalar", "", None, ()) for name in UNUSED),
]
ADDRESSES = st.sampled_from(["", "", "http://h/fhir/", "http://other/", "urn:uuid:", "#"])


def coded(name: str) -> dict[str, Any]:
    return {"coding": [{"display": name}]}


@st.composite
def bundles(draw: st.DrawFn) -> list[dict[str, Any]]:
    def address(kind: str, number: str) -> str:
        start = draw(ADDRESSES)
        return f"{start}{kind}{'' if start == 'urn:uuid:' else '/'}{number}"

    def reference(kinds: list[str], numbers: str) -> dict[str, str]:
        there = address(draw(st.sampled_from(kinds)), draw(st.sampled_from(numbers)))
        return {"reference": there + draw(st.sampled_from(["", "", "/_history/2"]))}

    def sometimes(**fields: Any) -> dict[str, Any]:
        return {name: make() for name, make in fields.items() if draw(st.booleans())}

    resources = [{"resourceType": "Patient", "id": number, "gender": f"g{number}"} for number in "12"]
    resources += [
        {"resourceType": "Encounter", "id": number, "class": {"code": f"c{number}"}, "reasonCode": [coded("r")]}
        | {"subject": reference(["Patient", "Patient", "Patient", "Group"], "12")}
        for number in "34"[: draw(st.integers(0, 2))]
    ]
    resources += [
        {"resourceType": "Condition", "id": number, "code": coded(f"d{number}")}
        | sometimes(
            encounter=lambda: reference(["Encounter"], "34"),
            subject=lambda: reference(["Patient", "Patient", "Group"], "12"),
        )
        for number in "567"[: draw(st.integers(0, 3))]
    ]
    if draw(st.booleans()):
        return resources
    entries = [
        {"resource": one} | sometimes(fullUrl=lambda one=one: address(one["resourceType"], one["id"]))
        for one in resources
    ]
    cut = draw(st.integers(0, len(entries)))
    return [{"resourceType": "Bundle", "entry": part} for part in (entries[:cut], entries[cut:])]


@settings(max_examples=40, deadline=None)
@given(documents=bundles())
def test_fhir(place: Path, documents: list[dict[str, Any]]) -> None:
    path = place / "f.ndjson"
    path.write_text("\n".join(map(json.dumps, documents)))
    theirs = columns(makers, *FHIR)
    made = outcome(lambda: trees_by_makers(open_source(path, TreeReading(schema=theirs, mapping="fhir-r4")), theirs))
    read = outcome(lambda: forms(original_trees(Input(path=path, mapping="fhir-r4"), columns(verifiers, *FHIR))))
    assert made == read
