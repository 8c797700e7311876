"""assignment: which record shows what, after a recoding that cannot be followed from values to values.

One row for each combination of a raw tuple, the other columns and what is published for it, under the same names as on the
local engine: `raw:age`, `shown:age`, `other:illness`, `records`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sql

from shoal.engines.spark.load import N
from shoal.engines.spark.write import file_count, file_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from shoal.engines.spark.apply import Release
    from shoal.engines.spark.apply_groups import Assigned


def assignment(release: Release, assigned: Assigned) -> tuple[DataFrame, list[str]]:
    """The rows with columns c0, c1, …; and the names of those."""
    others = [f"o{i}" for i in range(len(release.others))]
    files = file_count(assigned.most)
    rest = [*others, *assigned.words.names]
    rows = assigned.rows().groupBy(*release.words.names, *rest).agg(sql.sum(N).alias(N))
    rows = rows.repartitionById(files, file_of(release, files, rest))
    rows = rows.sortWithinPartitions(*(sql.col(name).asc_nulls_last() for name in (*release.words.names, *rest)))
    picked, names = [], []
    for c, name in enumerate(release.columns):
        raw = assigned.raw[c].toDF(f"code{c}", f"raw{c}")
        rows = rows.withColumn(f"was{c}", assigned.words.number(c)).withColumn(f"at{c}", release.words.number(c))
        rows = rows.join(raw, sql.col(f"was{c}") == sql.col(f"code{c}"))
        rows = rows.join(release.labels[c], sql.col(f"at{c}") == sql.col(f"number{c}"))
        picked += [sql.col(f"raw{c}"), sql.col(f"label{c}")]
        names += [f"raw:{name}", f"shown:{name}"]
    picked += [sql.col(other) for other in others]
    names += [f"other:{name}" for name in release.others]
    made = rows.select(*picked, sql.col(N))
    return made.toDF(*(f"c{place}" for place in range(len(names) + 1))), [*names, "records"]
