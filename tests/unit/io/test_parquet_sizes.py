"""What grows is refused, and what is only large, or only regular, is read: on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DataError
from shoal.io.footers import sizes
from shoal.io.parquet import ROW_GROUP, open_parquet, write_parquet
from shoal.verifier.files import parquet_growth
from shoal.verifier.files.parquet import open_file

if TYPE_CHECKING:
    from pathlib import Path


def equal(rows: int, text: str = "*", columns: int = 1) -> pa.Table:
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))
    return pa.table({f"c{i}": column for i in range(columns)})


@pytest.mark.parametrize("columns", [1, 8])
def test_the_verifier_takes_releases_in_which_all_records_are_equal(
    columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_growth, "_VALUES", 0)
    write_parquet(equal(5 * ROW_GROUP, columns=columns), tmp_path / "release.parquet")
    assert open_file(tmp_path / "release.parquet").records == (5 * ROW_GROUP,)


def test_equal_records_are_read_when_they_are_written_at_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sizes, "_FREE_ROWS", 100_000)
    path = tmp_path / "people.parquet"
    pq.write_table(equal(200_000), path)
    with pytest.raises(DataError, match=r"claims 200,000 rows .* row groups of 5,000"):
        open_parquet(path)
    pq.write_table(equal(200_000), path, row_group_size=5_000)
    assert open_parquet(path).rows == 200_000


def test_one_long_text_among_short_ones_is_no_bomb(tmp_path: Path) -> None:
    """By the longest alone it would be 6 GB: each text counts as often as it stands there."""
    words = pa.array([*(f"word {i}" for i in range(1_000)), "x" * 60_000])
    places = np.append(np.arange(100_000) % 1_000, 1_000).astype(np.int32)
    table = pa.table({"a": pa.DictionaryArray.from_arrays(pa.array(places), words)})
    pq.write_table(table, tmp_path / "people.parquet", row_group_size=1 << 20)
    assert open_parquet(tmp_path / "people.parquet").rows == 100_001
    assert open_file(tmp_path / "people.parquet").records == (100_001,)


@pytest.mark.parametrize("nested", [False, True])
def test_a_long_text_that_many_records_share_is_refused(nested: bool, tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    column = equal(50_000, "x" * 10_000)["c0"].chunk(0)
    lists = pa.ListArray.from_arrays(pa.array(np.arange(50_001, dtype=np.int32)), column)
    pq.write_table(pa.table({"a": lists if nested else column}), path)
    assert path.stat().st_size < 100_000
    with pytest.raises(DataError, match="decompression bomb"):
        open_parquet(path, None)
    with pytest.raises(DataError, match="decompression bomb"):
        open_file(path)
