"""Columns of codes, with labels and codes that stand for no value, as the table that a recipe speaks of.

Values are numbers, texts, days or moments. A labelled code becomes its label unless codes are asked for; two codes that occur and
have one label are refused, since they would become one value.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

_WHOLE = 2**53


@dataclass(frozen=True)
class Coded:
    """A column as its file has it; None where the file has no value."""

    name: str
    values: Sequence[Any]
    labels: Mapping[Any, str] = field(default_factory=dict)  # code → label
    missing: Sequence[tuple[Any, Any]] = ()  # from … to … of codes that stand for no value
    marks: bool = False  # whether values are missing for several reasons, which a reader can tell apart


def table_of(columns: Sequence[Coded], by_label: bool, missing: Sequence[str], *, alone: bool = False) -> pa.Table:
    """missing: texts that mean no value. alone: of a release, whose missing values must look the same."""
    import pyarrow as pa

    if not columns:
        raise DataError("The file has no columns.")
    for column in columns if alone else ():
        if column.marks or any(_is_code(value, column.missing) for value in set(column.values)):
            raise DataError(
                f"Column '{column.name}' tells one missing value from another, by codes that are declared missing."
            )
    arrays = [
        _array([None if value in missing else value for value in _values(column, by_label)]) for column in columns
    ]
    return pa.table(arrays, names=[column.name for column in columns])


def _values(column: Coded, by_label: bool) -> list[Any]:
    different = {value: _without_code(value, column.missing) for value in set(column.values)}
    held = {value for value in different.values() if value is not None}
    if by_label and not held.isdisjoint(column.labels):
        labels = [column.labels[value] for value in held if value in column.labels]
        if len(set(labels)) < len(labels):
            raise DataError(f"Column '{column.name}': different codes have the same label.")
        for value, code in different.items():
            if code is not None:
                different[value] = column.labels.get(code, text_of(code))
    return [different[value] for value in column.values]


def _without_code(value: Any, missing: Sequence[tuple[Any, Any]]) -> Any:
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    return None if _is_code(value, missing) else value


def _is_code(value: Any, missing: Sequence[tuple[Any, Any]]) -> bool:
    if value is None:
        return False
    return any(isinstance(value, str) == isinstance(low, str) and low <= value <= high for low, high in missing)


def text_of(value: Any) -> str:
    """A number without a fraction as a whole one."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _array(values: list[Any]) -> pa.Array:
    import pyarrow as pa

    kinds = {type(value) for value in values if value is not None}
    if kinds == {float}:
        if all(
            value is None or (value.is_integer() and abs(value) < _WHOLE and str(value) != "-0.0") for value in values
        ):
            return pa.array([None if value is None else int(value) for value in values], pa.int64())
        return pa.array(values, pa.float64())
    if kinds == {dt.date}:
        return pa.array(values, pa.date32())
    if kinds == {dt.datetime}:
        return pa.array(values, pa.timestamp("us"))
    texts = [None if value is None else value if isinstance(value, str) else _text(value) for value in values]
    return pa.array(texts, pa.string())


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, dt.date | dt.time) else text_of(value)
