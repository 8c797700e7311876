"""Rows in which nothing is published. Such a row is no record: it is nobody, so it must not help anyone to be one of k."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.verifier.text import FLOATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.source import Source

# White space, controls, and what is drawn as a blank or not at all.
_NOTHING = (
    r"[\s\p{Z}\p{Cc}\p{Cf}\x{034F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{180B}-\x{180F}\x{2800}\x{3164}\x{FE00}-\x{FE0F}"
    r"\x{FFA0}\x{E0100}-\x{E01EF}]*"
)


def without_empty(source: Source, names: Sequence[str], *, sets: Sequence[str] = (), alone: bool = False) -> Source:
    """The source without the rows in which all these columns are missing, and with their number.

    sets: those of the columns that hold sets of items. alone: no quasi column holds single values; then an empty list is a person
    without items, and only a missing one is none.
    """
    each = [_is_empty(source, name, is_set=name in sets, alone=alone) for name in names]
    # where one column is never missing, the others need not be read
    for condition in (each[:1], each):
        empty = " AND ".join(condition) or "false"
        ((number,),) = source.sql.rows(f"SELECT count(*) AS n FROM {source.relation} WHERE {empty}")
        if not number:
            return source
    kept = f"WHERE NOT ({empty})"
    return replace(
        source,
        relation=f"(SELECT * FROM {source.relation} {kept}) AS r",
        numbered=None if source.numbered is None else f"(SELECT * FROM {source.numbered} {kept}) AS r",
        records=source.records - int(number),
        empty=int(number),
    )


def filled_beside(source: Source, names: Sequence[str]) -> int:
    """How many rows have nothing in these columns, and something in another one of the file."""
    others = [name for name in source.names if name not in names]
    if not others or not names:
        return 0
    empty = " AND ".join(_is_empty(source, name) for name in names)
    beside = " AND ".join(_is_empty(source, name) for name in others)
    ((number,),) = source.sql.rows(f"SELECT count(*) AS n FROM {source.relation} WHERE {empty} AND NOT ({beside})")
    return int(number)


def _is_empty(source: Source, name: str, *, is_set: bool = False, alone: bool = False) -> str:
    """The SQL of whether a column is missing; never NULL itself."""
    column, kind = source.column(name), source.kind(name)
    if is_set and alone and source.items is not None:
        return "false"  # a line of a FIMI file is a record, with items or without
    if kind.endswith("]") or kind.startswith("ARRAY"):
        length = "len" if source.sql.here is source.sql else "size"
        return f"{column} IS NULL" if alone else f"({column} IS NULL OR {length}({column}) = 0)"
    if kind in FLOATS:
        # of a plain column DuckDB believes what a Parquet footer says, and that says nothing of NaN; in a list it looks
        return f"coalesce(isnan({f'[{column}][1]' if source.sql.here is source.sql else column}), true)"
    if kind != "VARCHAR":
        return f"({column}) IS NULL"
    pattern = source.sql.literal(_NOTHING if source.sql.here is source.sql else f"^{_NOTHING}$")
    seen = f"{column} >= '!' AND {column} < '{chr(127)}'"  # nearly every text begins with a sign of ASCII that is seen
    blank = (
        f"regexp_full_match({column}, {pattern})" if source.sql.here is source.sql else f"({column}) RLIKE {pattern}"
    )
    return f"coalesce(NOT ({seen}) AND {blank}, true)"
