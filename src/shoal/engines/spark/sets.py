"""Sets of items in Spark: arrays of texts, sorted and without repeats. A release of them, and its order.

Which classes there are is not known in the driver, as it is for tables: nearly all sets are different. So rows go to files by a
hash of what is published, and are sorted there: neither the files nor the order in them tell anything about the input.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as sql

from shoal.engines.engine import Domain
from shoal.engines.spark.files import in_files
from shoal.engines.spark.frames import N

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from shoal.engines.driver.connection import Connection
    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.jobs import Jobs


@dataclass(frozen=True, eq=False)
class SetRelease:
    """Published rows of sets."""

    rows: DataFrame  # s0, s1, …: what is shown; o0, o1, …: the other columns; and `keys`
    keys: tuple[str, ...]  # columns that are equal within a class; rows are ordered by them first
    shown: tuple[str, ...]  # the names under which s0, s1, … are published
    others: tuple[str, ...]
    records: int
    more: tuple[str, ...] = ()  # columns by which rows of a class are ordered, before the others: what else is shown
    counted: bool = False  # a row is one record

    def names(self, names: Sequence[str]) -> list[str]:
        """The columns of the release. names: those of the data; what is shown of a column stands where it stood."""
        beside = [name for name in self.shown if name not in names]  # a set may be shown as several
        return [one for name in names for one in (name, *(beside if name == self.shown[0] else ()))]

    def values(self, name: str) -> DataFrame:
        """Of one of the other columns: keys, the column as o0, and n."""
        value = sql.col(f"o{self.others.index(name)}").alias("o0")
        return self.rows.select(*self.keys, value, sql.lit(1).cast("long").alias(N))

    def in_order(self, names: Sequence[str]) -> DataFrame:
        """The published rows: the columns as c0, c1, … in the order of `names`."""
        others = [f"o{i}" for i in range(len(self.others))]
        ordered = in_files(self.rows, [*self.keys, *self.more, *others], self.records)
        held = {name: sql.col(f"s{c}") for c, name in enumerate(self.shown)}
        held |= {name: sql.col(f"o{i}") for i, name in enumerate(self.others)}
        return ordered.select(*(held[name].alias(f"c{place}", metadata={}) for place, name in enumerate(names)))


def domain(jobs: Jobs, con: Connection, loaded: Loaded, column: str) -> Domain:
    """The items, each with the number of records that hold it; counted once."""
    return con.once(f"items of {column}", lambda: _domain(jobs, loaded, column))


def _domain(jobs: Jobs, loaded: Loaded, column: str) -> Domain:
    items = loaded.data.select(sql.explode(loaded.place(column)).alias("item"))
    counted = items.groupBy("item").agg(sql.count(sql.lit(1)).alias(N))
    table = jobs.run("load", "counting items", counted.toArrow, rows=loaded.records)
    return Domain(dict(zip(table.column("item").to_pylist(), table.column(N).to_pylist(), strict=True)))
