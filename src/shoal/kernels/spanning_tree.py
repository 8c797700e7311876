"""A minimum spanning tree of points by Prim's algorithm, one row of distances at a time.

A distance is a sum over blocks of columns: points that agree in all columns of a block share a value of it, and the distances of
one point to all values of a block are a row that is read once per point. So a distance costs one lookup per block, however many
columns there are, and memory grows with the points and not with their pairs.

Ties go to the point that joined the tree last. Trees then grow in long branches and not as stars, so that cutting an edge leaves
something on both sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

from shoal.kernels.boxes import Trees, joint_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK = 1024  # points whose distances are held at once: they stay in the first cache


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

    codes: NDArray[np.uint32]  # (blocks, points) of the points outside the tree, the next one to join among them
    points: NDArray[np.int64]  # (points,): their numbers
    nearest: NDArray[np.int64]  # (points,): distance to the tree, and by how much the nearest point precedes the last one
    order: NDArray[np.int64]  # (points,): points in the tree, in the order in which they joined
    first: NDArray[np.int64]  # (points - 1,): ends of the edges
    second: NDArray[np.int64]  # (points - 1,)
    weights: NDArray[np.int64]  # (points - 1,)
    state: NDArray[np.int64]  # (2,): edges so far, place of the next point


@njit(cache=True, nogil=True)
def begin(rows: Rows, points: NDArray[np.int64]) -> Growth:
    """Starts at the first of the points."""
    count = len(points)
    codes = np.empty((len(rows.at), count), np.uint32)
    for block in range(len(rows.at)):
        for i in range(count):
            codes[block, i] = rows.codes[block, points[i]]
    edges = max(count - 1, 0)
    return Growth(
        codes,
        points.copy(),
        np.full(count, np.iinfo(np.int64).max, np.int64),
        np.empty(count, np.int64),
        np.empty(edges, np.int64),
        np.empty(edges, np.int64),
        np.empty(edges, np.int64),
        np.zeros(2, np.int64),
    )


@njit(cache=True, nogil=True)
def grow(rows: Rows, growth: Growth, until: int) -> None:
    """Go on until the tree has so many edges. A distance and the number of points both fit into 31 bits."""
    codes, points, nearest = growth.codes, growth.points, growth.nearest
    count = len(points)
    near = np.empty(rows.starts[-1], np.int64)
    part = np.empty(_CHUNK, np.int64)
    most = np.iinfo(np.int64).max
    place = growth.state[1]
    for step in range(growth.state[0], until):
        read_row(rows, codes[:, place], near)
        growth.order[step] = points[place]
        outside = count - 1 - step
        for block in range(len(codes)):
            codes[block, place] = codes[block, outside]
        points[place] = points[outside]
        nearest[place] = nearest[outside]
        # Distance and tie in one number, so that one comparison decides both: the least is the last to have joined.
        tie = count - 1 - step
        least, where = most, 0
        for low in range(0, outside, _CHUNK):
            size = min(outside - low, _CHUNK)
            distances(codes, near, low, size, part)
            found = _approach(part, nearest[low : low + size], tie, most)
            if found < least:
                least, where = found, low
        place = where
        while nearest[place] != least:
            place += 1
        growth.first[step] = growth.order[count - 1 - (least & 0x7FFFFFFF)]
        growth.second[step] = points[place]
        growth.weights[step] = least >> 31
    growth.state[0] = until
    growth.state[1] = place


@njit(cache=True, nogil=True)
def _approach(part: NDArray[np.int64], nearest: NDArray[np.int64], tie: int, most: int) -> int:
    least = most
    for j in range(len(nearest)):
        found = min((part[j] << 31) + tie, nearest[j])
        nearest[j] = found
        least = min(least, found)
    return least


@njit(cache=True, nogil=True)
def read_row(rows: Rows, point: NDArray[np.uint32], near: NDArray[np.int64]) -> None:
    """near: distances from a point, given by its places, to every value of every block."""
    for block in range(len(rows.at)):
        start, end = rows.starts[block], rows.starts[block + 1]
        value = np.int64(point[block]) - start
        if rows.at[block] >= 0:
            table = rows.at[block] + value * (end - start)
            near[start:end] = rows.tables[table : table + end - start]
        else:
            _fill(rows.trees, rows.columns[block], value, near[start:end])


@njit(cache=True, nogil=True)
def _fill(trees: Trees, column: int, leaf: int, near: NDArray[np.int64]) -> None:
    """The leaves below an ancestor lie around those below the one before: every leaf is written once."""
    at = trees.offsets[column]
    near[leaf] = 0
    low = high = leaf
    node = trees.parents[at + leaf]
    while node >= 0:
        price = np.int64(trees.prices[at + node])
        first, last = trees.first[at + node], trees.last[at + node]
        near[first:low] = price
        near[high + 1 : last + 1] = price
        low, high = first, last
        node = trees.parents[at + node]


@njit(cache=True, nogil=True)
def distances(
    codes: NDArray[np.uint32], near: NDArray[np.int64], low: int, size: int, out: NDArray[np.int64]
) -> None:
    """out[:size]: distances to the points from `low` on. Two blocks at a time: it halves the passes over `out`."""
    blocks = len(codes)
    if blocks % 2:
        single = codes[0, low : low + size]
        for j in range(size):
            out[j] = near[single[j]]
    else:
        out[:size] = 0
    for block in range(blocks % 2, blocks, 2):
        one, two = codes[block, low : low + size], codes[block + 1, low : low + size]
        for j in range(size):
            out[j] += near[one[j]] + near[two[j]]


@njit(cache=True, nogil=True)
def small_trees(
    trees: Trees, codes: NDArray[np.int32], points: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Edges of a tree within each set of a few points, points[starts[i]:starts[i + 1]]. codes: (all points, columns) leaves.

    For sets too small to be worth rows of distances.
    """
    edges = len(points) - (len(starts) - 1)
    first, second, weights = np.empty(edges, np.int64), np.empty(edges, np.int64), np.empty(edges, np.int64)
    edge = 0
    for i in range(len(starts) - 1):
        outside = points[starts[i] : starts[i + 1]].copy()
        count = len(outside)
        nearest = np.full(count, np.iinfo(np.int64).max, np.int64)
        neighbour = np.empty(count, np.int64)
        place = 0
        for left in range(count - 1, 0, -1):
            joined = outside[place]
            outside[place], nearest[place], neighbour[place] = outside[left], nearest[left], neighbour[left]
            place = 0
            for j in range(left):
                distance = np.int64(joint_price(trees, codes[joined], codes[outside[j]], np.inf))
                if distance <= nearest[j]:
                    nearest[j], neighbour[j] = distance, joined
                if nearest[j] < nearest[place]:
                    place = j
            first[edge], second[edge], weights[edge] = neighbour[place], outside[place], nearest[place]
            edge += 1
    return first, second, weights
