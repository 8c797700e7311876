"""A minimum spanning tree of points by Prim's algorithm, one row of distances at a time.

A distance is a sum over blocks of columns: points that agree in all columns of a block share a value of it, and the distances of
one point to all values of a block are a row that is read once per point. So a distance costs one lookup per block, however many
columns there are, and memory grows with the points and not with their pairs.

The tree need not start from nothing: components whose edges are known join as a whole. Ties go to the point that joined last. Trees
then grow in long branches and not as stars, so that cutting an edge leaves something on both sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK = 1024  # points whose distances are held at once: they stay in the first cache
_TIE = 0x7FFFFFFF  # a tie that loses against all others: the points the tree began with
_FAR = np.iinfo(np.int64).max


class Rows(NamedTuple):
    """Where distances are read. The row of a point has a place for every value of every block."""

    codes: NDArray[np.uint32]  # (blocks, points): the place of the point's value in a row
    starts: NDArray[np.int64]  # (blocks + 1,): where each block begins in a row
    tables: NDArray[np.int64]  # distances between the values of a block, all blocks one after the other
    at: NDArray[np.int64]  # (blocks,): where the table of a block begins; -1: it is a column too large for a table
    columns: NDArray[np.int64]  # (blocks,): that column, or -1
    trees: Trees  # the distances of such a column: the price of the lowest node that covers both leaves


class Growth(NamedTuple):
    """A tree that is being grown; the arrays are filled as it goes on."""

    codes: NDArray[np.uint32]  # (blocks, points) of the points outside the tree
    points: NDArray[np.int64]  # (points,): their numbers
    components: NDArray[np.int32]  # (points,): equal for points whose connection is known; -1 for one that has no other
    nearest: NDArray[np.int64]  # (points,): distance to the tree and the tie; -1 for a point that joins without an edge
    anchors: NDArray[np.int64]  # (points,): the nearest of the points the tree began with
    order: NDArray[np.int64]  # (points,): those that have joined, in their order
    first: NDArray[np.int64]  # (points,): ends of the edges found
    second: NDArray[np.int64]  # (points,)
    weights: NDArray[np.int64]  # (points,)
    state: NDArray[np.int64]  # (2,): points joined, edges found

    @classmethod
    def of(cls, rows: Rows, outside: NDArray[np.int64], components: NDArray[np.int32]) -> Growth:
        """components: (points of the table,)"""
        count = len(outside)
        alone = np.bincount(components)[components] == 1
        nearest = np.full(count, _FAR, np.int64)
        if count == len(components):
            nearest[0] = -1  # a tree without a beginning begins here
        return cls(
            np.ascontiguousarray(rows.codes[:, outside]),
            outside.copy(),
            np.where(alone, np.int32(-1), components)[outside],
            nearest,
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(2, np.int64),
        )


@kernel
def anchor(
    rows: Rows, inside: NDArray[np.int64], codes: NDArray[np.uint32], growth: Growth, low: int, high: int
) -> None:
    """Find the nearest of the points the tree begins with, for some of those outside. codes: (blocks, inside) of theirs."""
    near = np.empty(rows.starts[-1], np.int64)
    part = np.empty(_CHUNK, np.int64)
    for place in range(low, high):
        read_row(rows, growth.codes[:, place], near)
        least, where = _FAR, 0
        for start in range(0, len(inside), _CHUNK):
            size = min(len(inside) - start, _CHUNK)
            distances(codes, near, start, size, part)
            for j in range(size):
                if part[j] < least:
                    least, where = part[j], start + j
        growth.nearest[place] = (least << 31) + _TIE
        growth.anchors[place] = inside[where]


@kernel
def grow(rows: Rows, growth: Growth, until: int) -> None:
    """Go on until so many points have joined. A distance and the number of points both fit into 31 bits."""
    codes, points, components, nearest = growth.codes, growth.points, growth.components, growth.nearest
    state = growth.state
    count = len(points)
    near = np.empty(rows.starts[-1], np.int64)
    part = np.empty(_CHUNK, np.int64)
    place = 0
    for j in range(count - state[0]):
        if nearest[j] < nearest[place]:
            place = j
    for step in range(state[0], until):
        joined, component, key = points[place], components[place], nearest[place]
        if key >= 0:
            tie = key & _TIE
            growth.first[state[1]] = growth.anchors[place] if tie == _TIE else growth.order[count - 1 - tie]
            growth.second[state[1]] = joined
            growth.weights[state[1]] = key >> 31
            state[1] += 1
        growth.order[step] = joined
        read_row(rows, codes[:, place], near)
        outside = count - 1 - step
        for block in range(len(codes)):
            codes[block, place] = codes[block, outside]
        points[place], components[place] = points[outside], components[outside]
        nearest[place], growth.anchors[place] = nearest[outside], growth.anchors[outside]
        # Distance and tie in one number, so that one comparison decides both: the least is the last to have joined.
        least, place = _FAR, 0
        for low in range(0, outside, _CHUNK):
            size = min(outside - low, _CHUNK)
            distances(codes, near, low, size, part)
            found = _approach(part, nearest[low : low + size], count - 1 - step)
            if found < least:
                least, place = found, low
        while place < outside and nearest[place] != least:
            place += 1
        if component >= 0 and key >= 0:
            for j in range(outside):
                if components[j] == component:
                    nearest[j] = -1
                    place = j
    state[0] = until


@kernel
def _approach(part: NDArray[np.int64], nearest: NDArray[np.int64], tie: int) -> int:
    least = _FAR
    for j in range(len(nearest)):
        found = min((part[j] << 31) + tie, nearest[j])
        nearest[j] = found
        least = min(least, found)
    return least


@kernel
def read_row(rows: Rows, point: NDArray[np.uint32], near: NDArray[np.int64]) -> None:
    """near: distances from a point, given by its places, to every value of every block."""
    for block in range(len(rows.at)):
        start, end = rows.starts[block], rows.starts[block + 1]
        value = np.int64(point[block]) - start
        if rows.at[block] >= 0:
            table = rows.at[block] + value * (end - start)
            for place in range(end - start):
                near[start + place] = rows.tables[table + place]
        else:
            _fill(rows.trees, rows.columns[block], value, near, start)


@kernel
def _fill(trees: Trees, column: int, leaf: int, near: NDArray[np.int64], start: int) -> None:
    """The leaves below an ancestor lie around those below the one before: every leaf is written once."""
    at = trees.offsets[column]
    near[start + leaf] = 0
    low = high = leaf
    node = trees.parents[at + leaf]
    while node >= 0:
        price = np.int64(trees.prices[at + node])
        first, last = trees.first[at + node], trees.last[at + node]
        for place in range(start + first, start + low):
            near[place] = price
        for place in range(start + high + 1, start + last + 1):
            near[place] = price
        low, high = first, last
        node = trees.parents[at + node]


@kernel
def distances(codes: NDArray[np.uint32], near: NDArray[np.int64], low: int, size: int, out: NDArray[np.int64]) -> None:
    """out[:size]: distances to the points from `low` on. Two blocks at a time: it halves the passes over `out`."""
    blocks = len(codes)
    if blocks % 2:
        single = codes[0, low : low + size]
        for j in range(size):
            out[j] = near[single[j]]
    else:
        for j in range(size):
            out[j] = 0
    for block in range(blocks % 2, blocks, 2):
        one, two = codes[block, low : low + size], codes[block + 1, low : low + size]
        for j in range(size):
            out[j] += near[one[j]] + near[two[j]]


@kernel
def small_trees(
    trees: Trees, codes: NDArray[np.int32], points: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Edges of a tree within each set of a few points, points[starts[i]:starts[i + 1]]. codes: (all points, columns) leaves.

    For sets too small to be worth rows of distances.
    """
    edges = len(points) - (len(starts) - 1)
    first, second, weights = np.empty(edges, np.int64), np.empty(edges, np.int64), np.empty(edges, np.int64)
    outside, nearest, neighbour = points.copy(), np.empty(len(points), np.int64), np.empty(len(points), np.int64)
    edge = 0
    for i in range(len(starts) - 1):
        start = place = starts[i]
        for j in range(start, starts[i + 1]):
            nearest[j] = _FAR
        for end in range(starts[i + 1] - 1, start, -1):
            joined = outside[place]
            outside[place], nearest[place], neighbour[place] = outside[end], nearest[end], neighbour[end]
            _join(trees, codes, joined, outside, start, end, nearest, neighbour)
            place = start
            for j in range(start, end):
                if nearest[j] < nearest[place]:
                    place = j
            first[edge], second[edge], weights[edge] = neighbour[place], outside[place], nearest[place]
            edge += 1
    return first, second, weights


@kernel
def _join(
    trees: Trees,
    codes: NDArray[np.int32],
    joined: int,
    outside: NDArray[np.int64],
    start: int,
    end: int,
    nearest: NDArray[np.int64],
    neighbour: NDArray[np.int64],
) -> None:
    """A point has joined a tree: which of those outside are nearer to it than to the others?"""
    offsets, first, last, parents, prices = trees
    for j in range(start, end):
        distance = 0.0
        for column in range(len(offsets)):
            leaf, node = codes[outside[j], column], offsets[column] + codes[joined, column]
            while first[node] > leaf or last[node] < leaf:
                node = offsets[column] + parents[node]
            distance += prices[node]
        if distance <= nearest[j]:
            nearest[j], neighbour[j] = np.int64(distance), joined
