"""Cut a forest of weighted edges into subtrees, whole generations of subtrees at a time.

The points of a subtree stand one after the other, parents before children, so that everything about it is one pass forwards or
backwards over its stretch, and a cut only sorts that stretch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Forest(NamedTuple):
    """Rooted trees. The arrays change as edges are cut."""

    order: NDArray[np.int64]  # (points,): subtree by subtree, parents before children
    parents: NDArray[np.int64]  # (points,): -1 for a root
    weights: NDArray[np.int64]  # (points,): of the edge to the parent
    records: NDArray[np.int64]  # (points,)
    notes: NDArray[np.int64]  # (2, points): for work in progress


class Stretches(NamedTuple):
    """Subtrees by where they stand in the order of a forest."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    records: NDArray[np.int64]


@kernel
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
        a, b = first[e], second[e]
        neighbours[free[a]], neighbours[free[b]] = b, a
        lengths[free[a]] = lengths[free[b]] = weights[e]
        free[a] += 1
        free[b] += 1
    forest = Forest(
        np.empty(count, np.int64),
        np.full(count, -2, np.int64),
        np.zeros(count, np.int64),
        records,
        np.empty((2, count), np.int64),
    )
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
    ends, sums = np.empty(trees, np.int64), np.zeros(trees, np.int64)
    for tree in range(trees):
        ends[tree] = starts[tree + 1] if tree + 1 < trees else count
        for at in range(starts[tree], ends[tree]):
            sums[tree] += records[forest.order[at]]
    return forest, Stretches(starts[:trees].copy(), ends, sums)


@kernel
def weigh(forest: Forest, trees: Stretches) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sums of the weights and of their squares."""
    sums, squares = np.zeros(len(trees.starts), np.int64), np.zeros(len(trees.starts), np.int64)
    for tree in range(len(trees.starts)):
        for at in range(trees.starts[tree] + 1, trees.ends[tree]):
            weight = forest.weights[forest.order[at]]
            sums[tree] += weight
            squares[tree] += weight * weight
    return sums, squares


@kernel
def cut(forest: Forest, trees: Stretches, kept: NDArray[np.int64], least: int) -> Stretches:
    """Cut the edges heavier than kept[tree]; where there are none, the one edge that is best to cut.

    That is the heaviest that leaves `least` records on both sides (ties: most balanced, then smallest points). Returns the
    subtrees made; a tree without an edge to cut makes none.
    """
    piece, spare = forest.notes[0], forest.notes[1]
    points = 0
    for tree in range(len(trees.starts)):
        points += trees.ends[tree] - trees.starts[tree]
    sizes, sums = np.empty(points, np.int64), np.empty(points, np.int64)
    made = Stretches(np.empty(points, np.int64), np.empty(points, np.int64), np.empty(points, np.int64))
    found = 0
    for tree in range(len(trees.starts)):
        start, end = trees.starts[tree], trees.ends[tree]
        cuts = 0
        for at in range(start + 1, end):
            point = forest.order[at]
            if forest.weights[point] > kept[tree]:
                forest.parents[point] = -1
                cuts += 1
        if not cuts:
            point = _best_cut(forest, start, end, trees.records[tree], least)
            if point < 0:
                continue
            forest.parents[point] = -1
        pieces = 0
        for at in range(start, end):
            point = forest.order[at]
            spare[at] = point
            if forest.parents[point] < 0:
                piece[point] = pieces
                sizes[pieces] = sums[pieces] = 0
                pieces += 1
            else:
                piece[point] = piece[forest.parents[point]]
            sizes[piece[point]] += 1
            sums[piece[point]] += forest.records[point]
        place = start
        for p in range(pieces):
            made.starts[found], made.ends[found], made.records[found] = place, place + sizes[p], sums[p]
            found += 1
            place, sizes[p] = place + sizes[p], place  # from now on: where the next point of the piece goes
        for at in range(start, end):
            p = piece[spare[at]]
            forest.order[sizes[p]] = spare[at]
            sizes[p] += 1
    return Stretches(made.starts[:found].copy(), made.ends[:found].copy(), made.records[:found].copy())


@kernel
def _best_cut(forest: Forest, start: int, end: int, records: int, least: int) -> int:
    """The point whose edge to its parent is best to cut, or -1."""
    below = forest.notes[0]
    for at in range(start, end):
        below[forest.order[at]] = forest.records[forest.order[at]]
    best, best_weight, best_tilt, best_low, best_high = -1, -1, 0, 0, 0
    for at in range(end - 1, start, -1):
        point = forest.order[at]
        parent = forest.parents[point]
        below[parent] += below[point]
        if below[point] < least or records - below[point] < least:
            continue
        weight, tilt = forest.weights[point], abs(records - 2 * below[point])
        low, high = min(point, parent), max(point, parent)
        if (-weight, tilt, low, high) < (-best_weight, best_tilt, best_low, best_high):
            best, best_weight, best_tilt, best_low, best_high = point, weight, tilt, low, high
    return best


@kernel
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
