"""uniques: how many combinations of values there are, and how many of them belong to one record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sql

from shoal.engines.spark.frames import N

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.jobs import Jobs


def uniques(jobs: Jobs, loaded: Loaded, columns: Sequence[str]) -> tuple[int, int]:
    """Counted by Spark: combinations, and those of one record."""
    keys = [loaded.place(name) for name in columns]
    counts = loaded.data.groupBy(*keys).agg(sql.count(sql.lit(1)).alias(N))
    figures = counts.agg(sql.count(sql.lit(1)), sql.count(sql.when(sql.col(N) == 1, 1)))
    row = jobs.run("load", "looking for people who stand alone", lambda: figures.collect()[0], rows=loaded.records)
    return int(row[0]), int(row[1])
