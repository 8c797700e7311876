"""Columns and their roles, as a release is held against them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from shoal.verifier.trees.shape import TreeShape

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["tables", "sets", "mixed", "trees"]
KIND_WORDS = {
    "tables": "rows of single values",
    "sets": "sets of items",
    "mixed": "both together",
    "trees": "trees",
}


class Role(StrEnum):
    """What a column is to an attacker."""

    IDENTIFYING = "identifying"  # must not be in the release
    QUASI = "quasi"  # could be known to others
    SENSITIVE = "sensitive"  # published as it is, protected by a promise
    PLAIN = "plain"  # published as it is


@dataclass(frozen=True)
class Column:
    """One column, or of trees one class of nodes. `kind`: what a cell holds: a value, a set of items, or the nodes of a class."""

    name: str
    role: Role
    kind: Literal["scalar", "set", "node"] = "scalar"
    sensitive_items: tuple[str, ...] = ()  # of sets: items that are published as they are
    path: str = ""  # of trees: where its values lie in a nested record; empty: under the name
    parent: str | None = None  # of a class of nodes: the class below which it hangs; None: the root
    negated: tuple[str, ...] = ()  # of a class of nodes: values that somebody may know a person not to have
    accept_unique: bool = False  # published as it is though it tells people apart
    missing: tuple[str, ...] = ()  # codes that stand for a missing value
    written: str = ""  # in CSV: the form of its numbers or dates, by example

    @property
    def place(self) -> str:
        """Where its values lie in a nested record."""
        return self.path or self.name


@dataclass(frozen=True)
class Schema:
    """The columns in the order of the recipe."""

    columns: tuple[Column, ...]

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def names(self, *roles: Role) -> tuple[str, ...]:
        """Names of the columns with one of these roles; all names when none is given."""
        return tuple(column.name for column in self.columns if not roles or column.role in roles)

    def _quasi(self, kind: str) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns if c.role == Role.QUASI and c.kind == kind)

    @cached_property
    def quasi(self) -> tuple[str, ...]:
        """Names of the columns that others could know."""
        return self.names(Role.QUASI)

    @cached_property
    def published(self) -> tuple[str, ...]:
        """Names of the columns that a release may have."""
        return tuple(column.name for column in self.columns if column.role != Role.IDENTIFYING)

    @cached_property
    def sets(self) -> tuple[str, ...]:
        """Names of the columns whose cells are sets of items."""
        return tuple(column.name for column in self.columns if column.kind == "set")

    @cached_property
    def quasi_values(self) -> tuple[str, ...]:
        """Names of the quasi columns of single values."""
        return self._quasi("scalar")

    @cached_property
    def quasi_sets(self) -> tuple[str, ...]:
        """Names of the quasi columns of sets."""
        return self._quasi("set")

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Names of the classes of nodes."""
        return self._quasi("node")

    @cached_property
    def scalars(self) -> tuple[str, ...]:
        """Beside trees: names of the published columns that hold one value of each record."""
        return self.names(Role.SENSITIVE, Role.PLAIN)

    @cached_property
    def shape(self) -> TreeShape:
        """The classes of nodes, each after its parent."""
        nodes = set(self.nodes)
        return TreeShape.of({column.name: column.parent for column in self.columns if column.name in nodes})

    @cached_property
    def negated(self) -> dict[str, tuple[str, ...]]:
        """By class of nodes: values that somebody may know a person not to have."""
        nodes = set(self.nodes)
        return {column.name: column.negated for column in self.columns if column.name in nodes and column.negated}

    @cached_property
    def kind(self) -> Kind:
        """What promises speak of here."""
        if self.nodes:
            return "trees"
        if not self.quasi_sets:
            return "tables"
        return "mixed" if self.quasi_values else "sets"

    @cached_property
    def accepted(self) -> frozenset[str]:
        """Names of the columns that may tell people apart."""
        return frozenset(column.name for column in self.columns if column.accept_unique)

    def form(self, name: str) -> str:
        """How numbers or dates of a column are written in CSV; "" when that is not said."""
        return self._column(name).written

    def codes(self, name: str) -> tuple[str, ...]:
        """What stands for a missing value in a column."""
        return self._column(name).missing

    def sensitive_items(self, name: str) -> tuple[str, ...]:
        """The items of a column that are published as they are."""
        return self._column(name).sensitive_items

    def _column(self, name: str) -> Column:
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}
