"""How tables hang together: which rows of which table belong to a record, by their keys.

A key says `orders.o_custkey = customer.c_custkey`: on the left a table that refers to another, on the right the columns that are
unique there. Seen from the table of the records, a table that refers to one already reached is a list of rows below it, under the
table's name; a table that is referred to is looked up, and is one structure. Several columns of a key are separated by commas.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from shoal.data.paths import FieldPath
from shoal.errors import RecipeError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Key:
    """`table` refers by `columns` to the `keys` of the table `to`."""

    table: str
    columns: tuple[str, ...]
    to: str
    keys: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Raises ValueError."""
        sides = _split(text, "=")
        if len(sides) != 2:
            raise ValueError(_FORM)
        (table, columns), (to, keys) = map(_side, sides)
        if len(columns) != len(keys):
            raise ValueError("has as many columns on one side as on the other.")
        return cls(table, columns, to, keys)

    def __str__(self) -> str:
        left = ", ".join(str(FieldPath((self.table, name))) for name in self.columns)
        right = ", ".join(str(FieldPath((self.to, name))) for name in self.keys)
        return f"{left} = {right}"


_FORM = 'must read like "orders.o_custkey = customer.c_custkey": the table that refers to the other stands first.'


def _side(text: str) -> tuple[str, tuple[str, ...]]:
    tables, columns = set(), []
    for one in _split(text, ","):
        try:
            parts = FieldPath.of(one.strip()).parts
        except ValueError:
            raise ValueError(_FORM) from None
        if len(parts) != 2 or parts[0] is None or parts[1] is None:
            raise ValueError(_FORM)
        tables.add(parts[0])
        columns.append(parts[1])
    if len(tables) > 1:
        raise ValueError("each side names columns of one table.")
    return tables.pop(), tuple(columns)


def _split(text: str, mark: str) -> list[str]:
    """At marks outside of double quotes."""
    parts, quoted = [""], False
    for sign in text:
        quoted ^= sign == '"'
        if sign == mark and not quoted:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


@dataclass(frozen=True)
class Hung:
    """A table in its place. path: of its rows in a record; () for the table of the records."""

    table: str
    path: tuple[str | None, ...] = ()
    above: str | None = None
    key: Key | None = None

    @property
    def is_list(self) -> bool:
        """Whether a row above may have several here; else at most one."""
        return self.key is not None and self.key.table == self.table


def ties_of(hung: Iterable[Hung]) -> tuple[FieldPath, ...]:
    """The columns that tie the tables together, as paths in a record."""
    placed = {one.table: one for one in hung}
    ties: dict[FieldPath, None] = {}
    for one in placed.values():
        if one.key is not None:
            for table, columns in ((one.key.to, one.key.keys), (one.key.table, one.key.columns)):
                ties |= dict.fromkeys(FieldPath((*placed[table].path, name)) for name in columns)
    return tuple(ties)


def hang(tables: Sequence[str], record: str, keys: Iterable[Key]) -> tuple[Hung, ...]:
    """All tables, each after the one above it. A RecipeError names every mistake."""
    keys = list(keys)
    problems = [
        f"input.keys: '{key}' names the table '{name}', which is not among the tables.{did_you_mean(name, tables)}"
        for key in keys
        for name in dict.fromkeys((key.table, key.to))
        if name not in tables
    ]
    if record not in tables:
        problems.append(f"input.record: there is no table '{record}'.{did_you_mean(record, tables)}")
    if problems:
        raise RecipeError(*problems)
    placed = {record: Hung(record)}
    used: set[int] = set()
    waiting = [record]
    while waiting:
        above = placed[waiting.pop(0)]
        for number, key in enumerate(keys):
            if number in used or above.table not in (key.table, key.to):
                continue
            used.add(number)
            other = key.table if above.table == key.to else key.to
            if other in placed:
                problems.append(
                    f"input.keys: '{other}' can be reached in more than one way, so where its rows belong cannot be told. List the "
                    f"keys to use in `keys`, or give the table a second name in `tables`, for the key '{key}'."
                )
                continue
            path = (*above.path, other, None) if key.table == other else (*above.path, other)
            placed[other] = Hung(other, path, above.table, key)
            waiting.append(other)
    problems += [
        f"input.keys: no key ties '{name}' to the record, directly or through other tables."
        for name in tables
        if name not in placed
    ]
    if problems:
        raise RecipeError(*problems)
    return tuple(placed.values())
