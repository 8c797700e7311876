"""Codes of the recipe that stand for a missing value: which values of a column they mean.

Written here a second time, from the reference of recipes. A text is a code when it is spelt like one; a value of any other type,
when it is equal to what the code says.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import TYPE_CHECKING

from shoal.verifier.looks import looks_like
from shoal.verifier.text import FLOATS, HIDDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.sql.sql import Sql

_WHOLE = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?")
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")
_PLAIN_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?")  # 007 is a name of something
_ZONED = "TIMESTAMP WITH TIME ZONE"
_IN_SPARK = {"TIMESTAMP": "TIMESTAMP_NTZ", _ZONED: "TIMESTAMP"}


def is_code(sql: Sql, column: str, kind: str, codes: Sequence[str]) -> str | None:
    """The SQL of whether a column of this type holds one of the codes; None when it cannot."""
    if kind.endswith("]") or kind.startswith("ARRAY"):
        return None  # sets have no codes
    literals = [literal for code in codes for literal in _literal(sql, kind, code)]
    if not literals:
        return None
    value = column if kind == "VARCHAR" or _is_typed(kind) else f"CAST({column} AS STRING)"
    return f"{value} IN ({', '.join(literals)})"


def is_hidden(text: str | None, codes: Sequence[str] = ()) -> bool:
    """Whether a published value may stand for any: missing, blank, `*`, or what a reader takes for a code."""
    look = "" if text is None else looks_like(text)
    if look in ("", HIDDEN):
        return True
    number = _plain(look)
    return any(look == looks_like(code) or (number is not None and number == _plain(code)) for code in codes)


def _is_typed(kind: str) -> bool:
    return bool(
        kind in FLOATS
        or kind in ("BOOLEAN", "DATE")
        or kind.startswith("TIMESTAMP")
        or _WHOLE.fullmatch(kind)
        or _DECIMAL.fullmatch(kind)
    )


def _literal(sql: Sql, kind: str, code: str) -> list[str]:
    """The value of a type that a code stands for, as SQL; none when it is no value of it."""
    if not _is_typed(kind):
        return [sql.literal(code)]
    if kind == "BOOLEAN":
        return [code] if code in ("true", "false") else []
    if kind == "DATE" or kind.startswith("TIMESTAMP"):
        return _moment(sql, kind, code)
    if not _NUMBER.fullmatch(code):
        return []
    number = Decimal(code)
    if _WHOLE.fullmatch(kind):
        return [str(int(number))] if number == int(number) else []
    places = _DECIMAL.fullmatch(kind)
    if places is not None:
        precision, scale = int(places[1]), int(places[2])
        if number != round(number, scale) or abs(number) >= 10 ** (precision - scale):
            return []
    return [f"CAST({sql.literal(code)} AS {kind})"]


def _moment(sql: Sql, kind: str, code: str) -> list[str]:
    try:
        moment = dt.date.fromisoformat(code) if kind == "DATE" else dt.datetime.fromisoformat(code)
    except ValueError:
        return []
    if isinstance(moment, dt.datetime) and (moment.tzinfo is not None) != (kind == _ZONED):
        return []
    named = kind if sql.here is sql else _IN_SPARK.get(kind, kind)
    return [f"CAST({sql.literal(moment.isoformat())} AS {named})"]


def _plain(text: str) -> Decimal | None:
    return Decimal(text) if _PLAIN_NUMBER.fullmatch(text) else None
