"""What may stand behind shown trees of which labels are left out below others: of each the largest one that would show the same.

To whoever knows the rules, every record that shows a may have b below it, where b is left out below a. The largest tree has b
everywhere it may be, at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.trees.placing import placed, room_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.trees.placing import Showing, Trees


@kernel
def behind(
    trees: Trees,
    as_it_is: Showing,
    showing: Showing,
    may_hang: NDArray[np.bool_],
    most: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Offsets, labels and parents of the trees behind these, which are shown. as_it_is: shows every label as itself; showing: has
    the rules; may_hang: (labels, labels) whether the second may hang below the first; most: (labels,) a record that shows a label
    in more places hides no other of it.
    """
    lowers = np.flatnonzero(showing.apart_row >= 0)
    chosen = np.arange(len(trees.records))
    offsets = np.zeros(len(chosen) + 1, np.int64)
    labels, parents, end = np.empty(1024, np.int32), np.empty(1024, np.int32), 0
    room = room_for(trees, chosen)
    shown, above, _ = room
    times = np.zeros(len(showing.apart_row), np.int64)
    for tree in range(len(chosen)):
        nodes = placed(trees, tree, as_it_is, room)
        while end + nodes * (1 + len(lowers)) > len(labels):
            labels, parents = _longer(labels), _longer(parents)
        for node in range(nodes):
            times[shown[node]] += 1
            labels[end + node], parents[end + node] = shown[node], above[node]
        begun, end = end, end + nodes
        for lower in lowers:
            if times[lower] > most[lower]:
                continue
            row = showing.apart_row[lower]
            for node in range(nodes):
                if not may_hang[shown[node], lower]:
                    continue
                at = node
                while at >= 0 and showing.apart[row, shown[at]] == 0:
                    at = above[at]
                if at >= 0:
                    labels[end], parents[end] = lower, node
                    end += 1
        offsets[tree + 1] = end
        for place in range(begun, begun + nodes):
            times[labels[place]] = 0
    return offsets, labels[:end].copy(), parents[:end].copy()


@kernel
def _longer(array: NDArray[np.int32]) -> NDArray[np.int32]:
    made = np.empty(2 * len(array), np.int32)
    made[: len(array)] = array
    return made
