"""Originals that lie in Spark, or at a URI: tables are counted there, trees are brought here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from original_forms import node, paths, schema, single, singles

from shoal.errors import DataError
from shoal.verifier.originals import open_original, original_trees
from shoal.verifier.recipe.places import Input
from shoal.verifier.schema import Column, Role, Schema
from shoal.verifier.sql.duckdb import connection
from shoal.verifier.sql.spark import SparkSql

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.spark
PEOPLE = Schema((Column("age", Role.QUASI), Column("a.b", Role.PLAIN)))
WARD = schema(
    node("sex"), node("clinic", "visits[].clinic"), node("ill", "visits[].ills[]", "clinic"), single("kind", "k.v")
)
VISITS = pa.list_(pa.struct([("clinic", pa.string()), ("ills", pa.list_(pa.int64()))]))
FORM = pa.schema(
    [("sex", pa.string()), ("k", pa.struct([("v", pa.string())])), ("visits", VISITS), ("other", pa.int64())]
)
PATIENTS = pa.Table.from_pylist(
    [
        {"sex": "F", "k": {"v": "own"}, "visits": [{"clinic": None, "ills": [1, 1]}, {"clinic": "n", "ills": [2]}]},
        {"sex": None, "k": None, "visits": None},
    ],
    FORM,
)
EXPECTED = [{"sex=F", "ill=1", "clinic=n", "clinic=n/ill=2"}, set()]


def _rows(spark: Any, data: Any, columns: Schema = PEOPLE) -> list[tuple[Any, ...]]:
    with connection() as con:
        sql = SparkSql(con, spark)
        try:
            source = open_original(sql, "original", data, columns)
            read = ", ".join(f"{source.column(name)} AS v{i}" for i, name in enumerate(source.names))
            return sorted(sql.rows(f"SELECT {read} FROM {source.relation}"), key=repr)
        finally:
            sql.close()


def test_files_and_frames(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,a.b\n1,x\n?,y\n")
    assert _rows(spark, Input(path=tmp_path / "a.csv", missing=("?",))) == [("1", "x"), (None, "y")]
    (tmp_path / "a.dat").write_text("1 2\n\n")
    baskets = Schema((Column("items", Role.QUASI, "set"),))
    assert _rows(spark, Input(path=tmp_path / "a.dat"), baskets) == [("",), ("1 2",)]
    table = pa.table({"age": [1, 99], "a.b": ["x", "y"]})
    pq.write_table(table, tmp_path / "a.parquet")
    expected = [(1, "x"), (None, "y")]
    assert _rows(spark, Input(path=tmp_path / "a.parquet", missing=("99",))) == expected
    assert _rows(spark, Input(path=f"file://{tmp_path}/a.parquet", missing=("99",))) == expected
    frame = spark.createDataFrame([(1, "x"), (99, "y")], "age long, `a.b` string")
    assert _rows(spark, frame) == _rows(spark, table) == [(1, "x"), (99, "y")]


def test_trees(spark: Any, tmp_path: Path) -> None:
    pq.write_table(PATIENTS, tmp_path / "a.parquet")
    uri = f"file://{tmp_path}/a.parquet"
    for data in (spark.read.parquet(uri), Input(path=uri), Input(path=tmp_path / "a.parquet")):
        trees = original_trees(data, WARD, session=spark)
        assert paths(trees) == EXPECTED and singles(trees, "kind") == ["own", None]
    with pytest.raises(DataError):
        original_trees(Input(path=f"file://{tmp_path}/nowhere.parquet"), WARD, session=spark)
