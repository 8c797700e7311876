"""A release of single values: rows carry what the quasi-identifiers show as numbers, packed into words.

Which classes there are, and how large, is known in the driver. So a class lies in one file, and rows are compared as numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as sql

from shoal.engines.spark.files import file_count
from shoal.engines.spark.frames import N

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame

    from shoal.engines.spark.words import Words

_PIECE = 1 << 16  # a row that stands for more records is cut, so that no worker has to multiply out all of them at once


@dataclass(frozen=True, eq=False)
class TupleRelease:
    """Published rows, by number."""

    rows: DataFrame  # words of what the quasi-identifiers show, o0, o1, …: the other columns, and n
    counted: bool  # whether a row may stand for several records
    words: Words
    columns: tuple[str, ...]  # the quasi-identifiers, as they lie in the words
    others: tuple[str, ...]
    labels: tuple[DataFrame, ...]  # of each quasi-identifier: number, label
    classes: NDArray[np.int64]  # (classes, words), in order
    sizes: NDArray[np.int64]  # (classes,) records
    values: Callable[[str], DataFrame]  # of one of the other columns: words, the column as o0, and n

    @property
    def records(self) -> int:
        return int(self.sizes.sum())

    @property
    def keys(self) -> tuple[str, ...]:
        """Columns of `rows` that are equal where the quasi-identifiers show the same."""
        return tuple(self.words.names)

    def names(self, names: Sequence[str]) -> list[str]:
        """The columns of the release. names: those of the data."""
        return list(names)

    def in_order(self, names: Sequence[str]) -> DataFrame:
        """See `Release.in_order`."""
        words, others = self.words, [f"o{i}" for i in range(len(self.others))]
        if self.counted:
            rows, rest = _pieces(self.rows), [*others, "piece"]
        else:
            rows, rest = self.rows.drop(N), others
        order = [sql.col(name).asc_nulls_last() for name in (*words.names, *rest)]
        # Spark compares numbers quickly and rows slowly: so by a hash of what is published. Where the first word does not tell
        # classes apart, a hash after it would scatter them.
        if not self.counted and words.width == 1:
            order = [words.first_then(sql.xxhash64(*rest)), *order]
        files = file_count(self.records)
        dealt = rows.repartitionById(files, file_of(self, files, rest)).sortWithinPartitions(*order)
        for c, labels in enumerate(self.labels):  # after the sort, which then moves numbers; these joins keep the order
            dealt = dealt.withColumn(f"at{c}", words.number(c)).join(labels, sql.col(f"at{c}") == sql.col(f"number{c}"))
        shown = {name: sql.col(f"label{c}") for c, name in enumerate(self.columns)}
        shown |= {name: sql.col(f"o{i}") for i, name in enumerate(self.others)}
        columns = [shown[name].alias(f"c{place}", metadata={}) for place, name in enumerate(names)]
        return dealt.select(*columns, N) if self.counted else dealt.select(*columns)


def _pieces(rows: DataFrame) -> DataFrame:
    """The same records in rows of which none stands for very many."""
    number = sql.explode(sql.sequence(sql.lit(0).cast("long"), sql.expr(f"({N} - 1) div {_PIECE}"))).alias("piece")
    return rows.select("*", number).withColumn(
        N, sql.least(sql.lit(_PIECE).cast("long"), sql.col(N) - sql.col("piece") * _PIECE)
    )


def file_of(release: TupleRelease, files: int, rest: Sequence[str]) -> Column:
    """The number of a row's file. A class lies in one file, unless it fills several: then what else is published decides."""
    share = max(1, -(-release.records // files))
    ends = np.cumsum(release.sizes)
    first, last = (ends - release.sizes) // share, (ends - 1) // share
    starts = np.flatnonzero(np.diff(first, prepend=0))  # the first class of each file but the first
    file = _search(release.words.names, release.classes[starts], [0, *first[starts].tolist()])
    for giant in np.flatnonzero(last - first >= 2):
        among = sql.pmod(sql.xxhash64(*rest), sql.lit(int(last[giant] - first[giant]) + 1))
        is_it = sql.lit(True)
        for name, value in zip(release.words.names, release.classes[giant].tolist(), strict=True):
            is_it = is_it & (sql.col(name) == value)
        file = sql.when(is_it, sql.lit(int(first[giant])) + among).otherwise(file)
    return file.cast("int")


def _search(names: Sequence[str], starts: NDArray[np.int64], values: Sequence[int]) -> Column:
    """values[number of `starts` that are not beyond the row's words], found by halving."""
    if not len(starts):
        return sql.lit(values[0]).cast("long")
    middle = len(starts) // 2
    before = sql.lit(False)
    for name, bound in reversed(list(zip(names, starts[middle].tolist(), strict=True))):
        before = (sql.col(name) < bound) | ((sql.col(name) == bound) & before)
    return sql.when(before, _search(names, starts[:middle], values[: middle + 1])).otherwise(
        _search(names, starts[middle + 1 :], values[middle + 1 :])
    )


def classes_in_order(
    words: Words, numbers: NDArray[np.int32], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The words of classes in the order of the release, and the records of each. numbers: (classes, columns)"""
    classes = np.stack(list(words.pack(numbers).values()), axis=1)
    order = np.lexsort(classes.T[::-1])
    return classes[order], counts[order]
