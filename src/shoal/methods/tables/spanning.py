"""A minimum spanning tree over distinct tuples under the hierarchical distance.

Two ways give a tree of the same weight, and at every threshold the same components (ERRATA 002-6); which one is taken is a matter
of cost, and depends on nothing but the data. Trying combinations of levels from the cheapest up needs no pairs at all, and wins by
far when tuples are close to each other or very many. When there are too many combinations, as with dozens of columns, Prim's
algorithm looks at every pair once, a row of distances at a time. Both need memory for the tuples, never for their pairs.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.grouping import Layout
from shoal.kernels.spanning_sweep import Blur, Groups, Links, Move
from shoal.kernels.spanning_tree import begin, grow
from shoal.methods.method import Listener, Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.methods.tables.level_distance import Space

_PAIRS_PER_KEY = 600  # pairs whose distance in one column is looked up while one key is grouped, at least
_KEYS_PER_BLUR = 1000  # keys that are grouped in the time a grouping needs whatever its size
_KEPT = 1 << 23  # keys of groups that are kept for the groups of dearer blurs
_AT_ONCE = 200_000_000  # lookups between two messages: some tenths of a second

Levels = tuple[int, ...]


class Edges(NamedTuple):
    """(points - 1,) each. Weights are half the distances, in whole numbers."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weights: NDArray[np.int64]


def spanning_tree(space: Space, listener: Listener) -> Edges:
    points, columns = space.codes.shape
    return tree_by_levels(space, listener, points * points * columns // _PAIRS_PER_KEY) or tree_by_rows(space, listener)


def tree_by_rows(space: Space, listener: Listener) -> Edges:
    points = len(space.codes)
    rows = space.rows
    growth = begin(rows, np.arange(points))
    for done in range(0, points - 1, step := max(_AT_ONCE // (points * len(rows.at)), 1)):
        _tell(listener, done, points)
        grow(rows, growth, min(done + step, points - 1))
    return Edges(growth.first, growth.second, growth.weights)


def tree_by_levels(space: Space, listener: Listener, most: float = float("inf")) -> Edges | None:
    """None when it takes grouping more than so many keys, or when a tuple does not fit into one word."""
    points, columns = space.codes.shape
    layout = Layout.for_domains([len(steps[-1].values) if steps else 1 for steps in space.steps])
    if layout.width > 1:
        return None
    links = Links.none(points)
    sweep = _Sweep(space, layout)
    waiting: list[tuple[int, Levels, int]] = [(0, (0,) * columns, 0)]
    work = told = 0
    while links.state[0] < points - 1:
        weight, levels, last = heapq.heappop(waiting)
        for column in range(last, columns):  # every combination is reached once: columns are raised from left to right
            if levels[column] < len(space.steps[column]):
                raised = (*levels[:column], levels[column] + 1, *levels[column + 1 :])
                step = sweep.price(raised, column) - sweep.price(levels, column)
                heapq.heappush(waiting, (weight + step, raised, column))
        work += sweep.blur(levels, weight, links) + _KEYS_PER_BLUR
        if work > most:
            return None
        if work - told > _AT_ONCE // _PAIRS_PER_KEY:
            _tell(listener, int(links.state[0]), points)
            told = work
    return Edges(links.first, links.second, links.weights)


class _Sweep:
    """Groups of tuples that are equal at combinations of levels, each made from those of a lower combination."""

    def __init__(self, space: Space, layout: Layout) -> None:
        points, columns = space.codes.shape
        self._steps = space.steps
        self._layout = layout
        numbers = np.arange(points, dtype=np.int32)
        self._bottom = (0,) * columns
        self._kept = {self._bottom: Groups(self._layout.pack(space.codes)[:, 0], numbers, numbers)}
        self._keys = 0
        self._blur = Blur(points)

    def price(self, levels: Levels, column: int) -> int:
        return self._steps[column][levels[column] - 1].price if levels[column] else 0

    def blur(self, levels: Levels, weight: int, links: Links) -> int:
        """Link the tuples that become equal at a combination; returns the keys it took."""
        if levels == self._bottom:
            return 0
        lower = [(*levels[:c], level - 1, *levels[c + 1 :]) for c, level in enumerate(levels) if level]
        start = min((k for k in lower if k in self._kept), key=lambda k: len(self._kept[k].keys), default=self._bottom)
        groups = self._kept[start]
        made = self._blur(groups, self._move(start, levels), weight, links)
        if self._keys + len(made.keys) <= _KEPT:
            self._kept[levels] = made
            self._keys += len(made.keys)
        return len(groups.keys)

    def _move(self, start: Levels, end: Levels) -> Move:
        columns = [c for c in range(len(end)) if start[c] < end[c]]
        maps = [self._steps[c][end[c] - 1].values for c in columns]
        return Move(
            self._layout.shifts[columns],
            self._layout.masks[columns],
            np.cumsum([0, *map(len, maps[:-1])], dtype=np.int64),
            np.concatenate(maps).astype(np.uint64),
        )


def _tell(listener: Listener, edges: int, points: int) -> None:
    listener(Progress("search", f"{edges:,} of {points - 1:,} edges of the spanning tree", edges / (points - 1) / 2))
