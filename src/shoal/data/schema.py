"""Columns and the roles a person gives them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator


Kind = Literal["scalar", "set"]  # what a cell holds: one value, or a set of items


class Role(StrEnum):
    """What a column is to an attacker, and so what happens to it."""

    IDENTIFYING = "identifying"  # removed
    QUASI = "quasi"  # could be known to others: generalized
    SENSITIVE = "sensitive"  # published as it is, protected by the guarantee
    PLAIN = "plain"  # published as it is


@dataclass(frozen=True)
class Column:
    name: str
    role: Role
    kind: Kind = "scalar"
    sensitive_items: tuple[str, ...] = ()  # of a column of sets: items that are published as they are


@dataclass(frozen=True)
class Schema:
    """The columns of a table in the order in which they are published."""

    columns: tuple[Column, ...]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def names(self, *roles: Role) -> tuple[str, ...]:
        """Names of the columns with one of these roles; all names when none is given."""
        return tuple(c.name for c in self.columns if not roles or c.role in roles)

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.names(Role.QUASI)

    @property
    def published(self) -> tuple[str, ...]:
        return self.names(Role.QUASI, Role.SENSITIVE, Role.PLAIN)

    @property
    def sets(self) -> tuple[str, ...]:
        """Names of the columns whose cells are sets of items."""
        return tuple(c.name for c in self.columns if c.kind == "set")

    @property
    def quasi_values(self) -> tuple[str, ...]:
        """Names of the quasi columns whose cells are single values."""
        return tuple(c.name for c in self.columns if c.role is Role.QUASI and c.kind == "scalar")

    @property
    def quasi_sets(self) -> tuple[str, ...]:
        """Names of the quasi columns whose cells are sets of items."""
        return tuple(c.name for c in self.columns if c.role is Role.QUASI and c.kind == "set")

    @property
    def kind(self) -> Literal["table", "sets", "mixed"]:
        """What the guarantees speak of: combinations of values, sets of items, or both together."""
        if not self.quasi_sets:
            return "table"
        return "mixed" if self.quasi_values else "sets"

    def sensitive_items(self, name: str) -> tuple[str, ...]:
        """The items of a column that are published as they are, and that no promise counts as known."""
        return next(c.sensitive_items for c in self.columns if c.name == name)
