"""Frames that compute their rows when they are asked: the same release, risk and verdict as of the rows themselves."""

from __future__ import annotations

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import shoal

TABLE = pa.table({"age": [str(20 + i % 4) for i in range(40)], "town": ["Ulm", "Kiel"] * 20, "note": ["x"] * 40})
RECIPE = {
    "columns": {"age": {"role": "quasi"}, "town": {"role": "quasi"}, "note": {"role": "plain"}},
    "guarantee": [{"name": "k-anonymity", "k": 5}],
    "method": {"name": "optimal"},
}
LAZY = {
    "dataset": ds.dataset,
    "scanner": lambda path: ds.dataset(path).scanner(batch_size=7),
    "lazy frame": pl.scan_parquet,
    "relation": lambda path: duckdb.read_parquet(str(path)),
}
BACK = {"dataset": pa.Table, "scanner": pa.Table, "lazy frame": pl.DataFrame, "relation": duckdb.DuckDBPyRelation}


@pytest.fixture(params=LAZY)
def lazy(request, tmp_path):
    pq.write_table(TABLE, tmp_path / "people.parquet", row_group_size=9)
    return request.param, LAZY[request.param](tmp_path / "people.parquet")


def test_it_is_published_like_the_rows_themselves(lazy) -> None:
    name, frame = lazy
    release = shoal.anonymize(frame, RECIPE)
    assert release.verdict.passed
    assert isinstance(release.data, BACK[name])
    assert pa.table(release.data).to_pydict() == shoal.anonymize(TABLE, RECIPE).data.to_pydict()


def test_it_is_verified_and_its_risk_is_known(lazy) -> None:
    _, frame = lazy
    assert shoal.verify(frame, quasi=["age", "town"], k=5, any_order=True).passed
    assert not shoal.verify(frame, quasi=["age", "town"], k=15, any_order=True).passed
    assert repr(shoal.risk(frame, RECIPE)) == repr(shoal.risk(TABLE, RECIPE))


def test_what_a_library_says_of_a_frame_that_cannot_be_computed_is_not_quoted() -> None:
    broken = pl.LazyFrame({"age": ["a secret"]}).select(pl.col("age").cast(pl.Int64))
    with pytest.raises(shoal.DataError, match="could not be turned into an Arrow table") as refused:
        shoal.anonymize(broken, RECIPE)
    assert "secret" not in str(refused.value)
