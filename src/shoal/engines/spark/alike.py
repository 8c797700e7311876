"""alike: how many classes of the release have one value of a sensitive column only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sql

from shoal.engines.engine import Alike
from shoal.engines.spark.frames import N

if TYPE_CHECKING:
    from shoal.engines.spark.jobs import Jobs
    from shoal.engines.spark.release import Release


def alike(jobs: Jobs, release: Release, column: str) -> Alike:
    """Counted by Spark, from the values of the column within each class."""
    value, words = sql.col("o0"), release.keys
    held = sql.when(~sql.coalesce(value.cast("string") == "*", sql.lit(False)), value).alias("value")
    values = release.values(column).select(*words, held, N).groupBy(*words, "value").agg(sql.sum(N).alias(N))
    classes = values.groupBy(*words).agg(sql.count(sql.lit(1)).alias("held"), sql.sum(N).alias(N))
    same = sql.col("held") == 1
    counts = classes.agg(
        sql.count(sql.lit(1)),
        sql.coalesce(sql.sum(sql.when(same, 1)), sql.lit(0)),
        sql.coalesce(sql.sum(sql.when(same, sql.col(N))), sql.lit(0)),
    )
    row = jobs.run("report", "counting classes", lambda: counts.collect()[0])
    return Alike(int(row[0]), int(row[1]), int(row[2]))
