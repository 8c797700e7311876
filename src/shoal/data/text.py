"""The text form of a value: how a typed value meets the labels of a hierarchy, and how it is written to CSV.

There is one formatter, so that equal values have equal text whatever type holds them and whichever library wrote them:

| value | text |
|---|---|
| text | itself, unchanged |
| integer | decimal digits: `39` |
| true, false | `true`, `false` |
| float or decimal without a fraction | as an integer: `39` |
| other floats and decimals | Python's `repr`: `0.1`; decimals without trailing zeros |
| date | `2020-01-31` |
| time of day | `09:30:00`, `09:30:00.25` |
| timestamp | `2020-01-31T09:30:00`; at midnight only the date, because data frames keep dates as timestamps |
| timestamp with a time zone | the same instant in UTC: `2020-01-31T09:30:00Z` |
| missing, NaN | `None` |

Anything else (bytes, lists, durations) has no text form and is refused.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import DataError

_MIDNIGHT = "T00:00:00"
_NANOSECONDS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


def text_of(value: Any) -> str | None:
    """The text form of one value."""
    if value is None or type(value).__name__ == "NAType":  # pandas.NA has no truth value; it must not reach `!=`
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, pa.Scalar):
        return texts(pa.array([value], value.type))[0]
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if value != value:  # NaN and NaT, of whichever library  # noqa: PLR0124
        return None
    if isinstance(value, (float, np.floating)):
        return str(int(value)) if float(value).is_integer() else _float_text(value)
    if isinstance(value, Decimal):
        return _decimal_text(value)
    if isinstance(value, np.datetime64):
        return _timestamp_text(str(value))
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            return _timestamp_text(value.isoformat())
        return _timestamp_text(value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(), zone="Z")
    if isinstance(value, (dt.date, dt.time)):
        return _without_zeros(value.isoformat())
    if isinstance(value, UUID):
        return str(value)
    raise DataError(f"A value of type {type(value).__name__} has no text form.")


def texts(array: pa.Array | pa.ChunkedArray) -> list[str | None]:
    """The text forms of all values, in order."""
    result: list[str | None] = text_array(array).to_pylist()
    return result


def text_array(array: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The same as `texts`, kept in Arrow: a string array (large_string when the values were)."""
    if isinstance(array, pa.ChunkedArray):
        kind = pa.large_string() if pa.types.is_large_string(array.type) else pa.string()
        return pa.chunked_array([text_array(chunk).cast(kind) for chunk in array.chunks], kind)
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return array
    if pa.types.is_dictionary(kind):
        return pc.take(text_array(array.dictionary), array.indices)
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_date32(kind):
        return array.cast(pa.string())
    if pa.types.is_string_view(kind) or pa.types.is_null(kind):
        return array.cast(pa.string())
    if pa.types.is_date64(kind):
        return array.cast(pa.date32()).cast(pa.string())
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "arrow.uuid":
            return pa.array([text_of(value) for value in array.to_pylist()], pa.string())
        return text_array(array.storage)
    if pa.types.is_decimal(kind) and kind.bit_width < 128:  # Arrow cannot tell distinct ones yet
        array = array.cast(pa.decimal128(kind.precision, kind.scale))
    for matches, convert in _CONVERT_DISTINCT:
        if matches(kind):
            return _by_distinct(array, convert)
    raise DataError(f"Values of Arrow type {kind} have no text form.")


def _by_distinct(array: pa.Array, convert: Any) -> pa.Array:
    """Types that need Python are converted once per distinct value."""
    encoded = array.dictionary_encode()
    return pc.take(pa.array(convert(encoded.dictionary), pa.string()), encoded.indices)


def _floats(array: pa.Array) -> list[str | None]:
    return [text_of(value) for value in array.to_numpy(zero_copy_only=False)]


def _decimals(array: pa.Array) -> list[str | None]:
    return [text_of(value) for value in array.to_pylist()]


def _timestamps(array: pa.Array) -> list[str | None]:
    zone = "" if array.type.tz is None else "Z"
    plain = array.cast(pa.timestamp(array.type.unit))
    return [
        None if np.isnat(value) else _timestamp_text(str(value), zone)
        for value in plain.to_numpy(zero_copy_only=False).astype(f"datetime64[{array.type.unit}]")
    ]


def _times(array: pa.Array) -> list[str | None]:
    scale = _NANOSECONDS[array.type.unit]
    whole = pa.int32() if pa.types.is_time32(array.type) else pa.int64()
    result: list[str | None] = []
    for ticks in array.cast(whole).to_pylist():
        if ticks is None:
            result.append(None)
            continue
        seconds, rest = divmod(ticks * scale, 1_000_000_000)
        clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        result.append(_without_zeros(f"{clock}.{rest:09d}"))
    return result


_CONVERT_DISTINCT = (
    (pa.types.is_floating, _floats),
    (pa.types.is_decimal, _decimals),
    (pa.types.is_timestamp, _timestamps),
    (pa.types.is_time, _times),
)


def _float_text(value: float | np.floating[Any]) -> str:
    # float32 keeps its own shortest form: 0.1, where the same bits as a Python float would print 0.10000000149011612
    return str(value) if isinstance(value, np.floating) else repr(value)


def _decimal_text(value: Decimal) -> str:
    if not value.is_finite():
        return str(value)
    digits = format(value, "f")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if digits == "-0" else digits


def _timestamp_text(iso: str, zone: str = "") -> str:
    iso = _without_zeros(iso)
    if not zone and iso.endswith(_MIDNIGHT):
        return iso.removesuffix(_MIDNIGHT)
    return iso + zone


def _without_zeros(iso: str) -> str:
    """`09:30:00.250000` → `09:30:00.25`, `09:30:00.000` → `09:30:00`."""
    return iso.rstrip("0").removesuffix(".") if "." in iso else iso
