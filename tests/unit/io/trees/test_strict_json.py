"""JSON that could be read in two ways, or that is made to break a reader, is refused with its line and never with its values."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError
from shoal.io.files import Limits
from shoal.io.reading import TreeReading
from shoal.io.source import open_source
from shoal.io.trees.json_records import json_file, json_lines

CANARY = "Zebedee"
GOOD = '{"a": "x", "b": ["y"]}'
SCHEMA = Schema((Column("a", Role.QUASI, "node"), Column("b", Role.QUASI, "node", (), "b[]")))

BAD = [
    ('{"a": "Zebedee", "a": 1}', "a name stands twice in an object"),
    ('{"a": "Zebedee", "c": {"d": 1, "d": 1}}', "a name stands twice"),
    ('{"a": NaN, "b": ["Zebedee"]}', "NaN or Infinity"),
    ('{"a": -Infinity, "b": ["Zebedee"]}', "NaN or Infinity"),
    ('{"a": 1e999, "b": ["Zebedee"]}', "a number that is too large"),
    ('{"a": ' + "7" * 500 + "}", "a number of more than"),
    ('{"a": "Zebedee", }', "no JSON here"),
    ("{'a': 'Zebedee'}", "no JSON here"),
    ('{"a": "Zebedee\x01"}', "no JSON here"),
    ('{"a": 01, "b": ["Zebedee"]}', "no JSON here"),
    ('{"a": "Zebedee"', "no JSON here"),
    ('["Zebedee"]', "a record is an object"),
    ('"Zebedee"', "a record is an object"),
    ('{"a": "Zebedee\\ud800"}', "half of a surrogate pair"),
    ('{"a": "x", "c\\udc00": "Zebedee"}', "half of a surrogate pair"),
    ('{"a": ["Zebedee"]}', "at a is a list, and a single value elsewhere"),
    ('{"a": {"Zebedee": 1}}', "at a is an object, and a single value elsewhere"),
    ('{"a": "x", "b": "Zebedee"}', r"at b is a single value, and a list elsewhere"),
    ('{"a": "x", "b": [["Zebedee"]]}', r"at b\[\] is a list, and a single value elsewhere"),
    ('{"a": "x", "c": ' + "[" * 300 + "]" * 300 + "}", "nested too deep"),
    ('{"a": "x", "c": ' + '{"d":' * 150 + "1" + "}" * 150 + "}", "nested too deep"),
    ('{"a": ' + "[" * 200_000, "nested too deep|no JSON here"),
    ('{"a": "x", "": "Zebedee"}', "empty name"),
]


@pytest.mark.parametrize(("text", "told"), BAD)
@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_refused_with_its_line(text, told, form, tmp_path):
    path = tmp_path / f"data.{form}"
    if form == "jsonl":
        path.write_text(f"{GOOD}\n\n{text}\n{GOOD}\n")
    else:
        path.write_text(f"[{GOOD},\n\n{text},\n{GOOD}]")
    with pytest.raises(DataError, match=told) as found:
        open_source(path, TreeReading(schema=SCHEMA))
    assert re.match(rf"data.{form}, line [34]: ", str(found.value))  # what is not closed is noticed in the next line
    assert CANARY not in str(found.value) and "777" not in str(found.value)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\xef\xbb\xbf" + GOOD.encode(), "line 1: a byte order mark"),
        (GOOD.encode() + b'\n{"a": "Zebedee\xff"}\n', "line 2: not UTF-8"),
        (GOOD.encode("utf-16"), "UTF-16"),
        (b"", "is empty"),
        (b"PAR1" + GOOD.encode(), "a Parquet file"),
    ],
)
@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_bytes_that_are_no_text(data, told, form, tmp_path):
    path = tmp_path / f"data.{form}"
    path.write_bytes(data)
    with pytest.raises(DataError, match=told) as found:
        open_source(path, TreeReading(schema=SCHEMA))
    assert CANARY not in str(found.value)


def test_more_than_one_record_in_a_whole_file(tmp_path):
    path = tmp_path / "data.json"
    for text, told in (
        (f"{GOOD}\n{GOOD}", "Use .jsonl"),
        (f"[{GOOD}]\n{GOOD}", "more follows"),
        (f"[{GOOD}\n{GOOD}]", "comma"),
    ):
        path.write_text(text)
        with pytest.raises(DataError, match=told):
            open_source(path, TreeReading(schema=SCHEMA))
    path.write_text(" [ ] ")
    assert list(json_file(path)) == []


def test_gzip_bombs(tmp_path):
    path = tmp_path / "data.jsonl.gz"
    path.write_bytes(gzip.compress(b" " * (40 << 20)))
    with pytest.raises(DataError, match="decompression bomb"):
        open_source(path, TreeReading(schema=SCHEMA))
    path.write_bytes(gzip.compress(GOOD.encode())[:-9])
    with pytest.raises(DataError, match="cut off"):
        open_source(path, TreeReading(schema=SCHEMA))


def test_sizes(tmp_path, monkeypatch):
    path = tmp_path / "data.jsonl"
    path.write_text(f"{GOOD}\n{GOOD}\n")
    with pytest.raises(DataError, match="at most 20"):
        list(json_lines(path, Limits(size=20)))
    monkeypatch.setattr("shoal.io.trees.json_records.MAX_LINE", 10)
    with pytest.raises(DataError, match="line 1: longer than 10 bytes"):
        list(json_lines(path))
    monkeypatch.setattr("shoal.io.trees.json_records.MAX_FILE", 10)
    path = tmp_path / "data.json"
    path.write_text(f"[{GOOD}]")
    with pytest.raises(DataError, match="more than 10 bytes"):
        list(json_file(path))


def test_names_that_are_data(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text(json.dumps({"a": "x", "c": {f"{CANARY} {n}": n for n in range(10_001)}}))
    with pytest.raises(DataError, match="different places in the records") as found:
        open_source(path, TreeReading(schema=SCHEMA))
    assert CANARY not in str(found.value)


def test_numbers_and_truth_have_one_text(tmp_path):
    path = tmp_path / "data.jsonl"
    values = ["1", "1.0", '"1"', "1e2", "-0", "0.10", "true", "false", "12345678901234567890123", "null"]
    path.write_text("".join(f'{{"a": {value}}}\n' for value in values))
    source = open_source(path, TreeReading(schema=Schema((Column("a", Role.QUASI, "node"),))))
    (batch,) = source.batches()
    assert batch.column("a").to_pylist() == [
        "1", "1", "1", "100", "0", "0.1", "true", "false", "12345678901234567890123", None,
    ]  # fmt: skip


def test_line_ends_and_many_batches(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.io.trees.json_columns._ROWS", 2)
    monkeypatch.setattr("shoal.io.trees.json_records._BLOCK", 7)
    path = tmp_path / "data.jsonl"
    path.write_bytes(b"\r\n".join([GOOD.encode()] * 5) + b"\n \t\n" + GOOD.encode())
    source = open_source(path, TreeReading(schema=SCHEMA))
    batches = list(source.batches())
    assert [batch.num_rows for batch in batches] == [2, 2, 2]
    assert [r for b in batches for r in b.to_pylist()] == [{"a": "x", "b": ["y"]}] * 6
