"""How many records hold combinations of labels on one path: what strict mode asks for besides pairs (ERRATA 000-5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.trees.key_counts import add, ascending, no_counts
from shoal.kernels.trees.placing import longer, placed, room_for
from shoal.kernels.trees.sort_few import sort_few

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.trees.placing import Showing, Trees


@kernel
def path_sets(
    trees: Trees, chosen: NDArray[np.int64], showing: Showing, focus: int, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Combinations of this size, two labels or more, with a label in focus that stand on one path, and how many records hold each.

    A key is the combination and then the value, as for fragments.
    """
    base = np.int64(len(showing.apart_row))
    keys, counts, held = no_counts()
    room = room_for(trees, chosen)
    shown, above, _ = room
    path = np.empty(len(shown), np.int64)
    at, ordered = np.empty(size, np.int64), np.empty(size, np.int64)
    found = np.empty(64, np.int64)
    for tree in chosen:
        number = 0
        for node in range(placed(trees, tree, showing, room)):
            if shown[node] < 0:
                continue
            length, up = 0, node  # the node itself first, then what stands above it
            while up >= 0:
                path[length] = shown[up]
                length, up = length + 1, above[up]
            at[:2] = 0  # the node is always taken: sets without it belong to the nodes above
            depth = 1
            while depth > 0:
                at[depth] += 1
                if at[depth] > length - size + depth:
                    depth -= 1
                    continue
                if depth < size - 1:
                    depth += 1
                    at[depth] = at[depth - 1]
                    continue
                for i in range(size):
                    label, place = path[at[i]], i
                    while place > 0 and ordered[place - 1] > label:
                        ordered[place] = ordered[place - 1]
                        place -= 1
                    ordered[place] = label
                if ordered[0] >= focus:
                    continue
                key = np.int64(0)
                for label in ordered:
                    key = key * base + label
                if number == len(found):
                    found = longer(found)
                found[number] = key * trees.value_count + trees.values[tree]
                number += 1
        last = np.int64(-1)
        for key in sort_few(found, number):  # a record counts once, however many paths have the labels
            if key != last:
                keys, counts, held = add(keys, counts, held, key, trees.records[tree])
                last = key
    return ascending(keys, counts)
