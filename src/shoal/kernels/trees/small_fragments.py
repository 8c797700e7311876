"""Fragments of two and of three labels counted together, where there is room for every one that could be.

What most searches spend their time on. Placing the nodes of a small tree takes longer than counting its pairs, so pairs and triples
share it. Keys are those of `tree_fragments.py`, which counts any size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.trees.held_labels import hold, room_to_hold
from shoal.kernels.trees.key_counts import occurring

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.trees.placing import Showing, Trees

ROOM = 1 << 23  # places for counts; more do not fit beside the trees in a processor's memory


def fit(labels: int, focus: int, value_count: int) -> bool:
    """Whether there is room for all that could be."""
    return focus * labels * labels * value_count * 8 <= ROOM


@kernel
def small_fragments(
    trees: Trees, chosen: NDArray[np.int64], showing: Showing, focus: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Keys and counts of pairs, keys and counts of triples, with a label in focus."""
    base = np.int64(len(showing.apart_row))
    two = np.zeros(focus * base * trees.value_count * 2, np.int64)
    three = np.zeros(focus * base * base * trees.value_count * 8, np.int64)
    held = room_to_hold(trees, chosen, showing)
    labels, related = held.labels, held.related
    scaled = np.empty(len(labels), np.int64)
    unit = np.int64(trees.value_count) * 8
    for tree in chosen:
        number = hold(trees, tree, showing, held)
        records, value = trees.records[tree], trees.values[tree]
        for i in range(number):
            scaled[i] = labels[i] * unit
        for i in range(number):
            if labels[i] >= focus:
                break
            for j in range(i + 1, number):
                pair = labels[i] * base + labels[j]
                bit = related[i, j]
                two[(pair * trees.value_count + value) * 2 + bit] += records
                begun = pair * base * unit + value * 8 + bit
                for h in range(j + 1, number):
                    three[begun + scaled[h] + (related[i, h] << 1) + (related[j, h] << 2)] += records
    pairs, pair_records = occurring(two)
    triples, triple_records = occurring(three)
    return pairs, pair_records, triples, triple_records
