"""FIMI files: strict, and within limits."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.io.files import Limits
from shoal.io.reading import RowReading
from shoal.io.sets import fimi
from shoal.io.sets.fimi import read_fimi, write_fimi
from shoal.io.source import open_source


def _read(folder: Path, data: bytes, name: str = "t.dat") -> list[list[str]]:
    (folder / name).write_bytes(data)
    made: list[list[str]] = read_fimi(folder / name).column("items").to_pylist()
    return made


@pytest.mark.parametrize(
    ("data", "records"),
    [
        (b"1 2 3\n4\n", [["1", "2", "3"], ["4"]]),
        (b"1 2 \r\n  3\r\n", [["1", "2"], ["3"]]),
        (b"1\n\n2", [["1"], [], ["2"]]),
        (b"\n", [[]]),
        (b"\xef\xbb\xbf1 x\n", [["1", "x"]]),
        ("é 年齢\n".encode(), [["é", "年齢"]]),
    ],
)
def test_lines_are_records(tmp_path: Path, data: bytes, records: list[list[str]]) -> None:
    assert _read(tmp_path, data) == records
    assert _read(tmp_path, gzip.compress(data), "t.dat.gz") == records


def test_pieces_may_end_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    records = [[str(chance.randrange(10**6)) for _ in range(chance.randrange(6))] for _ in range(50)]
    data = b"\xef\xbb\xbf" + "".join(" ".join(record) + "\n" for record in records).encode()
    for size in (1, 2, 3, 7, 64):
        monkeypatch.setattr(fimi, "_BLOCK", size)
        assert _read(tmp_path, data) == records


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"1 2\n3\t4\n", "line 2: a tab"),
        (b"1\n\x002\n", "line 2: a NUL"),
        (b"1\r2\n", "line 1: a carriage return"),
        (b"1\n2\r", "line 2: a carriage return"),
        (b"1\n2\n\xff\n", "line 3: not UTF-8"),
        ("1\n2\u00a03\n".encode(), "line 2: a blank or unseen"),
        (b"1\n" + b"9" * ((1 << 20) + 1) + b"\n", "line 2: an item is longer"),
        (b"1\n" + b"9 " * (5 << 20), "line 2: the line is longer"),
        (b"PK\x03\x04", "zip archive"),
        (b"", "is empty"),
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(tmp_path: Path, data: bytes, told: str) -> None:
    with pytest.raises(DataError, match=told):
        _read(tmp_path, data)


def test_bombs(tmp_path: Path) -> None:
    (tmp_path / "t.dat.gz").write_bytes(gzip.compress(b"1\n" * 100_000))
    with pytest.raises(DataError, match="as a decompression bomb"):
        read_fimi(tmp_path / "t.dat.gz", Limits(ratio=10, ratio_free=1000))
    with pytest.raises(DataError, match="unpacks to more than"):
        read_fimi(tmp_path / "t.dat.gz", Limits(size=1000))


@given(st.lists(st.lists(st.text("ab1é-", min_size=1), max_size=4), max_size=6))
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, records: list[list[str]]) -> None:
    path = tmp_path_factory.mktemp("fimi") / "t.dat"
    assert write_fimi(pa.table({"items": pa.array(records, pa.list_(pa.string()))}), path) == len(records)
    if records:
        assert read_fimi(path).column("items").to_pylist() == records


@pytest.mark.parametrize("item", ["a b", "", "a\tb", "a\u00a0b"])
def test_labels_that_could_not_be_read_back_are_refused(tmp_path: Path, item: str) -> None:
    with pytest.raises(DataError, match="some labels hold blanks"):
        write_fimi(pa.table({"items": [[item]]}), tmp_path / "t.dat")
    with pytest.raises(DataError, match="one column of items"):
        write_fimi(pa.table({"items": [["a"]], "x": [1]}), tmp_path / "t.dat")


def test_as_a_source(tmp_path: Path) -> None:
    (tmp_path / "t.dat").write_bytes(b"1 2\n")
    source = open_source(tmp_path / "t.dat", RowReading(sets={"items"}))
    assert (source.kind, source.columns) == ("fimi", ("items",))
    with pytest.raises(DataError, match=r"'items' are lists.*kind = \"set\""):
        open_source(tmp_path / "t.dat")
