"""Which column names and column types a table may have.

Names are what a recipe, a report and a SQL engine go by, so they must be told apart by all three: two names that differ only
in case are one name to SQL, and two that differ only in unseen characters are one name to a person.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.itemsets import is_list
from shoal.data.lookalikes import appearance
from shoal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

MAX_COLUMNS = 10_000
_DECIMAL_DIGITS = 38  # SQL engines turn longer decimals into floats, which would change values in silence


def check_names(names: Sequence[Any], where: str) -> None:
    """Refuse names that are missing, doubled, padded or unseen. Positions are named, and the text only where all names look like
    names: a file without a header shows the cells of a record here."""
    if not names:
        raise DataError(f"{where}: there are no columns.")
    if len(names) > MAX_COLUMNS:
        raise DataError(f"{where}: {len(names):,} columns; at most {MAX_COLUMNS:,} are handled.")
    _refuse(names, where, lambda name: not isinstance(name, str), "a name that is not text")
    _refuse(names, where, lambda name: not name.strip(), "an empty name")
    _refuse(names, where, lambda name: name != name.strip(), "a name with blanks at its edge; remove them")
    _refuse(names, where, _is_unseen, "a name with control or unseen characters")
    _refuse(names, where, lambda name: len(name) > 1000, "a name of more than 1,000 characters")
    _refuse_twins(names, where, lambda name: name, "have the same name")
    _refuse_twins(
        names, where, lambda name: appearance(name).casefold(), "have names that differ only in case or look alike"
    )


def check_types(schema: pa.Schema, where: str, sets: Collection[str] | None = ()) -> None:
    """Refuse columns that are neither plain scalars nor sets of items where sets are meant, naming them all.

    sets: the columns that hold sets of items; None where it is not yet known which do, and lists of items may be anywhere.
    """
    lists = {field.name for field in schema if is_list(field.type)}
    check_sets(lists, [field.name for field in schema], where, sets)
    problems = [
        f"'{field.name}' ({reason})"
        for field in schema
        if (reason := unfit_list(field.type) if field.name in lists else unfit(field.type))
    ]
    if problems:
        refuse_types(problems, where)


def check_sets(lists: Collection[str], names: Sequence[str], where: str, sets: Collection[str] | None) -> None:
    """lists: the columns whose cells are lists."""
    if sets is None:
        return
    unsaid = [name for name in names if name in lists and name not in sets]
    if unsaid:
        raise DataError(
            f"{where}: the cells of {_named(unsaid)} are lists. If they are sets of items, say so in the recipe: "
            '{ role = "quasi", kind = "set" }.'
        )
    single = [name for name in names if name in sets and name not in lists]
    if single:
        raise DataError(
            f'{where}: the recipe gives {_named(single)} kind = "set", but the cells there are single values and no lists.'
        )


def refuse_types(problems: Sequence[str], where: str) -> None:
    """Names the columns and their types, never a cell."""
    shown = ", ".join(problems[:10]) + (f" and {len(problems) - 10} more" if len(problems) > 10 else "")
    raise DataError(
        f"{where}: only tables of plain values and of sets of items are handled in this version. Columns that are not: {shown}. "
        "Turn them into numbers, dates or text, or leave them out."
    )


def unfit_list(kind: pa.DataType) -> str | None:
    """An item is a text or a whole number: other values have more than one way to be written."""
    inner, types = kind.value_type, pa.types
    if types.is_dictionary(inner):
        inner = inner.value_type
    tests = (types.is_string, types.is_large_string, types.is_string_view, types.is_integer, types.is_null)
    return None if any(fits(inner) for fits in tests) else f"a list of {'nested' if types.is_nested(inner) else inner}"


def unfit(kind: pa.DataType) -> str | None:
    """Why a type is not a plain value; None when it is."""
    types = pa.types
    if types.is_dictionary(kind):
        return unfit(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return None if kind.extension_name in {"arrow.uuid", "arrow.json"} else f"extension type {kind.extension_name}"
    if types.is_nested(kind):
        return "nested"
    if types.is_decimal(kind):
        return f"a decimal of more than {_DECIMAL_DIGITS} digits" if kind.precision > _DECIMAL_DIGITS else None
    plain = (
        types.is_boolean, types.is_integer, types.is_floating, types.is_string, types.is_large_string,
        types.is_string_view, types.is_date, types.is_time, types.is_timestamp, types.is_null,
    )  # fmt: skip
    if any(fits(kind) for fits in plain):
        return None
    if (
        types.is_binary(kind)
        or types.is_large_binary(kind)
        or types.is_fixed_size_binary(kind)
        or types.is_binary_view(kind)
    ):
        return "binary"
    return str(kind)


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return f"column{'s' if len(names) > 1 else ''} {shown}"


def _is_unseen(name: str) -> bool:
    # Joiners shape letters in Persian and the Indic scripts; every other format character only hides something.
    return any(
        unicodedata.category(c) in {"Cc", "Zl", "Zp"} or (unicodedata.category(c) == "Cf" and c not in "\u200c\u200d")
        for c in name
    )


def _refuse(names: Sequence[Any], where: str, bad: Callable[[Any], bool], what: str) -> None:
    positions = [i for i, name in enumerate(names, start=1) if bad(name)]
    if positions:
        raise DataError(f"{where}: {_columns(positions)} {'has' if len(positions) == 1 else 'have'} {what}.")


def _refuse_twins(names: Sequence[str], where: str, key: Callable[[str], str], what: str) -> None:
    by_key: dict[str, list[int]] = {}
    for position, name in enumerate(names, start=1):
        by_key.setdefault(key(name), []).append(position)
    twins = [positions for positions in by_key.values() if len(positions) > 1]
    if not twins:
        return
    if not all(map(_is_like_a_name, names)):
        raise DataError(
            f"{where}: {'; '.join(_columns(positions) for positions in twins[:5])} {what}. If there are no names, write them there."
        )
    shown = (f"{_columns(positions)} ('{names[positions[0] - 1]}')" for positions in twins[:5])
    raise DataError(f"{where}: {'; '.join(shown)} {what}. Rename all but one of them in the original.")


def _is_like_a_name(name: str) -> bool:
    """Nearly every name is a word; a number, a date or an address is sooner a cell of a file without names, and not shown."""
    return name[0].isalpha() and "@" not in name and len(name) <= 64


def _columns(positions: list[int]) -> str:
    shown = ", ".join(map(str, positions[:10])) + (", …" if len(positions) > 10 else "")
    return f"column{'s' if len(positions) > 1 else ''} {shown}"
