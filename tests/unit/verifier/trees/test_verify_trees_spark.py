"""Trees that lie in Spark: release and original are frames, and the verdict is that of the same files here."""

from __future__ import annotations

import random
from typing import Any

import pyarrow.parquet as pq
import pytest

from oracles.published_trees import HIERARCHIES, TreeCase, random_guarantees, random_recoded
from shoal.errors import InternalError
from shoal.verifier.audit import audit
from shoal.verifier.sql.duckdb import connection
from shoal.verifier.sql.spark_batches import batches_of

pytestmark = pytest.mark.spark
CASES = 3


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many records were brought at once, each time that a frame was brought as a whole."""
    from pyspark.sql.classic.dataframe import DataFrame

    brought: list[int] = []
    bring = DataFrame.toArrow

    def counted(self: Any) -> Any:
        table = bring(self)
        brought.append(table.num_rows)
        return table

    monkeypatch.setattr(DataFrame, "toArrow", counted)
    return brought


def test_frames_are_read_few_records_at_a_time(spark: Any, tmp_path: Any, bounded: list[int]) -> None:
    rng = random.Random("trees in Spark")
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "2")
    try:
        for number in range(CASES):
            original, release, rules = random_recoded(rng)
            for wrong in (False, True):
                published = TreeCase(release.records[1:] + original.records[:1]) if wrong else release
                terms = published.terms(random_guarantees(rng)[0], hierarchies=HIERARCHIES, suppression_limit=1)
                frames = []
                for side, case in (("release", published), ("original", original)):
                    path = tmp_path / f"{side}-{number}-{wrong}.parquet"
                    pq.write_table(case.arrow(), path)
                    frames.append(spark.read.parquet(str(path)))
                with connection() as con:
                    expected = audit(con, published.arrow(), terms, original=original.arrow(), rules=rules)
                with connection() as con:
                    found = audit(con, frames[0], terms, session=spark, original=frames[1], rules=rules)
                assert found == expected
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert bounded and set(bounded) == {0}


def test_records_come_in_their_order_and_faults_are_told(spark: Any) -> None:
    frame = spark.range(0, 1000, numPartitions=7)
    form, batches = batches_of(frame)
    assert form.names == ["id"]
    assert [one for batch in batches for one in batch.column(0).to_pylist()] == list(range(1000))
    broken = frame.selectExpr("assert_true(id < 900) AS a", "id")
    with pytest.raises(InternalError, match="could not count in Spark"):
        list(batches_of(broken)[1])
