"""Which classes of nodes there are, and what may hang below what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from shoal.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class NodeClass:
    """A class of nodes and the class it hangs below; None: the root."""

    name: str
    parent: str | None = None


@dataclass(frozen=True)
class TreeShape:
    """The classes, each after its parent."""

    classes: tuple[NodeClass, ...]

    @classmethod
    def of(cls, parents: Mapping[str, str | None]) -> TreeShape:
        """From the parent of each class: first those below the root, then those below them, and so on."""
        levels: list[NodeClass] = []
        known: set[str | None] = {None}
        while len(levels) < len(parents):
            level = [NodeClass(name, above) for name, above in parents.items() if name not in known and above in known]
            if not level:
                raise RecipeError("columns: the parents of classes go round in a circle, or one is no class.")
            levels += level
            known |= {one.name for one in level}
        return cls(tuple(levels))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The classes by name."""
        return tuple(one.name for one in self.classes)

    def under(self, name: str | None) -> tuple[str, ...]:
        """The classes whose nodes may hang somewhere below one of this class."""
        above = {one.name: one.parent for one in self.classes}
        return tuple(one for one in self.names if name is None or name in _ancestors(one, above))


def _ancestors(name: str, above: Mapping[str, str | None]) -> set[str]:
    found: set[str] = set()
    parent = above[name]
    while parent is not None:
        found.add(parent)
        parent = above[parent]
    return found
