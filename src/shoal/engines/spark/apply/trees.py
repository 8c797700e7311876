"""apply, when records are trees: the workers show each its own. Rows are sorted as numbers, and unfolded when they are in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as sql
from pyspark.sql import types

from shoal.data.trees import TREE
from shoal.engines.driver.trees import ShownTrees
from shoal.engines.engine import Written
from shoal.engines.spark.files import in_files
from shoal.engines.spark.frames import N
from shoal.engines.spark.release import Assignment, Outcome
from shoal.engines.spark.trees import LISTS, NUMBERS, nested

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame

    from shoal.data.schema import Schema
    from shoal.engines.driver.connection import Connection
    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.jobs import Jobs
    from shoal.recoding.trees.classes import TreeClassRecoding
    from shoal.recoding.trees.rules import TreeRecoding

_RAW = "raw"  # the column of the trees as they are held


@dataclass(frozen=True, eq=False)
class TreeRelease:
    """Published rows of trees."""

    rows: DataFrame  # o0, o1, …: the single values; the shown trees by number; and `raw`, where an assignment is needed
    others: tuple[str, ...]
    records: int
    trees: ShownTrees
    counted: bool = False  # a row is one record

    keys = (TREE,)

    def names(self, names: Sequence[str]) -> list[str]:
        """As those of the data."""
        return list(names)

    def values(self, name: str) -> DataFrame:
        """Of one of the other columns: keys, the column as o0, and n."""
        value = sql.col(f"o{self.others.index(name)}").alias("o0")
        return self.rows.select(TREE, value, sql.lit(1).cast("long").alias(N))

    def in_order(self, names: Sequence[str]) -> DataFrame:
        """The published rows as c0, c1, …: single values, then classes, which is the order of `names`."""
        shown, number = self.trees, len(self.others)
        ordered = in_files(self.rows.select(*_kept(number), TREE), [TREE, *_kept(number)], self.records)

        def unfolded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                columns = [*batch.columns[:number], *shown.columns(batch.column(number))]
                yield pa.RecordBatch.from_arrays(columns, [f"c{i}" for i in range(len(columns))])

        kinds = [
            *(field.dataType for field in ordered.schema.fields[:number]),
            *(nested(shown.shape, n) for n in shown.shape.names),
        ]
        return ordered.mapInArrow(unfolded, _columns(kinds))


def apply(
    jobs: Jobs, con: Connection, schema: Schema, loaded: Loaded, recoding: TreeRecoding | TreeClassRecoding
) -> Outcome:
    """Each record shows a tree of its own, or that of its class."""
    shown, others = ShownTrees(loaded.trees, recoding), schema.scalars
    number = len(others)
    _ = shown.leaves  # strangers are refused here, not by a worker
    kept = [sql.col(loaded.place(name)).alias(f"o{i}") for i, name in enumerate(others)]
    held = loaded.data.select(*kept, TREE)
    by_classes = shown.by_classes

    def show(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            raw = batch.column(number)
            columns = [*batch.columns[:number], shown.over(raw).cast(LISTS), *([raw] if by_classes else [])]
            names = [*batch.schema.names, *([_RAW] if by_classes else [])]
            yield pa.RecordBatch.from_arrays(columns, names)

    extra = [types.StructField(_RAW, NUMBERS)] if by_classes else []
    rows = held.mapInArrow(show, types.StructType([*held.schema.fields, *extra]))
    release = TreeRelease(rows, others, loaded.records, shown)
    written = Written(loaded.records, 0)
    if not by_classes:
        return Outcome(written, release)
    names = (_RAW, "shown", *(f"other:{name}" for name in others), "records")
    return Outcome(written, release, Assignment(lambda: _assigned(release), names, loaded.records))


def _assigned(release: TreeRelease) -> DataFrame:
    """raw, shown, other columns and records, as c0, c1, …"""
    shown, number = release.trees, len(release.others)
    keys = [TREE, *_kept(number), _RAW]
    counted = release.rows.groupBy(*keys).agg(sql.count(sql.lit(1)).alias(N))
    ordered = in_files(counted, keys, release.records).select(_RAW, TREE, *_kept(number), N)

    def as_texts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            texts = [text.cast(pa.string()) for text in shown.texts(batch.column(0), batch.column(1))]
            columns = [*texts, *batch.columns[2:]]
            yield pa.RecordBatch.from_arrays(columns, [f"c{i}" for i in range(len(columns))])

    text = types.StringType()
    return ordered.mapInArrow(
        as_texts, _columns([text, text, *(field.dataType for field in ordered.schema.fields[2:])])
    )


def _kept(number: int) -> list[str]:
    return [f"o{i}" for i in range(number)]


def _columns(kinds: Sequence[types.DataType]) -> types.StructType:
    return types.StructType([types.StructField(f"c{i}", kind) for i, kind in enumerate(kinds)])
