"""What is missing, in Spark: values that a code stands for, and rows in which nothing is published. See `local/missing.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sql
from pyspark.sql import types

from shoal.data.codes import Type, meant
from shoal.engines.driver.missing import BLANK, fits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column

_TYPES: tuple[tuple[type[types.DataType], Type], ...] = (
    (types.IntegralType, "whole"),
    (types.DecimalType, "decimal"),
    (types.FractionalType, "float"),
    (types.BooleanType, "truth"),
    (types.DateType, "date"),
    (types.TimestampNTZType, "timestamp"),
    (types.TimestampType, "instant"),
)


def without_codes(value: Column, raw: Column, kind: types.DataType, codes: Sequence[str]) -> Column:
    """A value, missing where the column holds a code. raw, value: the column as it stands and as it is read."""
    values = meant(codes, _type(kind))
    if isinstance(kind, types.DecimalType):
        values = [one for one in values if fits(one, kind.precision, kind.scale)]
    if not values:
        return value
    shown = [sql.lit(one.isoformat() if hasattr(one, "isoformat") else str(one)) for one in values]
    if _type(kind) == "text":
        is_code = raw.cast("string").isin(*shown)
    elif _type(kind) == "whole":  # of a wider type than the column may have
        is_code = raw.cast("decimal(38,0)").isin(*(one.cast("decimal(38,0)") for one in shown))
    else:
        is_code = raw.isin(*(one.cast(kind) for one in shown))
    return sql.when(~sql.coalesce(is_code, sql.lit(False)), value)


def is_missing(value: Column, kind: types.DataType) -> Column:
    """Whether a value is missing, NaN, or a text in which nothing is to be seen."""
    if isinstance(kind, types.FloatType | types.DoubleType):
        return value.isNull() | sql.isnan(value)
    if isinstance(kind, types.StringType):
        return value.isNull() | sql.coalesce(value.rlike(f"^{BLANK}$"), sql.lit(True))
    return value.isNull()


def _type(kind: types.DataType) -> Type:
    return next((name for fits, name in _TYPES if isinstance(kind, fits)), "text")
