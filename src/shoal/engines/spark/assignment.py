"""assignment: which record shows what, after a recoding that cannot be followed from values to values.

One row for each combination of a raw tuple, the other columns and what is published for it, under the same names as on the
local engine: `raw:age`, `shown:age`, `other:illness`, `records`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as sql

from shoal.engines.spark.files import file_count
from shoal.engines.spark.frames import N
from shoal.engines.spark.release import Assignment
from shoal.engines.spark.tuples import file_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.engines.spark.tuples import TupleRelease
    from shoal.engines.spark.words import Words


@dataclass(frozen=True, eq=False)
class Assigned:
    """Which published records show what."""

    rows: Callable[[], DataFrame]  # words of the raw tuple, words of what it shows, o0, o1, …: the other columns, and n
    most: int  # there are no more of those rows
    words: Words  # of the raw tuple
    raw: tuple[DataFrame, ...]  # of each quasi-identifier: number, label
    kept: tuple[DataFrame, ...]  # what Spark holds for it


def assignment_of(release: TupleRelease, assigned: Assigned) -> Assignment:
    """After a recoding by groups."""
    names = [f"{side}:{name}" for name in release.columns for side in ("raw", "shown")]
    names += [*(f"other:{name}" for name in release.others), "records"]
    return Assignment(lambda: _rows(release, assigned), tuple(names), assigned.most, assigned.kept)


def _rows(release: TupleRelease, assigned: Assigned) -> DataFrame:
    """With columns c0, c1, …"""
    others = [f"o{i}" for i in range(len(release.others))]
    files = file_count(assigned.most)
    rest = [*others, *assigned.words.names]
    rows = assigned.rows().groupBy(*release.words.names, *rest).agg(sql.sum(N).alias(N))
    rows = rows.repartitionById(files, file_of(release, files, rest))
    rows = rows.sortWithinPartitions(*(sql.col(name).asc_nulls_last() for name in (*release.words.names, *rest)))
    picked = []
    for c in range(len(release.columns)):
        raw = assigned.raw[c].toDF(f"code{c}", f"raw{c}")
        rows = rows.withColumn(f"was{c}", assigned.words.number(c)).withColumn(f"at{c}", release.words.number(c))
        rows = rows.join(raw, sql.col(f"was{c}") == sql.col(f"code{c}"))
        rows = rows.join(release.labels[c], sql.col(f"at{c}") == sql.col(f"number{c}"))
        picked += [sql.col(f"raw{c}"), sql.col(f"label{c}")]
    picked += [sql.col(other) for other in others]
    return rows.select(*picked, sql.col(N)).toDF(*(f"c{place}" for place in range(len(picked) + 1)))
