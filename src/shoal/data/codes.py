"""Codes that stand for a missing value ("Refused", 99, -1): which values of a column they mean.

Texts are compared as they stand. A value of any other type is compared by what it is: the code `99` means 99 and 99.0, and
`1900-01-01` means that day and its midnight. A code that is no value of the type means none.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

Type = Literal["text", "whole", "decimal", "float", "truth", "date", "timestamp", "instant"]

_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_PLAIN = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_TRUTH = {"true": True, "false": False}


def meant(codes: Sequence[str], kind: Type) -> list[Any]:
    """The values of a type that the codes stand for, as Python has them."""
    values = [_value(code, kind) for code in codes]
    return list(dict.fromkeys(value for value in values if value is not None))


def plain_number(text: str) -> Decimal | None:
    """The number that a text is written as: 99, 99.0, +99. 007 is a name of something."""
    return Decimal(text) if _PLAIN.fullmatch(text) else None


def type_of(kind: pa.DataType) -> Type:
    """How values of an Arrow type are compared."""
    for fits, name in _TYPES:
        if fits(kind):
            return name
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz is None else "instant"
    return "text"


def _value(code: str, kind: Type) -> Any:
    if kind == "text":
        return code
    if kind == "truth":
        return _TRUTH.get(code)
    if kind in ("whole", "decimal", "float"):
        number = Decimal(code) if _NUMBER.fullmatch(code) else None
        if number is None or kind == "decimal":
            return number
        return float(number) if kind == "float" else int(number) if number == number.to_integral_value() else None
    return _moment(code, kind)


def _moment(code: str, kind: Type) -> Any:
    try:
        if kind == "date":
            return dt.date.fromisoformat(code)
        moment = dt.datetime.fromisoformat(code)
    except ValueError:
        return None
    return moment if (moment.tzinfo is None) == (kind == "timestamp") else None


_TYPES: tuple[tuple[Any, Type], ...] = (
    (pa.types.is_integer, "whole"),
    (pa.types.is_decimal, "decimal"),
    (pa.types.is_floating, "float"),
    (pa.types.is_boolean, "truth"),
    (pa.types.is_date, "date"),
)
