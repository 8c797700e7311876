"""Marks in the form of a file that tell records apart though their values do not: none passes, and shoal writes none."""

from __future__ import annotations

import json
import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.published_trees import Record, TreeCase, closed, node_type
from shoal.data.schema import Column, Role, Schema
from shoal.data.trees import TreeShape
from shoal.guarantees import KMNAnonymity
from shoal.io.parquet import write_parquet
from shoal.io.trees.write_json import write_json_lines
from shoal.verifier import Terms, Verdict, verify_release
from shoal.verifier.files.parquet_form import metadata_marks
from shoal.verifier.trees.line_form import number_form
from shoal.verifier.trees.reading import read_trees

TWO = KMNAnonymity(2, 2, 1)
SCHEMA = Schema(
    (
        Column("ill", Role.SENSITIVE),
        Column("age", Role.PLAIN),
        Column("sex", Role.QUASI, "node"),
        Column("place", Role.QUASI, "node"),
        Column("cure", Role.QUASI, "node", parent="place"),
    )
)
LINE = (
    '{"ill":"é/\\"\\n","age":20,"sex":[{"value":"A"}],"place":[{"value":"x","cure":[{"value":"t"}]},{"value":"y"}]}\n'
)


def form_of(verdict: Verdict) -> tuple[bool, str]:
    return next((check.passed, check.detail) for check in verdict.checks if check.name == "one form")


def judged(path: Path, *lines: str) -> tuple[bool, str]:
    path.write_bytes("".join(lines).encode())
    return form_of(verify_release(path, Terms(SCHEMA, (TWO,))))


# ---- JSON lines --------------------------------------------------------------------------------------------------------


def test_the_one_form(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    assert judged(path, LINE, LINE) == (True, "Nothing but values tells records apart.")
    assert judged(path) == (True, "Nothing but values tells records apart.")
    assert judged(path, '{"ill":null,"age":null}\n', LINE)[0]


@pytest.mark.parametrize(
    ("was", "odd"),
    [
        (":20", ": 20"),  # blanks
        ("{", " {"),
        ("}\n", "} \n"),
        ("}\n", "}\r\n"),
        ("}\n", "}"),  # the end of the file
        ('"A"', '"\\u0041"'),  # escapes
        ("é", "\\u00e9"),
        ("/", "\\/"),
        ("\\n", "\\u000a"),
        ('"sex"', '"\\u0073ex"'),
        ('"value":"A"', '"\\u0076alue":"A"'),
        (":20", ":20.0"),  # numbers
        (":20", ":2e1"),
        (":20", ":2E1"),
        (":20", ":0.10"),
        (":20", ":1e-7"),
        (":20", ":-0"),
        (":20", ":-0.0"),
        (":20", ":0.10000000000000001"),
        ('"ill":"é/\\"\\n","age":20', '"age":20,"ill":"é/\\"\\n"'),  # orders
        (
            '"value":"x","cure":[{"value":"t"}]',
            '"cure":[{"value":"t"}],"value":"x"',
        ),
        (',"place":[{"value":"x","cure":[{"value":"t"}]},{"value":"y"}]', ""),
        ('{"value":"x","cure":[{"value":"t"}]},{"value":"y"}', '{"value":"y"},{"value":"x","cure":[{"value":"t"}]}'),
        ('{"value":"y"}', '{"value":"y","cure":[]}'),  # what is left out, and what is not
        ('{"value":"t"}', '{"value":"t"},{"value":"t"}'),
        (',"age":20', ""),
    ],
)
def test_another_form_is_a_mark(was: str, odd: str, tmp_path: Path) -> None:
    line = LINE.replace(was, odd, 1)
    assert line != LINE
    passed, told = judged(tmp_path / "a.jsonl", LINE, line)
    if was.startswith(',"place"') or odd.endswith('{"value":"t"},{"value":"t"}'):
        assert passed  # other values, or a node twice, are for other checks
        return
    assert not passed
    assert told.startswith("1 line not written in the one form that lines have, the first is line 2.")
    assert "Write the lines as the reference of formats says" in told


def test_the_order_of_classes_is_a_mark(tmp_path: Path) -> None:
    made = json.loads(LINE)
    moved = {name: made[name] for name in ("ill", "age", "place", "sex")}
    line = json.dumps(moved, ensure_ascii=False, separators=(",", ":")) + "\n"
    passed, told = judged(tmp_path / "a.jsonl", line, LINE)
    assert not passed
    assert "the first is line 1." in told


@pytest.mark.parametrize(
    ("one", "other", "passed"),
    [
        ("20", '"20"', False),
        ("true", '"true"', False),
        ("1", "true", False),
        ("0.00001", "1e-05", False),
        ("0.5", "1e-05", True),
        ("0.00001", "0.5", True),
        ("20", "null", True),
        ("20", "0.5", True),
    ],
)
def test_one_value_in_two_forms_of_one_column(one: str, other: str, passed: bool, tmp_path: Path) -> None:
    lines = [LINE.replace(":20", f":{value}") for value in (one, other, one, other)]
    found, told = judged(tmp_path / "a.jsonl", *lines)
    assert found == passed
    assert ("Column 'age' has values of several forms" in told) != passed


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("12", "12"),
        ("-12.50", "-12.5"),
        ("12.0", "12"),
        ("1e2", "100"),
        ("1E-7", "1e-07"),
        ("1e-07", "1e-07"),
        ("0.0000001", "0.0000001"),
        ("1e400", None),
        ("0.1000000000000000055", None),
        ("9" * 30, "9" * 30),
    ],
)
def test_forms_of_numbers(written: str, form: str | None) -> None:
    assert number_form(written) == form


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_has_one_form(value: float) -> None:
    made = number_form(repr(value))
    assert made is not None
    assert number_form(made) == made
    assert float(made) == value


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
KINDS = (
    (st.text(st.characters(exclude_categories=["Cs"]), max_size=4), pa.string()),
    (st.integers(-(2**63), 2**63 - 1), pa.int64()),
    (st.floats(allow_infinity=False), pa.float64()),
    (st.floats(width=32, allow_infinity=False), pa.float32()),
    (st.decimals(-999, 999, places=3), pa.decimal128(9, 3)),
    (st.decimals("-0.001", "0.001", places=7), pa.decimal128(9, 7)),
    (st.booleans(), pa.bool_()),
    (st.dates(date(1900, 1, 1), date(2100, 1, 1)), pa.date32()),
)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_written_here_has_no_marks(data: Any, tmp_path_factory: Any) -> None:
    number = data.draw(st.integers(0, 5))
    kinds = data.draw(st.lists(st.sampled_from(KINDS), max_size=3))
    singles = {
        f"s{i}": pa.array(data.draw(st.lists(st.none() | values, min_size=number, max_size=number)), kind)
        for i, (values, kind) in enumerate(kinds)
    }
    shape = TreeShape.of({"a": None, 'b"é': "a"})
    nodes = st.lists(
        st.tuples(TEXTS, st.lists(TEXTS, unique=True, max_size=3)), max_size=3, unique_by=lambda one: one[0]
    )
    below = st.lists(TEXTS, unique=True, max_size=2)
    trees = data.draw(st.lists(st.tuples(nodes, below), min_size=number, max_size=number))

    def values(texts: list[str]) -> list[dict[str, Any]]:
        return [{"value": text} for text in sorted(texts)]

    columns = [
        pa.array(
            [[{"value": text, 'b"é': values(inner)} for text, inner in sorted(upper)] for upper, _ in trees],
            node_type(shape, "a"),
        ),
        pa.array([values(lower) for _, lower in trees], node_type(shape, 'b"é')),
    ]
    table = pa.table([*singles.values(), *columns], [*singles, "a", 'b"é'])
    folder = tmp_path_factory.mktemp("form")
    write_json_lines(table.to_reader(), shape, folder / "a.jsonl")
    write_parquet(table, folder / "a.parquet")
    for name in ("a.jsonl", "a.parquet"):
        read = read_trees("release", folder / name, shape, tuple(singles))
        assert (read.records, read.marks, read.disordered) == (number, (), 0)


def test_digits_that_a_reader_would_lose_do_not_pass(tmp_path: Path) -> None:
    shape = TreeShape.of({"a": None})
    kind = node_type(shape, "a")
    exact = pa.array([Decimal("0.12345678901234567891")], pa.decimal128(38, 20))
    write_json_lines(pa.table({"s": exact, "a": pa.array([[]], kind)}).to_reader(), shape, tmp_path / "a.jsonl")
    assert read_trees("release", tmp_path / "a.jsonl", shape, ("s",)).marks


# ---- Parquet -----------------------------------------------------------------------------------------------------------

ULM = closed([(("place", "Ulm"), ("illness", "flu"))])
CASE = TreeCase((Record(ULM, "a"), Record(ULM, "b")))
FIELD = {"name": "ill", "type": "string", "nullable": True, "metadata": {}}
NODES = {"type": "array", "elementType": {"type": "struct", "fields": [FIELD]}, "containsNull": True}


def said(schema: Any) -> dict[str, str]:
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return {"org.apache.spark.version": "4.1.0", "org.apache.spark.sql.parquet.row.metadata": text}


def kept(
    path: Path, table: pa.Table, entries: dict[str, str] | None = None, *, store_schema: bool = False
) -> tuple[bool, str]:
    with pq.ParquetWriter(path, table.schema, store_schema=store_schema) as writer:
        writer.write_table(table)
        if entries:
            writer.add_key_value_metadata(entries)
    return form_of(verify_release(path, CASE.terms(TWO)))


def test_files_without_metadata(tmp_path: Path) -> None:
    assert kept(tmp_path / "a.parquet", CASE.arrow()) == (True, "Nothing but values tells records apart.")
    spark = said({"type": "struct", "fields": [FIELD, {**FIELD, "name": "place", "type": NODES}]})
    assert kept(tmp_path / "a.parquet", CASE.arrow(), spark)[0]
    assert pq.read_metadata(tmp_path / "a.parquet").metadata


@pytest.mark.parametrize(
    "entries",
    [
        {"who": "row 1 is Zebedee"},
        {"pandas": "{}"},
        {"org.apache.spark.version": "4.1.0 of Zebedee"},
        said({"type": "struct", "fields": [{**FIELD, "metadata": {"comment": "Zebedee"}}]}),
        said({"type": "struct", "fields": [{**FIELD, "name": "Zebedee"}]}),
        said({"type": "struct", "fields": [{**FIELD, "name": ["ill"]}]}),
        said({"type": "struct", "fields": [{**FIELD, "type": "Zebedee"}]}),
        said({"type": "struct", "fields": [{**FIELD, "who": "Zebedee"}]}),
        said({"type": "struct", "fields": [], "who": "Zebedee"}),
        said({"type": "struct", "fields": {"who": "Zebedee"}}),
        said(["Zebedee"]),
        {"org.apache.spark.sql.parquet.row.metadata": '{"type": "struct", "fields": []}'},
        {"org.apache.spark.sql.parquet.row.metadata": "Zebedee"},
    ],
)
def test_texts_of_a_file_are_marks(entries: dict[str, str], tmp_path: Path) -> None:
    passed, told = kept(tmp_path / "a.parquet", CASE.arrow(), entries)
    assert not passed
    assert told.startswith("Metadata besides the values: 1 text beside the schema. Nobody sees them among the records")
    assert "Zebedee" not in told
    assert "store_schema=False" in told


def test_what_libraries_add_is_a_mark_too(tmp_path: Path) -> None:
    assert not kept(tmp_path / "a.parquet", CASE.arrow(), store_schema=True)[0]


def test_one_of_the_files_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    pq.write_table(CASE.arrow(), folder / "0.parquet", store_schema=False)
    pq.write_table(CASE.arrow(), folder / "1.parquet", store_schema=True)
    assert not form_of(verify_release(folder, CASE.terms(TWO)))[0]


def test_numbers_of_fields_are_marks(tmp_path: Path) -> None:
    table = CASE.arrow()
    fields = [
        field.with_metadata({"PARQUET:field_id": "7"}) if field.name == "ill" else field for field in table.schema
    ]
    passed, told = kept(tmp_path / "a.parquet", table.cast(pa.schema(fields)))
    assert not passed
    assert "1 field with a number or text of its own" in told
    kind = pa.struct([pa.field("value", pa.string(), metadata={"PARQUET:field_id": "9"})])
    inner = pa.table({"a": pa.array([[{"value": "x"}]], pa.list_(kind))})
    pq.write_table(inner, tmp_path / "b.parquet", store_schema=False)
    assert "1 field" in metadata_marks([tmp_path / "b.parquet"])[0]


def test_texts_of_a_part_of_a_column_are_marks(tmp_path: Path) -> None:
    """No library here writes them, so they are put into the footer by hand (Thrift, compact; field 8 of ColumnMetaData)."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": ["a"]}), path, store_schema=False, write_statistics=False)
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    number = rb"[\x80-\xff]*[\x00-\x7f]"
    sizes = re.compile(rb"(\x16" + number + rb"){3}(?=\x26)", re.DOTALL)  # fields 5 to 7, then 9
    found = sizes.search(data, start)
    assert found is not None
    entry = b"\x19\x1c\x18\x03who\x18\x07Zebedee\x00"
    footer = data[start : found.end()] + entry + b"\x16" + data[found.end() + 1 : -8]
    path.write_bytes(data[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    assert pq.read_table(path).to_pylist() == [{"x": "a"}]
    if not hasattr(pq.ParquetFile(path).metadata.row_group(0).column(0), "metadata"):
        pytest.skip("this version of pyarrow cannot tell")
    (told,) = metadata_marks([path])
    assert "1 part of columns with texts" in told and "Zebedee" not in told
