"""apply, when items are shown as labels of their hierarchy: every record's list goes through a small table on the workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as sql
from pyspark.sql import types

from shoal.data.itemsets import ItemSets
from shoal.engines.engine import Written
from shoal.engines.spark.apply.levels import others_of
from shoal.engines.spark.files import in_files
from shoal.engines.spark.frames import N
from shoal.engines.spark.release import Assignment, Outcome
from shoal.engines.spark.sets import SetRelease, domain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

    from shoal.data.schema import Schema
    from shoal.engines.driver.connection import Connection
    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.jobs import Jobs
    from shoal.recoding.sets.items import ItemRecoding

_LISTS = pa.list_(pa.string())


def apply(jobs: Jobs, con: Connection, schema: Schema, loaded: Loaded, recoding: ItemRecoding) -> Outcome:
    """Items are shown as labels of their hierarchy."""
    recoding.refuse_strangers(domain(jobs, con, loaded, recoding.column).counts)
    others = others_of(loaded, (recoding.column,))
    kept = [sql.col(loaded.place(name)).alias(f"o{i}") for i, name in enumerate(others)]
    held = loaded.data.select(*kept, sql.col(loaded.place_of_set(recoding.column)).alias("raw"))
    show = _Show(recoding)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from show(batches)

    shown = types.StructField("s0", types.ArrayType(types.StringType()))
    rows = held.mapInArrow(run, types.StructType([*held.schema.fields, shown]))
    release = SetRelease(rows, ("s0",), (recoding.column,), others, loaded.records)
    names = (
        f"raw:{recoding.column}",
        f"shown:{recoding.column}",
        *(f"other:{name}" for name in others),
        "records",
    )
    assignment = Assignment(lambda: _assigned(release), names, loaded.records)
    return Outcome(Written(loaded.records, 0), release, assignment)


def _assigned(release: SetRelease) -> DataFrame:
    others = [f"o{i}" for i in range(len(release.others))]
    counted = release.rows.groupBy("s0", *others, "raw").agg(sql.count(sql.lit(1)).alias(N))
    ordered = in_files(counted, ["s0", *others, "raw"], release.records)
    rows = ordered.select("raw", "s0", *others, N)
    return rows.toDF(*(f"c{place}" for place in range(len(rows.columns))))


@dataclass(frozen=True, eq=False)
class _Show:
    """What a task does: rows with the raw list last, and what each shows added."""

    recoding: ItemRecoding

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        column, part_of = self.recoding.column, self.recoding.part_of
        for batch in batches:
            raw = batch.column(batch.num_columns - 1)
            parts = None
            if part_of is not None:
                parts = part_of(pa.RecordBatch.from_arrays([raw], [column])).to_numpy(zero_copy_only=False)
            shown = self.recoding.over(ItemSets.of_lists(raw, self.recoding.items, column), parts).lists()
            yield pa.RecordBatch.from_arrays([*batch.columns, shown.cast(_LISTS)], [*batch.schema.names, "s0"])
