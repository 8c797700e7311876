"""Which relations of nodes are still shown, and how many pairs of labels of each tree are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.sorting import place_of
from shoal.kernels.trees.placing import longer
from shoal.kernels.trees.sort_few import sort_few

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def depths(offsets: NDArray[np.int64], parents: NDArray[np.int32]) -> NDArray[np.int64]:
    """(nodes,): 1 below the root, 2 below that."""
    made = np.empty(len(parents), np.int64)
    for tree in range(len(offsets) - 1):
        start = offsets[tree]
        for node in range(start, offsets[tree + 1]):
            made[node] = 1 if parents[node] < 0 else made[start + parents[node]] + 1
    return made


@kernel
def kept_relations(
    offsets: NDArray[np.int64],
    parents: NDArray[np.int32],
    starts: NDArray[np.int64],
    shows: NDArray[np.int32],
    shown_offsets: NDArray[np.int64],
    shown_labels: NDArray[np.int32],
    shown_parents: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """For each node and each of those above it, the topmost first: whether what they are shown as stands one above the other.

    starts: (nodes + 1,) where those of each node begin; shows: (nodes,) the label each node is shown as, or -1. The labels are what
    counts: which of two nodes with the same label a node became is not asked.
    """
    kept = np.zeros(starts[-1], np.bool_)
    total = np.int64(1)
    for label in shown_labels:
        total = max(total, np.int64(label) + 1)
    found = np.empty(64, np.int64)
    for tree in range(len(offsets) - 1):
        begin, pairs = shown_offsets[tree], 0
        for node in range(begin, shown_offsets[tree + 1]):
            up = shown_parents[node]
            while up >= 0:
                if pairs == len(found):
                    found = longer(found)
                found[pairs] = np.int64(shown_labels[begin + up]) * total + shown_labels[node]
                pairs += 1
                up = shown_parents[begin + up]
        related = sort_few(found, pairs)
        start = offsets[tree]
        for node in range(start, offsets[tree + 1]):
            up, at = parents[node], starts[node + 1] - 1
            while up >= 0:
                if shows[node] >= 0 and shows[start + up] >= 0:
                    key = np.int64(shows[start + up]) * total + shows[node]
                    place = place_of(related, pairs, key)
                    kept[at] = place < pairs and related[place] == key
                up, at = parents[start + up], at - 1
    return kept


@kernel
def pairs_of_labels(
    offsets: NDArray[np.int64],
    labels: NDArray[np.int32],
    parents: NDArray[np.int32],
    starts: NDArray[np.int64],
    kept: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(trees,) twice: the different pairs of labels one above the other, and how many of them are related nowhere any more."""
    pairs, lost = np.zeros(len(offsets) - 1, np.int64), np.zeros(len(offsets) - 1, np.int64)
    total = np.int64(1)
    for label in labels:
        total = max(total, np.int64(label) + 1)
    most = 0
    for tree in range(len(offsets) - 1):
        most = max(most, starts[offsets[tree + 1]] - starts[offsets[tree]])
    found = np.empty(most, np.int64)
    for tree in range(len(offsets) - 1):
        start, stop = offsets[tree], offsets[tree + 1]
        for node in range(start, stop):
            up, at = parents[node], starts[node + 1] - 1
            while up >= 0:
                key = np.int64(labels[start + up]) * total + labels[node]
                found[at - starts[start]] = 2 * key + (0 if kept[at] else 1)  # of equal pairs a kept one comes first
                up, at = parents[start + up], at - 1
        last = np.int64(-1)
        for one in sort_few(found, starts[stop] - starts[start]):
            if one // 2 != last:
                last = one // 2
                pairs[tree] += 1
                lost[tree] += one % 2
    return pairs, lost
