"""load, where records are rows: the published columns as c0, c1, …, and their distinct combinations in the driver.

What comes to the driver are the combinations of quasi-identifiers and sensitive values with their numbers, once: searching, and
every question about domains, is answered there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as sql
from pyspark.sql import types

from shoal.engines.spark.frames import EMPTY, Loaded, N, frame_of, keep_tuples
from shoal.engines.spark.missing import is_missing, without_codes
from shoal.errors import DataError
from shoal.io.parquet import open_parquet

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from shoal.data.schema import Schema
    from shoal.engines.driver.connection import Connection
    from shoal.engines.spark.jobs import Jobs
    from shoal.io.source import Source

_BAD = "bad"  # whether a record has an item that is missing or empty


def load(jobs: Jobs, con: Connection, source: Source, schema: Schema) -> Loaded:
    """Records whose cells are single values or sets of items."""
    names = schema.published
    grouped = schema.grouped
    stated = sum(open_parquet(file).rows for file in source.files) if source.files else None

    def group() -> tuple[DataFrame, pa.Table]:
        data = _columns(frame_of(jobs.session, source), source, schema)
        keys = [f"c{names.index(name)}" for name in grouped]
        bad = sql.coalesce(sql.sum(sql.col(_BAD)), sql.lit(0)).alias(_BAD)
        return data, data.groupBy(*keys, EMPTY).agg(bad, sql.count(sql.lit(1)).alias(N)).toArrow()

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
    read = int(pc.sum(table.column(N)).as_py() or 0)
    if stated is not None and read != stated:
        raise DataError(
            f"Spark read {read:,} records of {source.name}, which says it holds {stated:,}. Files whose names start with "
            "_ or . are none to Spark."
        )
    table = table.filter(pc.invert(table.column(EMPTY)))
    records = int(pc.sum(table.column(N)).as_py() or 0)
    data = (data.where(~sql.col(EMPTY)) if records < read else data).drop(_BAD, EMPTY)
    keep_tuples(con, table.drop_columns([_BAD, EMPTY]), grouped)
    sets = tuple(name for name in schema.sets if name in names)
    return Loaded(data, names, grouped, records, sets, read - records)


def _columns(frame: DataFrame, source: Source, schema: Schema) -> DataFrame:
    """The published columns. NaN means missing and -0.0 is 0.0 in quasi-identifiers: neither may form a class of its own."""
    frame = frame.toDF(*(f"x{i}" for i in range(len(source.columns))))
    chosen, bad, empty = [], sql.lit(0), sql.lit(bool(schema.published))
    for place, name in enumerate(schema.published):
        raw = sql.col(f"x{source.columns.index(name)}")
        kind = frame.schema[f"x{source.columns.index(name)}"].dataType
        value = raw
        if name in schema.sets:
            bad = bad + sql.when(_is_bad(raw), 1).otherwise(0)
            # where there are only sets, an empty list says that somebody has no items; beside single values it says nothing
            empty = empty & (raw.isNull() if schema.sets_alone else raw.isNull() | (sql.size(raw) == 0))
            chosen.append(_canonical(raw).alias(f"c{place}", metadata={}))
            continue
        if isinstance(kind, types.NullType):
            value = value.cast("int")
        if isinstance(kind, types.FloatType | types.DoubleType) and name in schema.quasi:
            value = sql.when(~sql.isnan(value), value + sql.lit(0.0).cast(kind))
        value = without_codes(value, raw, kind, (*source.missing, *schema.codes(name)))
        empty = empty & is_missing(value, kind)
        # notes that came with a column (comments, categories) would be published with it
        chosen.append(value.alias(f"c{place}", metadata={}))
    return frame.select(*chosen, bad.alias(_BAD), empty.alias(EMPTY))


def _canonical(value: Column) -> Column:
    """A set as it is held: texts, sorted, each once. A missing list is an empty set."""
    texts = sql.coalesce(value.cast("array<string>"), sql.array().cast("array<string>"))
    return sql.sort_array(sql.array_distinct(texts))


def _is_bad(value: Column) -> Column:
    """Whether an item of a list is missing or empty."""
    bad = sql.exists(value.cast("array<string>"), lambda item: item.isNull() | (item == ""))
    return sql.coalesce(bad, sql.lit(False))
