"""Cut a forest of weighted edges into subtrees, whole generations of subtrees at a time.

The points of a subtree stand one after the other, parents before children, so that everything about it is one pass forwards or
backwards over its stretch, and a cut only sorts that stretch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Forest(NamedTuple):
    """Rooted trees. The arrays change as edges are cut."""

    order: NDArray[np.int64]  # (points,): subtree by subtree, parents before children
    parents: NDArray[np.int64]  # (points,): -1 for a root
    weights: NDArray[np.int64]  # (points,): of the edge to the parent
    records: NDArray[np.int64]  # (points,)


class Stretches(NamedTuple):
    """Subtrees by where they stand in the order of a forest."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    records: NDArray[np.int64]


@njit(cache=True, nogil=True)
def plant(
    records: NDArray[np.int64], first: NDArray[np.int64], second: NDArray[np.int64], weights: NDArray[np.int64]
) -> tuple[Forest, Stretches]:
    """A forest from its edges; the smallest point of each tree is its root."""
    count, edges = len(records), len(first)
    places = np.zeros(count + 1, np.int64)
    for e in range(edges):
        places[first[e] + 1] += 1
        places[second[e] + 1] += 1
    for i in range(count):
        places[i + 1] += places[i]
    free = places[:-1].copy()
    neighbours = np.empty(2 * edges, np.int64)
    lengths = np.empty(2 * edges, np.int64)
    for e in range(edges):
        for a, b in ((first[e], second[e]), (second[e], first[e])):
            neighbours[free[a]] = b
            lengths[free[a]] = weights[e]
            free[a] += 1
    forest = Forest(np.empty(count, np.int64), np.full(count, -2, np.int64), np.zeros(count, np.int64), records)
    starts = np.empty(count, np.int64)
    trees = done = filled = 0
    for root in range(count):
        if forest.parents[root] != -2:
            continue
        starts[trees] = filled
        trees += 1
        forest.parents[root] = -1
        forest.order[filled] = root
        filled += 1
        while done < filled:
            point = forest.order[done]
            done += 1
            for at in range(places[point], places[point + 1]):
                child = neighbours[at]
                if forest.parents[child] == -2:
                    forest.parents[child] = point
                    forest.weights[child] = lengths[at]
                    forest.order[filled] = child
                    filled += 1
    ends = np.append(starts[1:trees], filled)
    sums = np.zeros(trees, np.int64)
    for tree in range(trees):
        for at in range(starts[tree], ends[tree]):
            sums[tree] += records[forest.order[at]]
    return forest, Stretches(starts[:trees], ends, sums)


@njit(cache=True, nogil=True)
def weigh(forest: Forest, trees: Stretches) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sums of the weights and of their squares."""
    sums, squares = np.zeros(len(trees.starts), np.int64), np.zeros(len(trees.starts), np.int64)
    for tree in range(len(trees.starts)):
        for at in range(trees.starts[tree] + 1, trees.ends[tree]):
            weight = forest.weights[forest.order[at]]
            sums[tree] += weight
            squares[tree] += weight * weight
    return sums, squares


@njit(cache=True, nogil=True)
def cut(forest: Forest, trees: Stretches, kept: NDArray[np.int64], least: int) -> Stretches:
    """Cut the edges heavier than kept[tree]; where there are none, the one edge that is best to cut.

    That is the heaviest that leaves `least` records on both sides (ties: most balanced, then smallest points). Returns the
    subtrees made; a tree without an edge to cut makes none.
    """
    below = np.zeros(len(forest.order), np.int64)
    piece = np.empty(len(forest.order), np.int64)
    longest = 0
    for tree in range(len(trees.starts)):
        longest = max(longest, trees.ends[tree] - trees.starts[tree])
    spare = np.empty(longest, np.int64)
    starts, ends, records = [np.int64(0) for _ in range(0)], [np.int64(0) for _ in range(0)], [np.int64(0) for _ in range(0)]
    for tree in range(len(trees.starts)):
        stretch = forest.order[trees.starts[tree] : trees.ends[tree]]
        cuts = 0
        for point in stretch[1:]:
            if forest.weights[point] > kept[tree]:
                forest.parents[point] = -1
                cuts += 1
        if not cuts:
            point = _best_cut(forest, stretch, trees.records[tree], least, below)
            if point < 0:
                continue
            forest.parents[point] = -1
            cuts = 1
        sizes = np.zeros(cuts + 1, np.int64)
        sums = np.zeros(cuts + 1, np.int64)
        pieces = 0
        for point in stretch:
            if forest.parents[point] < 0:
                piece[point] = pieces
                pieces += 1
            else:
                piece[point] = piece[forest.parents[point]]
            sizes[piece[point]] += 1
            sums[piece[point]] += forest.records[point]
        places = np.cumsum(sizes) - sizes
        for p in range(pieces):
            starts.append(trees.starts[tree] + places[p])
            ends.append(trees.starts[tree] + places[p] + sizes[p])
            records.append(sums[p])
        for point in stretch:
            spare[places[piece[point]]] = point
            places[piece[point]] += 1
        stretch[:] = spare[: len(stretch)]
    return Stretches(np.array(starts, np.int64), np.array(ends, np.int64), np.array(records, np.int64))


@njit(cache=True, nogil=True)
def _best_cut(forest: Forest, stretch: NDArray[np.int64], records: int, least: int, below: NDArray[np.int64]) -> int:
    """The point whose edge to its parent is best to cut, or -1."""
    for point in stretch:
        below[point] = forest.records[point]
    best, best_weight, best_tilt, best_low, best_high = -1, -1, 0, 0, 0
    for at in range(len(stretch) - 1, 0, -1):
        point = stretch[at]
        parent = forest.parents[point]
        below[parent] += below[point]
        if below[point] < least or records - below[point] < least:
            continue
        weight, tilt = forest.weights[point], abs(records - 2 * below[point])
        low, high = min(point, parent), max(point, parent)
        if (-weight, tilt, low, high) < (-best_weight, best_tilt, best_low, best_high):
            best, best_weight, best_tilt, best_low, best_high = point, weight, tilt, low, high
    return best


@njit(cache=True, nogil=True)
def subtree_of(forest: Forest) -> NDArray[np.int64]:
    """(points,): subtrees are numbered from 0 in the order of their smallest points."""
    count = len(forest.order)
    root = np.empty(count, np.int64)
    for point in forest.order:
        root[point] = point if forest.parents[point] < 0 else root[forest.parents[point]]
    number = np.full(count, -1, np.int64)
    found = 0
    for point in range(count):
        if number[root[point]] < 0:
            number[root[point]] = found
            found += 1
    for point in range(count):
        root[point] = number[root[point]]
    return root
