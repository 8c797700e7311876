"""Which trees hold some labels, and how many records hold labels, one or one above the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.trees.placing import placed, room_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.trees.placing import Showing, Trees


@kernel
def trees_with(trees: Trees, asked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The trees that hold one of these labels (as they are)."""
    made, number = np.empty(len(trees.records), np.int64), 0
    for tree in range(len(trees.records)):
        for node in range(trees.offsets[tree], trees.offsets[tree + 1]):
            if asked[trees.labels[node]]:
                made[number] = tree
                number += 1
                break
    return made[:number].copy()


@kernel
def holders_of(trees: Trees, first: NDArray[np.int32], last: NDArray[np.int32]) -> NDArray[np.int64]:
    """(ranges,): how many records hold a label of each of these ranges."""
    most = -1
    for label in last:
        most = max(most, label)
    covering = np.zeros(most + 2, np.int64)  # ranges by label, as lists one after the other
    for i in range(len(first)):
        for label in range(first[i] + 1, last[i] + 2):
            covering[label] += 1
    for label in range(1, len(covering)):
        covering[label] += covering[label - 1]
    ranges, at = np.empty(covering[-1], np.int64), covering[:-1].copy()
    for i in range(len(first)):
        for label in range(first[i], last[i] + 1):
            ranges[at[label]] = i
            at[label] += 1
    made, seen = np.zeros(len(first), np.int64), np.full(len(first), -1, np.int64)
    for tree in range(len(trees.records)):
        for node in range(trees.offsets[tree], trees.offsets[tree + 1]):
            label = trees.labels[node]
            for place in range(covering[label], covering[label + 1]):
                one = ranges[place]
                if seen[one] != tree:
                    seen[one] = tree
                    made[one] += trees.records[tree]
    return made


@kernel
def relation_supports(trees: Trees, chosen: NDArray[np.int64], showing: Showing) -> NDArray[np.int64]:
    """(labels, labels): how many of the records hold the first label above the second."""
    base = len(showing.apart_row)
    made = np.zeros((base, base), np.int64)
    last = np.full((base, base), -1, np.int64)  # the tree in which a pair was counted last
    room = room_for(trees, chosen)
    shown, above, _ = room
    for tree in chosen:
        nodes = placed(trees, tree, showing, room)
        for node in range(nodes):
            if shown[node] < 0:
                continue
            up = above[node]
            while up >= 0:
                if last[shown[up], shown[node]] != tree:
                    last[shown[up], shown[node]] = tree
                    made[shown[up], shown[node]] += trees.records[tree]
                up = above[up]
    return made


@kernel
def combinations_held(trees: Trees, chosen: NDArray[np.int64], size: int) -> float:
    """At most so many combinations of labels would be counted: as if all nodes of a tree differed."""
    total = 0.0
    for tree in chosen:
        total += _most_combinations(trees.offsets[tree + 1] - trees.offsets[tree], size)
    return total


@kernel
def _most_combinations(number: int, size: int) -> float:
    made = 1.0
    for i in range(size):
        made = made * max(number - i, 0) / (i + 1)
    return made
