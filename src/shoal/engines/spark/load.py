"""load: the published columns of a source as c0, c1, …, and their distinct combinations in the driver.

Names of the data never reach Spark, so it does not matter what they contain. What comes to the driver are the combinations of
quasi-identifiers and sensitive values with their numbers, once: searching, and every question about domains, is answered there.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import StorageLevel
from pyspark.sql import functions as sql
from pyspark.sql import types
from pyspark.sql.pandas.types import from_arrow_schema

from shoal.data.itemsets import is_list
from shoal.data.schema import Role
from shoal.data.text import text_array
from shoal.engines.local.connection import text
from shoal.engines.local.frequency_set import count_name
from shoal.engines.spark.session import settings
from shoal.errors import DataError
from shoal.io.parquet import open_parquet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import Column, DataFrame, SparkSession

    from shoal.data.schema import Schema
    from shoal.engines.local.connection import Connection
    from shoal.engines.spark.jobs import Jobs
    from shoal.io.source import Source

N = "n"  # how many records
_BAD = "bad"  # whether a record has an item that is missing or empty
KEPT = StorageLevel.MEMORY_AND_DISK
# bytes of a table that may become part of a plan, row by row; a larger one stays as it is until it is read
_SMALL = 1 << 20
_IN_BATCHES = {
    "spark.sql.execution.arrow.localRelationThreshold": "0",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "200000",  # one task each
}
_UNSIGNED = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
}


@dataclass(frozen=True, eq=False)
class Loaded:
    """Records, and what is known of them."""

    data: DataFrame  # c0, c1, …
    names: tuple[str, ...]  # of those columns
    grouped: tuple[str, ...]  # the columns whose distinct combinations are in the driver
    records: int
    sets: tuple[str, ...] = ()  # columns of sets of items

    def place(self, name: str) -> str:
        """What a column is called in Spark."""
        return f"c{self.names.index(name)}"

    def kind(self, name: str) -> types.DataType:
        return self.data.schema[self.place(name)].dataType


def load(jobs: Jobs, con: Connection, source: Source, schema: Schema) -> Loaded:
    """Leaves the table `tuples` in the driver's connection, as the local engine does."""
    names = schema.published
    # sets are not grouped by: nearly all are different
    grouped = tuple(name for name in schema.names(Role.QUASI, Role.SENSITIVE) if name not in schema.sets)
    stated = sum(open_parquet(file).rows for file in source.files) if source.kind == "parquet" else None

    def group() -> tuple[DataFrame, pa.Table]:
        data = _columns(frame_of(jobs.session, source), con, source, schema)
        keys = [f"c{names.index(name)}" for name in grouped]
        bad = sql.coalesce(sql.sum(sql.col(_BAD)), sql.lit(0)).alias(_BAD)
        return data.drop(_BAD), data.groupBy(*keys).agg(bad, sql.count(sql.lit(1)).alias(N)).toArrow()

    data, table = jobs.run("load", "counting equal records", group, rows=stated)
    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        raise DataError(f"{source.name} holds text that is not UTF-8.") from None
    if bad := pc.sum(table.column(_BAD)).as_py():
        raise DataError(
            f"Column '{', '.join(schema.sets)}': {bad:,} records have an item that is missing or empty. An item needs a text; a "
            "record without items is an empty list."
        )
    con.register("collected", table.drop_columns([_BAD]).rename_columns([*grouped, count_name(grouped)]))
    con.run("CREATE TEMP TABLE tuples AS SELECT * FROM collected")
    con.unregister("collected")
    records = int(pc.sum(table.column(N)).as_py() or 0)
    if stated is not None and records != stated:
        raise DataError(
            f"Spark read {records:,} records of {source.name}, which says it holds {stated:,}. Files whose names start with "
            "_ or . are none to Spark."
        )
    return Loaded(data, names, grouped, records, tuple(name for name in schema.sets if name in names))


def to_spark(
    session: SparkSession, table: pa.Table, kinds: Sequence[types.DataType | None] = (), keep: Sequence[str] = ()
) -> DataFrame:
    """A table of the driver in Spark. kinds: the types of its columns, where they must be those of other columns; keep: columns
    whose types Spark has, lists of numbers among them."""
    table = pa.table(
        [
            column if name in keep else _ordinary(column, name)
            for name, column in zip(table.column_names, table.columns, strict=True)
        ],
        table.column_names,
    )
    fields = from_arrow_schema(table.schema, prefer_timestamp_ntz=True).fields
    for field, kind in zip(fields, kinds, strict=False):
        field.dataType = kind or field.dataType
    with settings(session, _IN_BATCHES) if table.nbytes > _SMALL else nullcontext():
        return session.createDataFrame(table, types.StructType(fields))


def frame_of(session: SparkSession, source: Source) -> DataFrame:
    if source.kind == "spark":
        frame: DataFrame = source.frame
        return frame
    if source.files:
        # `people[1].parquet` is no pattern and `sex=F/` no column
        reader = session.read.option("__globPaths__", "false").option("recursiveFileLookup", "true")
        return reader.parquet(*(_uri(file) for file in source.files))
    assert source.table is not None
    return to_spark(session, source.table)


def _uri(file: Path) -> str:
    """Of a file of this machine, whatever file system Spark takes for its own. Spark does not decode what looks encoded."""
    return f"file://{file.absolute()}"


def _columns(frame: DataFrame, con: Connection, source: Source, schema: Schema) -> DataFrame:
    """The published columns. NaN means missing and -0.0 is 0.0 in quasi-identifiers: neither may form a class of its own."""
    frame = frame.toDF(*(f"x{i}" for i in range(len(source.columns))))
    made, bad = [], sql.lit(0)
    for place, name in enumerate(schema.published):
        raw = sql.col(f"x{source.columns.index(name)}")
        kind = frame.schema[f"x{source.columns.index(name)}"].dataType
        value = raw
        if name in schema.sets:
            bad = bad + sql.when(_is_bad(raw), 1).otherwise(0)
            made.append(_canonical(raw).alias(f"c{place}", metadata={}))
            continue
        if isinstance(kind, types.NullType):
            value = value.cast("int")
        if isinstance(kind, types.FloatType | types.DoubleType) and name in schema.quasi:
            value = sql.when(~sql.isnan(value), value + sql.lit(0.0).cast(kind))
        if source.missing and (markers := _markers(con, source.missing, kind)):
            compared = raw if isinstance(kind, types.FloatType | types.DoubleType) else raw.cast("string")
            value = sql.when(~sql.coalesce(compared.isin(markers), sql.lit(False)), value)
        # notes that came with a column (comments, categories) would be published with it
        made.append(value.alias(f"c{place}", metadata={}))
    return frame.select(*made, bad.alias(_BAD))


def _canonical(value: Column) -> Column:
    """A set as it is held: texts, sorted, each once. A missing list is an empty set."""
    texts = sql.coalesce(value.cast("array<string>"), sql.array().cast("array<string>"))
    return sql.sort_array(sql.array_distinct(texts))


def _is_bad(value: Column) -> Column:
    """Whether an item of a list is missing or empty."""
    found = sql.exists(value.cast("array<string>"), lambda item: item.isNull() | (item == ""))
    return sql.coalesce(found, sql.lit(False))


def _markers(con: Connection, markers: Sequence[str], kind: types.DataType) -> list[Any]:
    """The values that are written like one of the markers. Spark writes floats in another way than the local engine."""
    if not isinstance(kind, types.FloatType | types.DoubleType):
        return list(markers)
    number = "FLOAT" if isinstance(kind, types.FloatType) else "DOUBLE"
    listed = ", ".join(f"({text(marker)})" for marker in markers)
    found = con.table(
        f"SELECT v FROM (SELECT m, TRY_CAST(m AS {number}) AS v FROM (VALUES {listed}) AS t(m)) WHERE v::VARCHAR = m"
    )
    return [sql.lit(value).cast(kind) for value in found.column("v").to_pylist()]


def _ordinary(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """With a type that Spark has, and the same values. Only what a type of Spark cannot hold is refused."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _ordinary(column.cast(kind.value_type), name)
    if is_list(kind):
        lists = column.cast(pa.list_(pa.string()))
        return lists if lists.num_chunks else pa.chunked_array([pa.array([], lists.type)])  # Spark fails on none
    if isinstance(kind, pa.BaseExtensionType):
        return text_array(column)
    if pa.types.is_timestamp(kind):
        try:
            return column.cast(pa.timestamp("us", kind.tz))
        except pa.ArrowInvalid:
            raise DataError(
                f"Column '{name}' holds nanoseconds; Spark counts in microseconds. Round it first."
            ) from None
    for fits, other in (
        (pa.types.is_date64, pa.date32()),
        (pa.types.is_time32, pa.time64("us")),
        (pa.types.is_float16, pa.float32()),
        (pa.types.is_string_view, pa.string()),
        (pa.types.is_null, pa.int32()),
    ):
        if fits(kind):
            return column.cast(other)
    return column.cast(_UNSIGNED[kind]) if kind in _UNSIGNED else column
