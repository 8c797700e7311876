"""The lattice of full-domain generalizations: a node is one level per column; above means more general.

Small lattices are held as arrays with one axis per column, so that everything below (or above) a node is a slice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Node = tuple[int, ...]


@dataclass(frozen=True)
class Lattice:
    """All combinations of levels, by the height of each hierarchy."""

    heights: tuple[int, ...]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(height + 1 for height in self.heights)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def bottom(self) -> Node:
        return (0,) * len(self.heights)

    @property
    def top(self) -> Node:
        return self.heights

    def parents(self, node: Node) -> Iterator[Node]:
        """The nodes one step more general."""
        for column, height in enumerate(self.heights):
            if node[column] < height:
                yield (*node[:column], node[column] + 1, *node[column + 1 :])

    def children(self, node: Node) -> Iterator[Node]:
        """The nodes one step more detailed."""
        for column, level in enumerate(node):
            if level:
                yield (*node[:column], level - 1, *node[column + 1 :])

    def bottom_up(self) -> Iterator[Node]:
        """Every node, each after all nodes below it."""
        return iter(np.ndindex(*self.shape))


def below(node: Node) -> tuple[slice, ...]:
    """The node and everything more detailed, as an index into an array over the lattice."""
    return tuple(slice(None, level + 1) for level in node)


def above(node: Node) -> tuple[slice, ...]:
    """The node and everything more general."""
    return tuple(slice(level, None) for level in node)


def outer_sum(per_column: list[list[float]]) -> NDArray[np.float64]:
    """total[l1, l2, …] = per_column[0][l1] + per_column[1][l2] + …"""
    total = np.zeros((), np.float64)
    for levels in per_column:
        total = np.add.outer(total, np.asarray(levels, np.float64))
    return np.asarray(total)
