"""count: numbers of records by key. Kernels make partial counts on the workers; Spark adds up, and drops what is not asked for.

A worker counts all records of its task before it hands over, so what travels between workers are keys, once per task at best.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import functions as sql
from pyspark.sql.pandas.types import from_arrow_schema

from shoal import errors
from shoal.engines.engine import RECORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame

    from shoal.engines.engine import Counter

_N = "n"
_TOLD = re.compile(r"shoal raised (\w+): (.*) \(end\)")


def count(
    frame: DataFrame, counter: Counter, columns: Sequence[str], at_least: int | None, at_most: int | None
) -> pa.Table:
    """frame: the columns in this order, whatever they are called there."""
    schema = counter.keys.append(pa.field(RECORDS, pa.int64()))
    keys = [f"k{place}" for place in range(len(counter.keys))]
    in_spark = from_arrow_schema(pa.schema([f.with_name(name) for f, name in zip(schema, [*keys, _N], strict=True)]))
    partials = frame.toDF(*(f"c{place}" for place in range(len(columns)))).mapInArrow(
        _Partials(counter, tuple(columns), schema, (*keys, _N)), in_spark
    )
    sums = partials.groupBy(*keys).agg(sql.sum(_N).alias(_N))
    if at_least is not None:
        sums = sums.where(sql.col(_N) >= at_least)
    if at_most is not None:
        sums = sums.where(sql.col(_N) <= at_most)
    try:
        table = sums.toArrow()
    except Exception as error:
        raise _told(error) from None
    return table.sort_by([(key, "ascending") for key in keys]).rename_columns(schema.names).cast(schema)


@dataclass(frozen=True)
class _Partials:
    """What a task does. Sent to the workers once per count: Spark broadcasts what is large."""

    counter: Counter
    columns: tuple[str, ...]
    schema: pa.Schema
    names: tuple[str, ...]  # of what is made, in Spark

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        named = (pa.RecordBatch.from_arrays(batch.columns, self.columns) for batch in batches)
        try:
            for partial in self.counter.partials(named):
                yield pa.RecordBatch.from_arrays(partial.cast(self.schema).columns, self.names)
        except errors.ShoalError as error:  # of which only the text comes back
            raise RuntimeError(f"shoal raised {type(error).__name__}: {error} (end)") from None


def _told(error: Exception) -> Exception:
    """What a counter raised, and what Spark says when too much would come back."""
    text = str(error)
    if match := _TOLD.search(text):
        kind: type[Exception] = getattr(errors, match[1], errors.InternalError)
        return kind(match[2])
    if "spark.driver.maxResultSize" in text:
        return errors.DataError(
            "There are more keys than may come back (spark.driver.maxResultSize). Ask for fewer: with limits of what counts."
        )
    return error
