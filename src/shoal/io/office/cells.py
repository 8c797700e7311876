"""Columns as a spreadsheet or a statistics program stores them: numbers are doubles, days are days, all else is text.

A column whose values would not come back as they are (whole numbers beyond 2^53, decimals with more digits than a double has, days
that Excel does not know) is written as text, every value of it.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from shoal.data.itemsets import is_list
from shoal.data.text import texts
from shoal.errors import DataError
from shoal.io.sets.items import join

if TYPE_CHECKING:
    from collections.abc import Iterator

CellKind = Literal["number", "whole", "day", "moment", "truth", "text"]
_WHOLE = 2**53
_ADVICE = "Write .csv or .parquet instead."


@dataclass(frozen=True, eq=False)
class Column:
    """values: float, int, date, datetime, bool or str, as `kind` says; None where there is none."""

    name: str
    kind: CellKind
    values: list[Any]


def columns_of(table: pa.Table, items: str, *, first_day: dt.date, truths: bool) -> Iterator[Column]:
    """items: what separates the items of a set. first_day: the earliest that the format has. truths: whether it has truths."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        if is_list(column.type):
            joined = [join(chunk, items, name) for chunk in column.chunks]
            column = pa.chunked_array(joined, pa.large_string())
        elif pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        yield _column(name, column, first_day, truths)


def _column(name: str, column: pa.ChunkedArray, first_day: dt.date, truths: bool) -> Column:
    kind, types = column.type, pa.types
    if types.is_integer(kind):
        values = column.to_pylist()
        if all(value is None or abs(value) < _WHOLE for value in values):
            return Column(name, "whole", values)
    elif types.is_floating(kind):
        # the text of a 32-bit float is shorter than the double next to it
        numbers = [None if text is None else float(text) for text in texts(column)]
        if any(number is not None and math.isinf(number) for number in numbers):
            raise DataError(
                f"Column '{name}' holds an infinite number, for which the format of the output has no cell. {_ADVICE}"
            )
        return Column(name, "number", numbers)
    elif types.is_decimal(kind):
        values = column.to_pylist()
        if all(
            value is None or repr(float(value)) == str(value.normalize()) or float(value) == value for value in values
        ):
            return Column(name, "number", [None if value is None else float(value) for value in values])
    elif types.is_date(kind):
        values = column.to_pylist()
        if all(value is None or value >= first_day for value in values):
            return Column(name, "day", values)
    elif types.is_timestamp(kind) and kind.tz is None:
        values = column.cast(pa.timestamp("us"), safe=False).to_pylist() if kind.unit != "ns" else []
        if values and all(value is None or (value.date() >= first_day and not value.microsecond) for value in values):
            return Column(name, "moment", values)
    elif types.is_boolean(kind) and truths:
        return Column(name, "truth", column.to_pylist())
    return Column(name, "text", [text or None for text in texts(column)])
