"""Columns and the roles a person gives them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.data.trees import TreeShape


# What the guarantees speak of: combinations of values, sets of items, both together, or trees.
Kind = Literal["tables", "sets", "mixed", "trees"]
# What a cell holds: one value, or a set of items; or: a class of nodes of a tree.
CellKind = Literal["scalar", "set", "node"]


class Role(StrEnum):
    """What a column is to an attacker, and so what happens to it."""

    IDENTIFYING = "identifying"  # removed
    QUASI = "quasi"  # could be known to others: generalized
    SENSITIVE = "sensitive"  # published as it is, protected by the guarantee
    PLAIN = "plain"  # published as it is


@dataclass(frozen=True)
class Column:
    """What is known of a column before the data is read."""

    name: str
    role: Role
    kind: CellKind = "scalar"
    sensitive_items: tuple[str, ...] = ()  # of a column of sets: items that are published as they are
    path: str = ""  # where its values lie in a nested record (data/paths.py); empty: under the name
    parent: str | None = None  # of a class of nodes: the class below which it hangs; None: the root
    negated: tuple[str, ...] = ()  # of a class of nodes: values that somebody may know a person not to have
    accept_unique: bool = False  # published as it is though it tells people apart, as the recipe says openly
    missing: tuple[str, ...] = ()  # codes that stand for a missing value (data/codes.py)
    names_people: bool = False  # read though it is not published, to know people by it

    @property
    def place(self) -> str:
        """Where its values lie in a nested record."""
        return self.path or self.name


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
    def read(self) -> tuple[str, ...]:
        """Names of the columns that leave a database or a nested record: the published ones, and the one that names people."""
        return tuple(c.name for c in self.columns if c.role is not Role.IDENTIFYING or c.names_people)

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
    def nodes(self) -> tuple[str, ...]:
        """Names of the quasi columns that are classes of nodes."""
        return tuple(c.name for c in self.columns if c.role is Role.QUASI and c.kind == "node")

    @property
    def scalars(self) -> tuple[str, ...]:
        """Beside trees: names of the published columns that hold one value of each record."""
        return self.names(Role.SENSITIVE, Role.PLAIN)

    @property
    def shape(self) -> TreeShape:
        """The classes of nodes, each after its parent."""
        from shoal.data.trees import TreeShape  # roles can be named without loading arrays

        return TreeShape.of({c.name: c.parent for c in self.columns if c.role is Role.QUASI and c.kind == "node"})

    @property
    def negated(self) -> dict[str, tuple[str, ...]]:
        """By class of nodes: values that somebody may know a person not to have."""
        return {c.name: c.negated for c in self.columns if c.name in self.nodes and c.negated}

    @property
    def kind(self) -> Kind:
        """What the guarantees speak of: combinations of values, sets of items, both together, or trees."""
        if self.nodes:
            return "trees"
        if not self.quasi_sets:
            return "tables"
        return "mixed" if self.quasi_values else "sets"

    @property
    def sets_alone(self) -> bool:
        """Whether sets of items are all that may be known. An empty one then says that somebody has no items, and is a record;
        beside single values it says nothing."""
        return self.kind == "sets"

    @property
    def grouped(self) -> tuple[str, ...]:
        """Names of the columns whose combinations are counted. Sets and trees are not among them: nearly all are different."""
        return tuple(name for name in self.names(Role.QUASI, Role.SENSITIVE) if name not in (*self.sets, *self.nodes))

    @property
    def accepted(self) -> frozenset[str]:
        """Names of the columns that may tell people apart."""
        return frozenset(c.name for c in self.columns if c.accept_unique)

    def codes(self, name: str) -> tuple[str, ...]:
        """What stands for a missing value in a column."""
        return next(c.missing for c in self.columns if c.name == name)

    def sensitive_items(self, name: str) -> tuple[str, ...]:
        """The items of a column that are published as they are, and that no promise counts as known."""
        return next(c.sensitive_items for c in self.columns if c.name == name)
