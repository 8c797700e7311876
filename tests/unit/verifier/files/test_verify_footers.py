"""Bounds in the footer of a Parquet file are what its maker says: neither the verifier nor the engine believes them."""

from __future__ import annotations

import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal

COLUMNS = ("a", "b", "c")
RECIPE = {"columns": {name: {"role": "quasi"} for name in COLUMNS}, "guarantee": [{"name": "k-anonymity", "k": 5}]}
PEOPLE = [7 + i * 65_536 for i in range(600)]  # who differ, and whose last 16 bits do not


def forged(path: Path, table: pa.Table, *lies: tuple[bytes, bytes]) -> Path:
    """A file in whose footer some bytes stand for others."""
    pq.write_table(table, path, compression="none", use_dictionary=False, store_schema=False)
    data = path.read_bytes()
    start = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    footer = data[start:-8]
    for true, false in lies:
        assert true in footer
        footer = footer.replace(true, false)
    path.write_bytes(data[:start] + footer + data[-8:])
    return path


@pytest.fixture
def wrapped(tmp_path: Path) -> Path:
    """It says that no value is above 65,542."""
    values = pa.array(PEOPLE, pa.int64())
    lie = (struct.pack("<q", PEOPLE[-1]), struct.pack("<q", 7 + 65_535))
    return forged(tmp_path / "people.parquet", pa.table(dict.fromkeys(COLUMNS, values)), lie)


def test_people_who_differ_are_no_class_whatever_the_footer_says(wrapped: Path) -> None:
    verdict = shoal.verify(wrapped, RECIPE)
    assert not verdict.passed
    assert (verdict.records, verdict.classes, verdict.smallest_class) == (600, 600, 1)


def test_a_method_sees_the_values_that_are_there(wrapped: Path, tmp_path: Path) -> None:
    recipe = {
        **RECIPE,
        "input": {"path": str(wrapped)},
        "output": {"path": str(tmp_path / "release.parquet")},
        "suppression": {"limit": 0},
    }
    shoal.run(shoal.Recipe.of(recipe))
    released = pq.read_table(tmp_path / "release.parquet").to_pylist()
    assert len(released) == 600
    assert {value for row in released for value in row.values()} == {"*"}


def test_missing_values_are_counted_whatever_the_footer_says(tmp_path: Path) -> None:
    """300 rows of nothing, and a footer that says there are none: they are nobody all the same."""
    values = pa.array([None] * 300 + [1000, 1299] * 2, pa.int64())
    none_missing = (b"\xd8\x04", b"\x80\x00")  # 300 and 0 as the format writes whole numbers
    path = forged(tmp_path / "people.parquet", pa.table(dict.fromkeys(COLUMNS, values)), none_missing)
    verdict = shoal.verify(path, RECIPE, any_order=True)
    assert not verdict.passed
    assert verdict.records == 4


def test_values_are_found_whatever_the_footer_says(tmp_path: Path) -> None:
    """The original is read the same way: a value beyond the stated bounds covers nothing less."""
    values = pa.array([1] * 5 + [700] * 5, pa.int64())
    lie = (struct.pack("<q", 700), struct.pack("<q", 2))
    path = forged(tmp_path / "people.parquet", pa.table(dict.fromkeys(COLUMNS, values)), lie)
    verdict = shoal.verify(path, RECIPE, original=path)
    assert verdict.passed
    assert (verdict.classes, verdict.smallest_class) == (2, 5)
