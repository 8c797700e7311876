"""What trees show: labels put in place of labels, nodes taken out, labels kept apart, equal siblings made one.

A label that is kept apart from one above it either moves beside that one, or is left out there. The second is for classes without
children only: what hangs below a node that is left out hangs below the one above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.trees.sort_few import sort_few

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOVED, OUT = 1, 2  # what becomes of a label below one that it is kept apart from


def shown_trees(
    offsets: NDArray[np.int64],
    labels: NDArray[np.int32],
    parents: NDArray[np.int32],
    shown_as: NDArray[np.int32],
    apart: NDArray[np.int32],
    first: NDArray[np.int64],
    fate: int = MOVED,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Offsets, labels and parents of the shown trees, nodes by class, then by place of the parent, then by label.

    shown_as: (labels,) what each is shown as, -1 for left out; apart: (pairs, 2) upper and lower label; first: (classes + 1,) the
    first shown label of each class; fate: MOVED or OUT.
    """
    most = int(np.diff(offsets).max(initial=0))
    return _shown(offsets, labels, parents, shown_as, *apart_table(apart, int(first[-1]), fate), first, most)


def apart_table(
    apart: NDArray[np.integer], labels: int, fate: int = MOVED
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """From pairs (upper and lower label) a table that is looked up by place, with a row for each lower label: (rows, labels), what
    becomes of the lower one below each, 0 for nothing; and (labels,), the row of each label, -1 for most."""
    lower, row = np.unique(apart[:, 1], return_inverse=True)
    row_of = np.full(labels, -1, np.int32)
    row_of[lower] = np.arange(len(lower), dtype=np.int32)
    table = np.zeros((len(lower), labels), np.uint8)
    table[row, apart[:, 0]] = fate
    return table, row_of


@kernel
def shown_nodes(
    offsets: NDArray[np.int64],
    labels: NDArray[np.int32],
    parents: NDArray[np.int32],
    shown_as: NDArray[np.int32],
    apart: NDArray[np.uint8],
    apart_row: NDArray[np.int32],
) -> NDArray[np.int32]:
    """(nodes,): the label that each node is shown as, or -1."""
    nodes = np.empty(len(labels), np.int32)
    above, below = np.empty(len(labels), np.int32), np.empty(len(labels), np.int32)
    for tree in range(len(offsets) - 1):
        start, stop = offsets[tree], offsets[tree + 1]
        place_nodes(start, stop, labels, parents, shown_as, apart, apart_row, nodes[start:stop], above, below)
    return nodes


@kernel
def place_nodes(
    start: int,
    stop: int,
    labels: NDArray[np.int32],
    parents: NDArray[np.int32],
    shown_as: NDArray[np.int32],
    apart: NDArray[np.uint8],
    apart_row: NDArray[np.int32],
    shown: NDArray[np.int32],
    above: NDArray[np.int32],
    below: NDArray[np.int32],
) -> int:
    """Fill shown: the label of each node of one tree, or -1, and above: the place of its parent, or -1. Returns their number.

    One pass is enough: a parent stands before its children, a node goes beside the topmost node that it is to be kept apart from,
    and a node that goes takes none of its children along. Where nothing moves, what a node shows follows from its value and the
    labels shown above it. below: room, the node under which the children of a node are placed.
    """
    size = stop - start
    for i in range(size):
        label = shown_as[labels[start + i]]
        parent = parents[start + i]
        parent = below[parent] if parent >= 0 else -1
        shown[i] = label
        above[i] = parent
        if label < 0:
            below[i] = parent
            continue
        below[i] = i
        row = apart_row[label]
        if row < 0:
            continue
        topmost, at = -1, parent
        while at >= 0:
            if apart[row, shown[at]] > 0:
                topmost = at
            at = above[at]
        if topmost >= 0:
            if apart[row, shown[topmost]] == OUT:
                shown[i] = -1
            else:
                above[i] = above[topmost]
            below[i] = parent
    return size


@kernel
def _shown(
    offsets: NDArray[np.int64],
    labels: NDArray[np.int32],
    parents: NDArray[np.int32],
    shown_as: NDArray[np.int32],
    apart: NDArray[np.uint8],
    apart_row: NDArray[np.int32],
    first: NDArray[np.int64],
    most: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    made_offsets = np.zeros(len(offsets), np.int64)
    made_labels = np.empty(len(labels), np.int32)
    made_parents = np.empty(len(labels), np.int32)
    shown, above = np.empty(most, np.int32), np.empty(most, np.int32)
    below = np.empty(most, np.int32)
    became = np.empty(most, np.int32)  # the place of a node in the shown tree
    order = np.empty(most, np.int64)
    class_of = np.empty(int(first[-1]), np.int32)
    for number in range(len(first) - 1):
        class_of[first[number] : first[number + 1]] = number
    total = np.int64(first[-1])
    end = 0
    for tree in range(len(offsets) - 1):
        size = place_nodes(
            offsets[tree], offsets[tree + 1], labels, parents, shown_as, apart, apart_row, shown, above, below
        )
        begun = end
        for number in range(len(first) - 1):  # parents are of an earlier class, so their places are known
            count = 0
            for i in range(size):
                if shown[i] >= 0 and class_of[shown[i]] == number:
                    parent = became[above[i]] if above[i] >= 0 else -1
                    order[count] = ((np.int64(parent) + 1) * total + shown[i]) * most + i
                    count += 1
            last = np.int64(-1)
            for one in sort_few(order, count):
                key, i = one // most, one % most
                if key != last:
                    made_labels[end] = key % total
                    made_parents[end] = key // total - 1
                    end += 1
                    last = key
                became[i] = end - 1 - begun
        made_offsets[tree + 1] = end
    return made_offsets, made_labels[:end].copy(), made_parents[:end].copy()
