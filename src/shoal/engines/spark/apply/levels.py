"""apply: replace the values of each column through a small table, drop suppressed classes, and know how many are left.

All that is decided here is decided in the driver, from the distinct combinations it holds: which class each goes to, how large the
classes are, in which order they are published. Where those combinations are all that is published, they are recoded here too, and
only distinct rows go to Spark, to be multiplied out there. Where more columns are published, Spark maps the records themselves.

A row carries its generalized values as numbers, packed; the labels come back last, when the rows are in order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as sql

from shoal.engines.driver.tuples import distinct_tuples, raw_values
from shoal.engines.engine import Written
from shoal.engines.spark.frames import N, to_spark
from shoal.engines.spark.release import Outcome
from shoal.engines.spark.tuples import TupleRelease, classes_in_order
from shoal.engines.spark.words import Words
from shoal.errors import InternalError
from shoal.kernels.grouping import Layout, group_sum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession, types

    from shoal.data.schema import Schema
    from shoal.engines.driver.connection import Connection
    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.jobs import Jobs
    from shoal.recoding.tables.levels import LevelRecoding

_FEW = 2_000_000  # rows of a table that each worker can be given whole

Map = tuple[pa.Array, "NDArray[np.int32]"]
"""The raw values of a column, and the number of each."""


@dataclass(frozen=True, eq=False)
class Here:
    """Rows in the driver: a number for each quasi-identifier, other columns, how many records."""

    numbers: NDArray[np.int32]  # (rows, columns)
    indices: NDArray[np.int32]  # (rows, other columns): which of the column's values
    values: tuple[pa.Array, ...]  # of each other column
    counts: NDArray[np.int64]  # (rows,)

    @classmethod
    def of(cls, con: Connection, columns: Sequence[str], maps: Sequence[Map], others: Sequence[str] = ()) -> Here:
        """Out of the distinct combinations that were loaded, of which `others` must be columns as well."""
        tuples = distinct_tuples(con)
        raw, rest = ([tuples.column(name).chunk(0) for name in names] for names in (columns, others))
        numbers = [numbers[_indices(column)] for column, (_, numbers) in zip(raw, maps, strict=True)]
        return cls(
            _side_by_side(numbers, tuples.num_rows),
            _side_by_side([_indices(column) for column in rest], tuples.num_rows),
            tuple(column.dictionary for column in rest),
            tuples.column(tuples.num_columns - 1).to_numpy().astype(np.int64),
        ).merged()

    def merged(self) -> Here:
        """Equal rows as one."""
        codes, columns = np.concatenate([self.numbers, self.indices], axis=1), self.numbers.shape[1]
        layout = Layout.for_domains([int(column.max(initial=0)) + 1 for column in codes.T])
        keys, counts, _ = group_sum(layout.pack(codes), self.counts)
        fields = [layout.unpack(keys, c) for c in range(codes.shape[1])]
        return replace(
            self,
            numbers=_side_by_side(fields[:columns], len(keys)),
            indices=_side_by_side(fields[columns:], len(keys)),
            counts=counts,
        )

    def only(self, chosen: NDArray[np.bool_], numbers: NDArray[np.int32] | None = None) -> Here:
        """Some of the rows; with other numbers, if any are given for those."""
        kept = self.numbers[chosen] if numbers is None else numbers
        return replace(self, numbers=kept, indices=self.indices[chosen], counts=self.counts[chosen])

    def table(self, words: Words) -> pa.Table:
        """For Spark: words, the other columns as o0, o1, …, and n."""
        others = {f"o{i}": held.take(pa.array(self.indices[:, i])) for i, held in enumerate(self.values)}
        return pa.table({**words.pack(self.numbers), **others, N: self.counts})


def apply(jobs: Jobs, con: Connection, schema: Schema, loaded: Loaded, recoding: LevelRecoding) -> Outcome:
    """Every class shows values of one level for each column."""
    session = jobs.session
    columns, others = recoding.columns, others_of(loaded, recoding.columns)
    raw = [raw_values(con, name, hierarchy) for name, hierarchy in zip(columns, recoding.hierarchies, strict=True)]
    groups = [hierarchy.groups[level] for hierarchy, level in zip(recoding.hierarchies, recoding.levels, strict=True)]
    maps = [(values, group[leaves]) for (values, leaves), group in zip(raw, groups, strict=True)]
    words = Words.of("w", [int(group.max(initial=0)) + 1 for group in groups])
    dropped = words.pack(recoding.suppressed)
    here = Here.of(con, columns, maps)
    if here.counts.sum() != loaded.records:
        raise InternalError(
            f"Recoding reached {here.counts.sum():,} of {loaded.records:,} records; nothing was published."
        )
    hidden = among(words.pack(here.numbers), dropped)

    def some(names: Sequence[str]) -> DataFrame:
        """The published rows with only these of the other columns, from the driver."""
        here = Here.of(con, columns, maps, names)
        kept = here.only(~among(words.pack(here.numbers), dropped))
        return to_spark(session, kept.table(words), [*[None] * words.width, *map(loaded.kind, names)])

    counted = set(others) <= set(loaded.grouped)
    if counted:
        rows = some(others)
    else:
        rows = packed(session, loaded, columns, maps, words)
        if hidden.any():
            rows = rows.join(small(session, pa.table(dropped)), words.names, "left_anti")
    classes, sizes = classes_in_order(words, here.numbers[~hidden], here.counts[~hidden])
    labels = tuple(_labels(session, loaded, recoding, c, *maps[c]) for c in range(len(columns)))
    release = TupleRelease(rows, counted, words, columns, others, labels, classes, sizes, lambda name: some([name]))
    return Outcome(Written(release.records, loaded.records - release.records), release)


def packed(
    session: SparkSession, loaded: Loaded, columns: Sequence[str], maps: Sequence[Map], words: Words
) -> DataFrame:
    """All records: words of a number for each of `columns`, the other columns as o0, o1, …, and n, which is 1.

    A value that is in none of the maps is lost with its record, and missed when what is written is counted.
    """
    rows = loaded.data
    for c, (name, (values, numbers)) in enumerate(zip(columns, maps, strict=True)):
        place = loaded.place(name)
        table = pa.table({f"raw{c}": values, f"number{c}": pa.array(numbers, pa.int32())})
        known = small(session, table, [loaded.kind(name)])
        raw = sql.col(f"raw{c}")  # the comparison that knows missing values costs more
        rows = rows.join(known, sql.col(place).eqNullSafe(raw) if values.null_count else sql.col(place) == raw)
    keys = words.packed([sql.col(f"number{c}") for c in range(len(columns))])
    others = [sql.col(loaded.place(name)).alias(f"o{i}") for i, name in enumerate(others_of(loaded, columns))]
    return rows.select(*keys, *others, sql.lit(1).cast("long").alias(N))


def _indices(column: pa.DictionaryArray) -> NDArray[np.int32]:
    return np.asarray(column.indices.to_numpy(zero_copy_only=False), np.int32)


def _side_by_side(columns: Sequence[NDArray[Any]], rows: int) -> NDArray[np.int32]:
    """(rows, columns); there may be none"""
    return np.stack(columns, axis=1).astype(np.int32) if columns else np.empty((rows, 0), np.int32)


def others_of(loaded: Loaded, columns: Sequence[str]) -> tuple[str, ...]:
    """The published columns that are not recoded."""
    return tuple(name for name in loaded.names if name not in columns)


def small(session: SparkSession, table: pa.Table, kinds: Sequence[types.DataType | None] = ()) -> DataFrame:
    """A table that each worker is given whole, unless it is too large for that."""
    frame = to_spark(session, table, kinds)
    return sql.broadcast(frame) if table.num_rows <= _FEW else frame


def label_table(
    session: SparkSession, c: int, numbers: NDArray[np.int32], labels: pa.Array, kind: types.DataType | None = None
) -> DataFrame:
    """Always given whole to each worker: any other join would put rows out of order."""
    table = pa.table({f"number{c}": pa.array(numbers, pa.int32()), f"label{c}": labels})
    return sql.broadcast(to_spark(session, table, [None, kind]))


def among(rows: dict[str, NDArray[np.int64]], some: dict[str, NDArray[np.int64]]) -> NDArray[np.bool_]:
    """(rows,): whether the words of each are among those of `some`."""
    left, right = (np.stack(list(words.values()), axis=1) for words in (rows, some))
    if left.shape[1] > 1:
        _, number = np.unique(np.concatenate([left, right]), axis=0, return_inverse=True)
        left, right = np.split(number.reshape(-1, 1), [len(left)])
    return np.isin(left[:, 0], right[:, 0])


def _labels(
    session: SparkSession, loaded: Loaded, recoding: LevelRecoding, c: int, values: pa.Array, numbers: NDArray[np.int32]
) -> DataFrame:
    """number → published value. A column left at level 0 keeps its type."""
    if recoding.levels[c] == 0:
        return label_table(session, c, numbers, values, loaded.kind(recoding.columns[c]))
    labels = pa.array(recoding.labels(c), pa.string())
    return label_table(session, c, np.arange(len(labels), dtype=np.int32), labels)
