"""No verb brings rows to the driver: Spark is told to refuse results that are larger than what counts need."""

from __future__ import annotations

import pyarrow as pa
import pytest

from contract.test_apply import recoding
from contract.test_apply_groups import grouping
from samples.kernels import BlockOf, Numbered
from shoal.data.schema import Column, Role, Schema
from shoal.hierarchies.build import build
from shoal.io.source import open_source

pytestmark = [pytest.mark.spark, pytest.mark.slow]
ROWS = 750_000  # more than twice what may come back
TUPLES = 50
SCHEMA = Schema(
    (Column("q", Role.QUASI), Column("r", Role.QUASI), Column("s", Role.SENSITIVE), Column("note", Role.PLAIN))
)


@pytest.fixture(scope="module")
def people(spark, tmp_path_factory):
    """Many records of fifty tuples, with a column that is nearly unique."""
    folder = tmp_path_factory.mktemp("people")
    spark.range(ROWS).selectExpr(
        f"id % {TUPLES} AS q", "'a long text that all share' AS r", "id % 3 AS s", "id % 1000000 AS note"
    ).write.parquet(str(folder / "people.parquet"))
    for extra in (*(folder / "people.parquet").glob(".*"), *(folder / "people.parquet").glob("_*")):
        extra.unlink()
    return folder / "people.parquet"


@pytest.fixture
def engine(spark, people):
    from shoal.engines.spark import SparkEngine

    made = SparkEngine(spark)
    assert made.load(open_source(people), SCHEMA) == ROWS
    yield made
    made.close()


@pytest.fixture
def trees(engine):
    return {
        "q": build({"intervals": [10], "from": 0, "to": 50}, sorted(engine.domain("q").counts)),
        "r": build(None, list(engine.domain("r").counts)),
    }


def test_a_collect_of_rows_would_fail(spark, people):
    """What the other tests rest on."""
    with pytest.raises(Exception, match="maxResultSize"):
        spark.read.parquet(str(people)).toArrow()


def test_levels(engine, trees, tmp_path, spark):
    assert engine.frequency_set(trees, {"s": None}).rows == ROWS
    written = engine.apply(recoding(trees, (1, 0), hidden=[("3", trees["r"].labels[0])]))
    assert (written.records, written.suppressed) == (ROWS * 4 // 5, ROWS // 5)
    engine.write(tmp_path / "release.parquet")
    assert spark.read.parquet(str(tmp_path / "release.parquet")).count() == written.records
    assert engine.alike("s").classes == 4
    assert engine.frame().count() == written.records


@pytest.mark.long
def test_groups_with_every_tuple_divided(engine, trees, tmp_path, spark):
    share = ROWS // TUPLES
    text = trees["r"].labels[0]
    shows = [("*", text), *((f"{low}-{low + 9}", "*") for low in range(0, 50, 10))]
    parts = [
        ((str(q), text), n, group) for q in range(50) for n, group in ((share // 3, 0), (share * 2 // 3, 1 + q // 10))
    ]
    written = engine.apply(grouping(trees, shows, parts))
    assert (written.records, written.suppressed) == (ROWS, 0)
    engine.write(tmp_path / "release.parquet")
    assert engine.write_assignment(tmp_path / "assignment.parquet")
    shown = spark.read.parquet(str(tmp_path / "release.parquet")).groupBy("q").count().collect()
    assert {row["q"]: row["count"] for row in shown} == {"*": ROWS // 3} | {
        f"{low}-{low + 9}": ROWS * 2 // 15 for low in range(0, 50, 10)
    }


def test_blocks(engine):
    kernel = Numbered("q")
    made = engine.map_blocks(["q", "s"], BlockOf("q", 7), kernel, kernel.schema)
    assert pa.compute.sum(made["records"]).as_py() == ROWS
    assert made.num_rows == TUPLES * 3
