"""Trees in Spark: an array of numbers for each record, as the local engine holds them, beside its single values.

Nested records are folded by the workers. What comes to the driver are the values of the classes, and, when it is asked, the
distinct trees with their numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as sql
from pyspark.sql import types

from shoal.data.trees import TREE, Forest
from shoal.engines.driver.trees import Leaves, value_numbers
from shoal.engines.engine import Domain, SameTrees
from shoal.engines.spark.frames import N
from shoal.io.trees.fold import TreeFold
from shoal.io.trees.originals import vocabularies_of
from shoal.io.trees.unfold import Wording, unfold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import Column, DataFrame

    from shoal.data.paths import FieldPath
    from shoal.data.schema import Schema
    from shoal.data.trees import TreeShape
    from shoal.engines.driver.connection import Connection
    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.jobs import Jobs
    from shoal.hierarchies.hierarchy import Hierarchy

LISTS = pa.list_(pa.int64())
NUMBERS = types.ArrayType(types.LongType())
_LABEL = (1 << 32) - 1  # the bits of a node that are its label
_FOUND = types.StructType(
    [types.StructField("class", types.IntegerType()), types.StructField("text", types.StringType())]
)


def wording_of(shape: TreeShape, vocabularies: Mapping[str, pa.Array]) -> Wording:
    """Of trees whose numbers are places in these vocabularies."""
    return Wording(shape, tuple(vocabularies[name] for name in shape.names))


def vocabularies_in(jobs: Jobs, frame: DataFrame, fold: TreeFold, records: int | None = None) -> dict[str, pa.Array]:
    """By class, the values that records hold, sorted as texts. frame: nested records."""

    def values_of(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        seen = vocabularies_of(fold, batches)
        for number, name in enumerate(fold.shape.names):
            texts = seen[name].cast(pa.string())
            numbers = pa.array(np.full(len(texts), number, np.int32))
            yield pa.RecordBatch.from_arrays([numbers, texts], ["class", "text"])

    distinct = frame.mapInArrow(values_of, _FOUND).distinct()
    table = jobs.run("load", "looking for values", distinct.toArrow, rows=records)
    vocabularies = {}
    for number, name in enumerate(fold.shape.names):
        texts = table.column("text").filter(pc.equal(table.column("class"), number))
        plain = pa.concat_arrays(
            [chunk.cast(pa.large_string()) for chunk in texts.chunks] or [pa.array([], pa.large_string())]
        )
        vocabularies[name] = plain.take(pc.sort_indices(plain))
    return vocabularies


def originals_in(jobs: Jobs, frame: DataFrame, schema: Schema, missing: tuple[str, ...]) -> DataFrame:
    """Nested records of Spark in the form in which trees are published, with their raw values."""
    fold = TreeFold.of_schema(schema, missing)
    frame = used_fields(frame, fold)
    vocabularies = vocabularies_in(jobs, frame, fold)
    packed, wording = fold_frame(frame, fold, vocabularies), wording_of(fold.shape, vocabularies)
    fields = [field for field in packed.schema.fields if field.name != TREE]

    def unfolded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            others = [batch.column(field.name) for field in fields]
            names = [*(field.name for field in fields), *fold.shape.names]
            yield pa.RecordBatch.from_arrays([*others, *unfold(Forest.of_packed(batch.column(TREE)), wording)], names)

    classes = [types.StructField(name, nested(fold.shape, name)) for name in fold.shape.names]
    return packed.mapInArrow(unfolded, types.StructType([*fields, *classes])).toDF(*schema.scalars, *fold.shape.names)


def nested(shape: TreeShape, name: str) -> types.ArrayType:
    """The type of the published column of a class."""
    below = [types.StructField(child, nested(shape, child)) for child in shape.under(name)]
    return types.ArrayType(types.StructType([types.StructField("value", types.StringType()), *below]))


def domain(jobs: Jobs, loaded: Loaded, name: str) -> Domain:
    """The values of a class, each with the number of records that hold it."""
    number = loaded.trees.shape.names.index(name)
    first, last = loaded.trees.first[number : number + 2].tolist()
    label = sql.explode(sql.array_distinct(sql.transform(TREE, lambda node: node.bitwiseAND(sql.lit(_LABEL)))))
    counted = loaded.data.select(label.alias("label")).where((sql.col("label") >= first) & (sql.col("label") < last))
    action = counted.groupBy("label").agg(sql.count(sql.lit(1)).alias(N)).toArrow
    table = jobs.run("load", "counting values", action, rows=loaded.records)
    texts = loaded.trees.texts[number].to_pylist()
    records = dict(zip(table.column("label").to_pylist(), table.column(N).to_pylist(), strict=True))
    return Domain({text: records[first + place] for place, text in enumerate(texts)})


def forest(
    jobs: Jobs,
    con: Connection,
    loaded: Loaded,
    hierarchies: Mapping[str, Hierarchy],
    sensitive: str | None = None,
    most: int | None = None,
) -> Forest:
    """The distinct trees, with the number of records of each; see `Engine.forest`."""
    leaves = Leaves.of(loaded.trees, hierarchies)
    keys = [TREE] if sensitive is None else [TREE, loaded.place(sensitive)]
    last = None if most is None or loaded.records <= most else _last_hash(jobs, loaded, most)
    some = loaded.data if last is None else loaded.data.where(_hash() <= last)
    counting = some.groupBy(*keys).agg(sql.count(sql.lit(1)).alias(N))
    con.register("collected", jobs.run("count", "counting the trees", counting.toArrow, rows=loaded.records))
    by = ", ".join(keys)
    counted = con.table(f"SELECT {by}, {N} FROM collected ORDER BY {by}")  # as they come from every engine
    con.unregister("collected")
    records = counted.column(counted.num_columns - 1).to_numpy().astype(np.int64)
    values = None if sensitive is None else value_numbers(counted.column(1))
    found = Forest.of_packed(counted.column(0), records, values)
    return leaves.forest(found if last is None else replace(found, sampled_from=loaded.records))


def same_trees(jobs: Jobs, loaded: Loaded) -> SameTrees:
    """Grouped by the workers; one row for each number of records comes back."""
    by_tree = loaded.data.groupBy(TREE).agg(sql.count(sql.lit(1)).alias(N)).select(N, sql.size(TREE).alias("nodes"))
    both = (sql.sum(sql.col(N) * sql.col("nodes")), sql.sum("nodes"))
    action = by_tree.groupBy(N).agg(sql.count(sql.lit(1)), *both).orderBy(N).collect
    rows = jobs.run("count", "counting the trees", action, rows=loaded.records)
    return SameTrees(
        {int(row[0]): int(row[1]) for row in rows}, sum(int(row[2]) for row in rows), sum(int(row[3]) for row in rows)
    )


def _hash() -> Column:
    """The same on every engine: digits of a list of numbers, and of their digest half, which is enough to tell trees apart."""
    return sql.substring(sql.md5(sql.array_join(sql.col(TREE).cast("array<string>"), ",").cast("binary")), 1, 16)


def _last_hash(jobs: Jobs, loaded: Loaded, most: int) -> str | None:
    """The hash up to which there are so many different trees; None where there are no more. The workers put them in order, and two
    come back."""
    hashes = loaded.data.select(_hash().alias("hash")).distinct().orderBy("hash")
    found = jobs.run("count", "choosing trees", hashes.offset(most - 1).limit(2).toArrow, rows=loaded.records)
    return str(found.column(0)[0].as_py()) if found.num_rows > 1 else None


def fold_frame(frame: DataFrame, fold: TreeFold, vocabularies: Mapping[str, pa.Array]) -> DataFrame:
    """x0, x1, …: the single values; and the trees."""

    def folded(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            packed = fold.packed(batch, vocabularies)
            columns = [*packed.columns[:-1], packed.column(packed.num_columns - 1).cast(LISTS)]
            yield pa.RecordBatch.from_arrays(columns, [*(f"x{i}" for i in range(len(columns) - 1)), TREE])

    fields = [types.StructField(f"x{i}", _kind(frame.schema, path)) for i, (_, path) in enumerate(fold.scalars)]
    return frame.mapInArrow(folded, types.StructType([*fields, types.StructField(TREE, NUMBERS)]))


def used_fields(frame: DataFrame, fold: TreeFold) -> DataFrame:
    """With those columns only in which something lies that is published."""
    used = {str(path.parts[0]) for path in (*fold.paths, *(path for _, path in fold.scalars))}
    kept = [name for name in frame.columns if name in used]
    return frame.select(*(sql.col("`" + name.replace("`", "``") + "`").alias(name, metadata={}) for name in kept))


def _kind(at: types.DataType, path: FieldPath) -> types.DataType:
    for name in path.parts:
        assert isinstance(at, types.StructType)
        at = at[str(name)].dataType
    return at
