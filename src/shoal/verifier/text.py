"""How the verifier turns a published value into text. When two texts look the same to a reader: `looks.py`.

The text form follows the table in the reference of recipes (integers as digits, a float without a fraction as an integer, ISO
dates, a timestamp at midnight as its date, missing and NaN as no text). It is written a second time here because the
verifier shares no code with what it judges.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal
from typing import Any
from uuid import UUID

from shoal.errors import DataError

# Types of DuckDB whose values are compared, grouped and shown one by one. Nothing else is read as a single value: a list or
# a struct has no place in a class, and an INTERVAL of 30 days equals one month although a reader sees two values.
FLOATS = frozenset({"FLOAT", "DOUBLE"})
_SINGLE = frozenset(
    [
        "VARCHAR",
        "BOOLEAN",
        "UUID",
        "FLOAT",
        "DOUBLE",
        "DATE",
        "TIME",
        "TIME_NS",
        "TIMESTAMP",
        "TIMESTAMP_S",
        "TIMESTAMP_MS",
        "TIMESTAMP_NS",
        '"NULL"',
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "HUGEINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
        "UHUGEINT",
    ]
) | {"TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"}
# Their nanoseconds do not fit a Python time; DuckDB writes them as text.
_TOO_FINE = {"TIMESTAMP_NS", "TIME_NS"}
# As microseconds or nanoseconds since 1970, because a time zone would need packages that may not be there.
_ZONED = {"TIMESTAMP WITH TIME ZONE": ("epoch_us", 6), "TIMESTAMPTZ_NS": ("epoch_ns", 9)}
_EPOCH = dt.datetime(1970, 1, 1)

HIDDEN = "*"  # what tools publish in the place of a suppressed value
NAN = "nan"  # how DuckDB writes a float that is no number

_MIDNIGHT = "T00:00:00"
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,6})?")


def is_single_value(kind: str) -> bool:
    """Whether values of this DuckDB type can be counted and shown one by one."""
    return kind in _SINGLE or kind.startswith("DECIMAL(")


def readable(expression: str, kind: str) -> str:
    """The SQL by which Python gets values of this type without losing digits."""
    if kind in _TOO_FINE:
        return f"CAST({expression} AS VARCHAR)"
    return f"{_ZONED[kind][0]}({expression})" if kind in _ZONED else expression


def text_form(value: Any, kind: str = "VARCHAR") -> str | None:
    """The text of a value that DuckDB handed over; None when it is missing."""
    if value is None:
        return None
    if kind in _TOO_FINE:
        return _without_midnight(_short(str(value).replace(" ", "T")))
    if kind in _ZONED:
        digits = _ZONED[kind][1]
        seconds, fraction = divmod(value, 10**digits)
        return _short(f"{(_EPOCH + dt.timedelta(seconds=seconds)).isoformat()}.{fraction:0{digits}}") + "Z"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, UUID)):
        return str(value)
    if isinstance(value, float):
        return _float_text(value, kind)
    if isinstance(value, Decimal):
        return _decimal_text(value)
    if isinstance(value, dt.datetime):
        return _without_midnight(_short(value.isoformat()))
    if isinstance(value, (dt.date, dt.time)):
        return _short(value.isoformat())
    raise DataError(f"A column of type {kind} cannot be read as single values.")


def number_of(text: str | None) -> Decimal | None:
    """The number a text stands for, in plain ASCII notation without separators; None when it is not a number."""
    if text is None or not _NUMBER.fullmatch(text):
        return None
    return Decimal(text)


def _float_text(value: float, kind: str) -> str | None:
    if math.isnan(value):
        return None
    if value.is_integer():
        return str(int(value))
    if kind == "FLOAT":
        import numpy as np

        return str(np.float32(value))  # 0.1, not 0.10000000149011612
    return repr(value)


def _decimal_text(value: Decimal) -> str:
    digits = format(value, "f")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if digits == "-0" else digits


def _short(iso: str) -> str:
    return iso.rstrip("0").removesuffix(".") if "." in iso else iso


def _without_midnight(iso: str) -> str:
    return iso.removesuffix(_MIDNIGHT)
