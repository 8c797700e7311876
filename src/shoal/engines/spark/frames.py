"""Frames of Spark: records with columns c0, c1, …, and tables of the driver on their way there.

Names of the data never reach Spark, so it does not matter what they contain.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import types
from pyspark.sql.pandas.types import from_arrow_schema

from shoal.data.itemsets import is_list
from shoal.data.text import text_array
from shoal.engines.driver.tuples import count_name
from shoal.engines.spark.session import settings
from shoal.errors import DataError, InternalError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from shoal.engines.driver.connection import Connection
    from shoal.io.source import Source
    from shoal.io.trees.unfold import Wording

N = "n"  # how many records
EMPTY = "empty"  # whether a row has no published value
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
    empty: int = 0  # rows without any published value, which are no records
    wording: Wording | None = None  # of trees: what the numbers in their column stand for

    def place(self, name: str) -> str:
        """What a column is called in Spark."""
        return f"c{self.names.index(name)}"

    def kind(self, name: str) -> types.DataType:
        """The type of a column in Spark."""
        return self.data.schema[self.place(name)].dataType

    def place_of_set(self, name: str) -> str:
        """What a column of sets is called in Spark."""
        if name not in self.sets:
            raise InternalError("A recoding of sets speaks of a column that holds none.")
        return self.place(name)

    @property
    def trees(self) -> Wording:
        """What the trees are made of; it is our fault to ask for it where there are none."""
        if self.wording is None:
            raise InternalError("The records are no trees, and were taken for such.")
        return self.wording


def keep_tuples(con: Connection, table: pa.Table, grouped: Sequence[str]) -> None:
    """The distinct combinations in the driver's connection, as `driver.tuples` has them. table: those columns, and the count."""
    con.register("collected", table.rename_columns([*grouped, count_name(grouped)]))
    con.run("CREATE TEMP TABLE tuples AS SELECT * FROM collected")
    con.unregister("collected")


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
    """The records of a source as they are."""
    if source.frame is not None:
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
