"""What Spark shuffles is cut into as many parts as the records are worth, while we work and no longer."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.io.source import from_frame

pytestmark = pytest.mark.spark
PARTS = "spark.sql.shuffle.partitions"


@pytest.fixture
def roomy(spark):
    """A session that was told to cut into 200, as Spark does without being told."""
    session = spark.newSession()
    session.conf.set(PARTS, "200")
    return session


@pytest.mark.parametrize(("records", "parts"), [(0, 2), (1500, 2), (100_000, 5), (3_999_999, 200), (10**9, 200)])
def test_parts_follow_the_records_and_are_no_more_than_spark_was_told(roomy, records, parts):
    from shoal.engines.spark.jobs import Jobs

    workers = roomy.sparkContext.defaultParallelism
    jobs = Jobs(roomy, records=records)
    assert jobs.run("count", "", lambda: int(roomy.conf.get(PARTS))) == max(workers, parts)
    assert roomy.conf.get(PARTS) == "200"
    assert replace(jobs, records=None).run("count", "", lambda: roomy.conf.get(PARTS)) == "200"


def test_a_small_table_is_loaded_by_few_tasks_and_the_setting_is_back(roomy):
    from shoal.engines.spark import SparkEngine

    roomy.conf.set("spark.sql.adaptive.enabled", "false")  # which would hide how many there are
    engine = SparkEngine(roomy)
    engine.load(from_frame(pa.table({"q": ["a", "b", "a"]})), Schema((Column("q", Role.QUASI),)))
    begun = roomy.sparkContext._jsc.sc().taskScheduler().nextTaskId()
    assert engine.uniques(["q"]) == (2, 1)
    assert roomy.sparkContext._jsc.sc().taskScheduler().nextTaskId() - begun <= 10
    assert roomy.conf.get(PARTS) == "200"
    engine.close()


def test_the_verifier_cuts_by_its_largest_source_and_puts_the_setting_back(roomy):
    import duckdb

    from shoal.verifier.sql.spark import SparkSql

    with duckdb.connect() as con:
        sql = SparkSql(con, roomy)
        for records, parts in ((1500, 2), (200_000, 10), (1500, 10), (10**9, 200)):
            sql.expect(records)
            assert int(roomy.conf.get(PARTS)) == max(sql._least, parts)
        sql.close()
    assert roomy.conf.get(PARTS) == "200"
