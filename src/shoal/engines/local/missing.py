"""What is missing, in the SQL of DuckDB: values that a code stands for, and rows in which nothing is published.

A row without any published value is no record: it is nobody, and must not make anyone harder to find. Excel writes such rows
after the last one of a sheet.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from shoal.data.codes import Type, meant
from shoal.engines.driver.connection import Connection, text
from shoal.engines.driver.missing import BLANK, fits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.data.schema import Schema

FLOATS = ("FLOAT", "DOUBLE")
_WHOLE = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?")
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_TYPES: dict[str, Type] = {
    "BOOLEAN": "truth",
    "DATE": "date",
    "TIMESTAMP WITH TIME ZONE": "instant",
}


def types(con: Connection, origin: str) -> dict[str, str]:
    """Column → DuckDB's type."""
    described = con.table(f"DESCRIBE SELECT * FROM {origin}").to_pydict()
    return dict(zip(described["column_name"], described["column_type"], strict=True))


def without_codes(value: str, column: str, kind: str, codes: Sequence[str]) -> str:
    """A value, NULL where the column holds a code. column, value: SQL, as it stands and as it is read."""
    listed = ", ".join(_literals(codes, kind))
    compared = column if _type(kind) != "text" else f"{column}::VARCHAR"
    return f"CASE WHEN {compared} IN ({listed}) THEN NULL ELSE {value} END" if listed else value


def is_missing(value: str, kind: str) -> str:
    """Whether a value is missing, NaN, or a text in which nothing is to be seen."""
    if kind in FLOATS:
        return f"coalesce({is_nan(value)}, true)"
    if _type(kind) != "text" or kind.endswith("]"):
        return f"({value}) IS NULL"
    # nearly every text begins with a sign of ASCII that is seen: those are told by one byte
    seen = f"{value}::VARCHAR >= '!' AND {value}::VARCHAR < chr(127)"
    return f"coalesce(NOT ({seen}) AND regexp_full_match({value}::VARCHAR, {text(BLANK)}), true)"


def is_nan(value: str) -> str:
    """Whether a float is no number. In a list, because DuckDB takes the lowest and the highest number in the footer of a Parquet
    file for a proof that there is no NaN, and answers without looking."""
    return f"isnan([{value}][1])"


def without_empty(
    con: Connection, origin: str, values: Mapping[str, str], kinds: Mapping[str, str], schema: Schema
) -> tuple[str, int]:
    """What reads the rows that have a value, and how many have none. values: how each published column is read.

    Where there are only sets, an empty list says that somebody has no items, and is a record; a missing one is none. Beside
    single values, which are all missing then, an empty list says nothing.
    """
    each = [
        is_missing(value, kinds[name])
        if name not in schema.sets or schema.sets_alone
        else f"coalesce(len({value}), 0) = 0"
        for name, value in values.items()
    ]
    # where one column is never missing, the others need not be read
    for condition in (each[:1], each):
        empty = " AND ".join(condition)
        (number,) = con.one(f"SELECT count(*) FROM {origin} WHERE {empty}") if empty else (0,)
        if not number:
            return origin, 0
    return f"(SELECT * FROM {origin} WHERE NOT ({empty}))", int(number)


def _type(kind: str) -> Type:
    if _WHOLE.fullmatch(kind):
        return "whole"
    if _DECIMAL.fullmatch(kind):
        return "decimal"
    if kind in FLOATS:
        return "float"
    return "timestamp" if kind.startswith("TIMESTAMP") and kind not in _TYPES else _TYPES.get(kind, "text")


def _literals(codes: Sequence[str], kind: str) -> list[str]:
    values = meant(codes, _type(kind))
    if places := _DECIMAL.fullmatch(kind):
        values = [value for value in values if fits(value, int(places[1]), int(places[2]))]
    if _type(kind) in ("text", "truth"):
        return [text(value) if isinstance(value, str) else str(value).lower() for value in values]
    return [_literal(value, kind) for value in values]


def _literal(value: Any, kind: str) -> str:
    if isinstance(value, int):  # of a wider type than the column may have
        return str(value)
    shown = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return f"CAST({text(shown)} AS {kind})"
