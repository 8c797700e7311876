"""A minimum spanning tree over distinct tuples under the hierarchical distance.

Combinations of levels are tried from the cheapest up; that needs no pairs at all, and connects most tuples at once. Left are the
few that are far from all others, for which there would be far too many combinations. Prim's algorithm connects them, a row of
distances at a time, as soon as this takes no longer than has been spent so far. Where a tuple does not fit into one word, as with
dozens of columns, it connects them all. Memory is needed for the tuples, never for their pairs.

Which trees come out among those of the same weight depends on the data alone. At every threshold they have the same components
(ERRATA 002-6).
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.grouping import Layout
from shoal.kernels.tables.spanning import Growth, anchor, grow
from shoal.kernels.tables.spanning_sweep import Blur, Groups, Links, Move
from shoal.methods.method import Listener, Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.methods.tables.level_distance import Space

_LOOKUPS_PER_KEY = 50  # distances in one column that are looked up while one key is grouped
_KEYS_PER_BLUR = 1000  # keys that are grouped in the time a grouping needs whatever its size
_KEPT = 1 << 23  # keys of groups that are kept for the groups of more expensive blurs
_WORTH_TABLES = 1 << 27  # lookups that take longer than making tables for them
_AT_ONCE = 1 << 28  # lookups between two messages: some tenths of a second

Levels = tuple[int, ...]


class Edges(NamedTuple):
    """(points - 1,) each. Weights are half the distances, in whole numbers."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weights: NDArray[np.int64]


def spanning_tree(space: Space, listener: Listener, *, by_levels: bool = True) -> Edges:
    """Without `by_levels` Prim's algorithm does it all; the weight is the same."""
    links = Links.none(len(space.codes))
    if by_levels:
        connect_by_levels(space, links, listener)
    return connect_by_rows(space, links, listener)


def connect_by_levels(space: Space, links: Links, listener: Listener) -> None:
    """Kruskal's algorithm over combinations of levels, until it is cheaper to look at the pairs that are left."""
    points, columns = space.codes.shape
    layout = Layout.for_domains([len(steps[-1].values) if steps else 1 for steps in space.steps])
    if layout.width > 1:
        return
    sweep = _Sweep(space, layout)
    waiting: list[tuple[int, Levels, int]] = [(0, (0,) * columns, 0)]
    work = 0
    while (points - links.state[1]) * points * columns > work * _LOOKUPS_PER_KEY:
        weight, levels, last = heapq.heappop(waiting)
        for column in range(last, columns):  # every combination is reached once: columns are raised from left to right
            if levels[column] < len(space.steps[column]):
                raised = (*levels[:column], levels[column] + 1, *levels[column + 1 :])
                step = sweep.price(raised, column) - sweep.price(levels, column)
                heapq.heappush(waiting, (weight + step, raised, column))
        work += sweep.blur(levels, weight, links) + _KEYS_PER_BLUR
        _tell(listener, int(links.state[0]), points)


def connect_by_rows(space: Space, links: Links, listener: Listener) -> Edges:
    """Prim's algorithm, with the largest component as the tree to begin with."""
    points, columns = space.codes.shape
    edges, largest = links.state.tolist()
    components = links.components()
    within = components == np.bincount(components).argmax() if largest > 1 else np.zeros(points, np.bool_)
    inside, outside = np.flatnonzero(within), np.flatnonzero(~within)
    rows = space.rows(tables=len(outside) * points * columns > _WORTH_TABLES)
    growth = Growth.of(rows, outside, components)
    codes = np.ascontiguousarray(rows.codes[:, inside])
    step = max(_AT_ONCE // (points * len(rows.at)), 1)
    for done in range(0, len(outside) if len(inside) else 0, step):
        anchor(rows, inside, codes, growth, done, min(done + step, len(outside)))
        _tell(listener, edges, points)
    for done in range(0, len(outside), step):
        grow(rows, growth, min(done + step, len(outside)))
        _tell(listener, edges + int(growth.state[1]), points)
    return Edges(
        *(
            np.concatenate([known[:edges], new[: points - 1 - edges]])
            for known, new in zip(links[2:5], (growth.first, growth.second, growth.weights), strict=True)
        )
    )


class _Sweep:
    """Groups of tuples that are equal at combinations of levels, each made from those of a lower combination."""

    def __init__(self, space: Space, layout: Layout) -> None:
        points, columns = space.codes.shape
        self._steps = space.steps
        self._layout = layout
        self._blur = Blur(points)
        self._bottom = (0,) * columns
        numbers = np.arange(points, dtype=np.int32)
        self._kept = {self._bottom: Groups(layout.pack(space.codes)[:, 0], numbers, numbers)}
        self._keys = 0

    def price(self, levels: Levels, column: int) -> int:
        return self._steps[column][levels[column] - 1].price if levels[column] else 0

    def blur(self, levels: Levels, weight: int, links: Links) -> int:
        """Link the tuples that become equal at a combination; returns the keys it took."""
        if levels == self._bottom:
            return 0
        lower = [(*levels[:c], level - 1, *levels[c + 1 :]) for c, level in enumerate(levels) if level]
        start = min((k for k in lower if k in self._kept), key=lambda k: len(self._kept[k].keys), default=self._bottom)
        groups = self._kept[start]
        blurred = self._blur(groups, self._move(start, levels), weight, links)
        if self._keys + len(blurred.keys) <= _KEPT:
            self._kept[levels] = blurred
            self._keys += len(blurred.keys)
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
    done = edges / max(points - 1, 1)
    listener(Progress("search", f"{edges:,} of {points - 1:,} edges of the spanning tree", done / 2))
