"""How tables hang together: `orders.o_custkey = customer.c_custkey`, as the reference of recipes writes it.

On the left stands the table that refers to the other, on the right columns that are unique there; several columns are separated by
commas. From the table of the records on, a table that refers to one already reached is a list below it, under its name; one that
is referred to is looked up.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import RecipeError
from shoal.verifier.originals.paths import parts_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence


@dataclass(frozen=True)
class Key:
    """`table` refers by its `columns` to the `unique` columns of the table `to`."""

    table: str
    columns: tuple[str, ...]
    to: str
    unique: tuple[str, ...]


@dataclass(frozen=True)
class Hung:
    """A table in its place. is_list: a row above may have several rows here; else it has one at most."""

    table: str
    above: str
    key: Key

    @property
    def is_list(self) -> bool:
        return self.key.table == self.table


def key_of(text: str) -> Key:
    """A key as a recipe states it."""
    sides = list(_cut(text, "="))
    if len(sides) != 2:
        raise _fault(text)
    (table, columns), (to, unique) = (_side(side, text) for side in sides)
    if len(columns) != len(unique):
        raise _fault(text)
    return Key(table, columns, to, unique)


def _side(side: str, text: str) -> tuple[str, tuple[str, ...]]:
    named = [parts_of(one.strip()) for one in _cut(side, ",")]
    tables = {parts[0] for parts in named}
    if len(tables) > 1 or any(len(parts) != 2 or parts[1] is None for parts in named):
        raise _fault(text)
    return str(tables.pop()), tuple(str(parts[1]) for parts in named)


def _cut(text: str, mark: str) -> Iterator[str]:
    """At each mark that does not stand in double quotes."""
    start, quoted = 0, False
    for place, sign in enumerate(text):
        if sign == '"':
            quoted = not quoted
        elif sign == mark and not quoted:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def _fault(text: str) -> RecipeError:
    return RecipeError(f"input.keys: '{text}' must read like orders.o_custkey = customer.c_custkey.")


def hang(tables: Collection[str], record: str, keys: Sequence[Key]) -> dict[str, Hung]:
    """By table, its place; the table of the records has none above it. Each comes after the one above."""
    if record not in tables or any(name not in tables for key in keys for name in (key.table, key.to)):
        raise RecipeError("input.keys: a key or `record` names a table that is not among the tables.")
    placed: dict[str, Hung] = {}
    left, waiting = list(keys), deque([record])
    while waiting:
        above = waiting.popleft()
        mine = [key for key in left if above in (key.table, key.to)]
        left = [key for key in left if key not in mine]
        for key in mine:
            other = key.table if key.to == above else key.to
            if other == record or other in placed:
                raise RecipeError(f"input.keys: '{other}' can be reached in more than one way.")
            placed[other] = Hung(other, above, key)
            waiting.append(other)
    if apart := [name for name in tables if name != record and name not in placed]:
        raise RecipeError(f"input.keys: no key ties '{apart[0]}' to the record.")
    return placed


def below(placed: Iterable[Hung], table: str) -> list[Hung]:
    """What hangs directly below a table."""
    return [one for one in placed if one.above == table]
