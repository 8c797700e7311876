"""load, where records are trees: the workers fold nested records, or the driver, where they lie there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as sql
from pyspark.sql import types

from shoal.data.trees import TREE
from shoal.engines.spark.frames import EMPTY, KEPT, Loaded, N, frame_of, keep_tuples, to_spark
from shoal.engines.spark.missing import is_missing
from shoal.engines.spark.trees import LISTS, NUMBERS, fold_frame, used_fields, vocabularies_in, wording_of
from shoal.errors import DataError
from shoal.io.trees.fold import TreeFold
from shoal.io.trees.originals import vocabularies_of

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.engines.driver.connection import Connection
    from shoal.engines.spark.jobs import Jobs
    from shoal.io.source import Source


def load(jobs: Jobs, con: Connection, source: Source, schema: Schema) -> Loaded:
    """Records that are trees. `tuples` are those of the sensitive columns."""
    fold = TreeFold.of_schema(schema, source.missing)
    if source.frame is not None or source.files:
        frame = used_fields(frame_of(jobs.session, source), fold)
        vocabularies = vocabularies_in(jobs, frame, fold, source.records)
        data = fold_frame(frame, fold, vocabularies)
    else:  # it is in the driver, so it is folded there
        vocabularies = vocabularies_of(fold, source.batches())
        batches = [_ordinary(fold.packed(batch, vocabularies)) for batch in source.batches()]
        if batches:
            data = to_spark(jobs.session, pa.Table.from_batches(batches), keep=(TREE,))
        else:
            none = [types.StructField(name, types.IntegerType()) for name in schema.scalars]
            data = jobs.session.createDataFrame([], types.StructType([*none, types.StructField(TREE, NUMBERS)]))
    scalars = schema.scalars
    data = data.toDF(*(f"c{place}" for place in range(len(data.columns) - 1)), TREE)
    empty = sql.size(TREE) == 0
    for field in data.schema.fields[:-1]:
        empty = empty & is_missing(sql.col(field.name), field.dataType)
    data = data.withColumn(EMPTY, empty).persist(KEPT)
    grouped = schema.grouped
    keys = [f"c{scalars.index(name)}" for name in grouped]
    counting = data.groupBy(*keys, EMPTY).agg(sql.count(sql.lit(1)).alias(N))
    table = jobs.run("load", "folding the records", counting.toArrow, rows=source.records)
    read = int(pc.sum(table.column(N)).as_py() or 0)
    if source.records is not None and read != source.records:
        raise DataError(f"Spark read {read:,} records of {source.name}, which says it holds {source.records:,}.")
    table = table.filter(pc.invert(table.column(EMPTY)))
    records = int(pc.sum(table.column(N)).as_py() or 0)
    data = (data.where(~sql.col(EMPTY)) if records < read else data).drop(EMPTY)
    keep_tuples(con, table.drop_columns([EMPTY]), grouped)
    # c0, c1, …: single values; `names` goes on with the classes, which have no column
    names, wording = (*scalars, *schema.shape.names), wording_of(fold.shape, vocabularies)
    return Loaded(data, names, grouped, records, empty=read - records, wording=wording)


def _ordinary(batch: pa.RecordBatch) -> pa.RecordBatch:
    place = batch.schema.names.index(TREE)
    columns = [column.cast(LISTS) if i == place else column for i, column in enumerate(batch.columns)]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)
