"""alike: how many classes of the release have one value of a sensitive column only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sql

from shoal.engines.engine import Alike
from shoal.engines.spark.load import N

if TYPE_CHECKING:
    from shoal.engines.spark.apply import Release
    from shoal.engines.spark.apply_trees import TreeRelease
    from shoal.engines.spark.jobs import Jobs
    from shoal.engines.spark.sets import SetRelease


def alike(jobs: Jobs, release: Release | SetRelease | TreeRelease, column: str) -> Alike:
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
