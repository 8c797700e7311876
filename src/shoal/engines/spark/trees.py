"""Trees in Spark: an array of numbers for each record, as the local engine holds them, beside its single values.

Nested records are folded by the workers. What comes to the driver are the values of the classes, and, when it is asked, the
distinct trees with their numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as sql
from pyspark.sql import types

from shoal.data.schema import Role
from shoal.data.trees import TREE, Forest
from shoal.engines.engine import Domain
from shoal.engines.local.frequency_set import count_name
from shoal.engines.spark.load import KEPT, Loaded, N, frame_of, to_spark
from shoal.engines.trees import Leaves, value_numbers
from shoal.errors import DataError
from shoal.io.trees.fold import TreeFold
from shoal.io.trees.originals import vocabularies_of
from shoal.io.trees.unfold import Wording, unfold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import DataFrame

    from shoal.data.paths import FieldPath
    from shoal.data.schema import Schema
    from shoal.data.trees import TreeShape
    from shoal.engines.local.connection import Connection
    from shoal.engines.spark.jobs import Jobs
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.io.source import Source

LISTS = pa.list_(pa.int64())
NUMBERS = types.ArrayType(types.LongType())
_LABEL = (1 << 32) - 1  # the bits of a node that are its label
_FOUND = types.StructType(
    [types.StructField("class", types.IntegerType()), types.StructField("text", types.StringType())]
)


@dataclass(frozen=True, eq=False)
class LoadedTrees:
    loaded: Loaded  # c0, c1, …: single values; `names` goes on with the classes, which have no column
    wording: Wording  # of the numbers in the column of trees


def load(jobs: Jobs, con: Connection, source: Source, schema: Schema) -> LoadedTrees:
    """Leaves the table `tuples` in the driver's connection, of the sensitive columns."""
    fold = TreeFold.of_schema(schema, source.missing)
    if source.kind == "spark" or source.files:
        frame = _fields(frame_of(jobs.session, source), fold)
        vocabularies = vocabularies_in(jobs, frame, fold, source.records)
        data = _folded(frame, fold, vocabularies)
    else:  # it is in the driver, so it is folded there
        vocabularies = vocabularies_of(fold, source.batches())
        batches = [_ordinary(fold.packed(batch, vocabularies)) for batch in source.batches()]
        if batches:
            data = to_spark(jobs.session, pa.Table.from_batches(batches), keep=(TREE,))
        else:
            none = [types.StructField(name, types.IntegerType()) for name in schema.scalars]
            data = jobs.session.createDataFrame([], types.StructType([*none, types.StructField(TREE, NUMBERS)]))
    scalars = schema.scalars
    data = data.toDF(*(f"c{place}" for place in range(len(data.columns) - 1)), TREE).persist(KEPT)
    grouped = schema.names(Role.SENSITIVE)
    keys = [f"c{scalars.index(name)}" for name in grouped]
    counting = data.groupBy(*keys).agg(sql.count(sql.lit(1)).alias(N))
    table = jobs.run("load", "folding the records", counting.toArrow, rows=source.records)
    con.register("collected", table.rename_columns([*grouped, count_name(grouped)]))
    con.run("CREATE TEMP TABLE tuples AS SELECT * FROM collected")
    con.unregister("collected")
    records = int(pc.sum(table.column(N)).as_py() or 0)
    if source.records is not None and records != source.records:
        raise DataError(f"Spark read {records:,} records of {source.name}, which says it holds {source.records:,}.")
    loaded = Loaded(data, (*scalars, *schema.shape.names), grouped, records)
    return LoadedTrees(loaded, wording_of(fold.shape, vocabularies))


def wording_of(shape: TreeShape, vocabularies: Mapping[str, pa.Array]) -> Wording:
    return Wording(shape, tuple(vocabularies[name] for name in shape.names))


def vocabularies_in(jobs: Jobs, frame: DataFrame, fold: TreeFold, records: int | None = None) -> dict[str, pa.Array]:
    """By class, the values that records hold, sorted as texts. frame: nested records."""

    def found(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        seen = vocabularies_of(fold, batches)
        for number, name in enumerate(fold.shape.names):
            texts = seen[name].cast(pa.string())
            numbers = pa.array(np.full(len(texts), number, np.int32))
            yield pa.RecordBatch.from_arrays([numbers, texts], ["class", "text"])

    distinct = frame.mapInArrow(found, _FOUND).distinct()
    table = jobs.run("load", "looking for values", distinct.toArrow, rows=records)
    made = {}
    for number, name in enumerate(fold.shape.names):
        texts = table.column("text").filter(pc.equal(table.column("class"), number))
        plain = pa.concat_arrays(
            [chunk.cast(pa.large_string()) for chunk in texts.chunks] or [pa.array([], pa.large_string())]
        )
        made[name] = plain.take(pc.sort_indices(plain))
    return made


def originals_in(jobs: Jobs, frame: DataFrame, schema: Schema, missing: tuple[str, ...]) -> DataFrame:
    """Nested records of Spark in the form in which trees are published, with their raw values."""
    fold = TreeFold.of_schema(schema, missing)
    frame = _fields(frame, fold)
    vocabularies = vocabularies_in(jobs, frame, fold)
    packed, wording = _folded(frame, fold, vocabularies), wording_of(fold.shape, vocabularies)
    fields = [field for field in packed.schema.fields if field.name != TREE]

    def made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            others = [batch.column(field.name) for field in fields]
            names = [*(field.name for field in fields), *fold.shape.names]
            yield pa.RecordBatch.from_arrays([*others, *unfold(Forest.of_packed(batch.column(TREE)), wording)], names)

    classes = [types.StructField(name, nested(fold.shape, name)) for name in fold.shape.names]
    return packed.mapInArrow(made, types.StructType([*fields, *classes])).toDF(*schema.scalars, *fold.shape.names)


def nested(shape: TreeShape, name: str) -> types.ArrayType:
    """The type of the published column of a class."""
    below = [types.StructField(child, nested(shape, child)) for child in shape.under(name)]
    return types.ArrayType(types.StructType([types.StructField("value", types.StringType()), *below]))


def domain(jobs: Jobs, trees: LoadedTrees, name: str) -> Domain:
    """The values of a class, each with the number of records that hold it."""
    number = trees.wording.shape.names.index(name)
    first, last = trees.wording.first[number : number + 2].tolist()
    label = sql.explode(sql.array_distinct(sql.transform(TREE, lambda node: node.bitwiseAND(sql.lit(_LABEL)))))
    counted = trees.loaded.data.select(label.alias("label")).where(
        (sql.col("label") >= first) & (sql.col("label") < last)
    )
    action = counted.groupBy("label").agg(sql.count(sql.lit(1)).alias(N)).toArrow
    table = jobs.run("load", "counting values", action, rows=trees.loaded.records)
    texts = trees.wording.texts[number].to_pylist()
    found = dict(zip(table.column("label").to_pylist(), table.column(N).to_pylist(), strict=True))
    return Domain({text: found[first + place] for place, text in enumerate(texts)})


def forest(
    jobs: Jobs,
    con: Connection,
    trees: LoadedTrees,
    hierarchies: Mapping[str, Hierarchy],
    sensitive: str | None = None,
) -> Forest:
    leaves = Leaves.of(trees.wording, hierarchies)
    keys = [TREE] if sensitive is None else [TREE, trees.loaded.place(sensitive)]
    counting = trees.loaded.data.groupBy(*keys).agg(sql.count(sql.lit(1)).alias(N))
    con.register("collected", jobs.run("count", "counting the trees", counting.toArrow, rows=trees.loaded.records))
    by = ", ".join(keys)
    found = con.table(f"SELECT {by}, {N} FROM collected ORDER BY {by}")  # as they come from every engine
    con.unregister("collected")
    records = found.column(found.num_columns - 1).to_numpy().astype(np.int64)
    values = None if sensitive is None else value_numbers(found.column(1))
    return leaves.forest(Forest.of_packed(found.column(0), records, values))


def _folded(frame: DataFrame, fold: TreeFold, vocabularies: Mapping[str, pa.Array]) -> DataFrame:
    """x0, x1, …: the single values; and the trees."""

    def folded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            made = fold.packed(batch, vocabularies)
            columns = [*made.columns[:-1], made.column(made.num_columns - 1).cast(LISTS)]
            yield pa.RecordBatch.from_arrays(columns, [*(f"x{i}" for i in range(len(columns) - 1)), TREE])

    fields = [types.StructField(f"x{i}", _kind(frame.schema, path)) for i, (_, path) in enumerate(fold.scalars)]
    return frame.mapInArrow(folded, types.StructType([*fields, types.StructField(TREE, NUMBERS)]))


def _fields(frame: DataFrame, fold: TreeFold) -> DataFrame:
    """With those columns only in which something lies that is published."""
    used = {str(path.parts[0]) for path in (*fold.paths, *(path for _, path in fold.scalars))}
    kept = [name for name in frame.columns if name in used]
    return frame.select(*(sql.col("`" + name.replace("`", "``") + "`").alias(name, metadata={}) for name in kept))


def _kind(at: types.DataType, path: FieldPath) -> types.DataType:
    for name in path.parts:
        assert isinstance(at, types.StructType)
        at = at[str(name)].dataType
    return at


def _ordinary(batch: pa.RecordBatch) -> pa.RecordBatch:
    place = batch.schema.names.index(TREE)
    columns = [column.cast(LISTS) if i == place else column for i, column in enumerate(batch.columns)]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)
