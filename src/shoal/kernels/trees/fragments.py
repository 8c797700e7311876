"""How many records hold each combination of labels, by which of the labels stand one above the other.

A *fragment* is a combination of labels and the pattern of their relations, one bit for each pair. One pass counts fragments; the
records that hold a combination with at least certain relations are then the sum over the patterns that have them all. A pass is a
function of the trees, of what labels are shown as and of what is kept apart, and of nothing else, so partial counts add up.

Where a promise speaks of a sensitive value, it is one more digit of a fragment, and the records that hold a combination are counted
by value. Without one all records have the value 0, and the digit says nothing.

Only combinations with a label in *focus* are counted: when one label is opened, all others have been counted before. Labels in
focus have the lowest numbers, so a combination begins with one.

Patterns in one pass were chosen over lists of record numbers for each relation (the paper's synopsis tree): near the leaves, where
the time goes, most lists must be read to their end to tell a rare combination, and there are as many lists as relations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.trees.held_labels import hold, room_to_hold
from shoal.kernels.trees.key_counts import add, ascending, no_counts, occurring
from shoal.kernels.trees.small_fragments import ROOM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.trees.placing import Showing, Trees


@kernel
def fragments(
    trees: Trees, chosen: NDArray[np.int64], showing: Showing, focus: int, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Fragments of this size with a label in focus, as keys in ascending order, and how many records hold each.

    chosen: the trees to look at; focus: how many labels are in it. A key is the combination, its labels ascending as digits to
    the base of the number of labels; then the value, a digit to the base of their number; then the pattern, two to the number of
    pairs. Where there is room for every key that could be, each has its place, and nothing has to be looked up.
    """
    base = np.int64(len(showing.apart_row))
    pairs = size * (size - 1) // 2
    could_be = float(focus) * float(base) ** (size - 1) * float(trees.value_count) * 2.0**pairs
    unit = np.int64(trees.value_count) << pairs  # what the lowest label counts for
    direct = could_be <= ROOM
    counts = np.zeros(np.int64(could_be) if direct else 0, np.int64)
    keys, table, different = no_counts()
    held = room_to_hold(trees, chosen, showing)
    mine, related = held.labels, held.related
    at, key, pattern = np.empty(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
    for tree in chosen:
        number = hold(trees, tree, showing, held)
        if number < size or mine[0] >= focus:
            continue
        records = trees.records[tree]
        value = trees.values[tree] << pairs
        depth, at[0] = 0, -1
        while depth >= 0:
            at[depth] += 1
            here = at[depth]
            if here > number - size + depth or (depth == 0 and mine[here] >= focus):
                depth -= 1
                continue
            key[depth] = mine[here] + (key[depth - 1] * base if depth else 0)
            bits = pattern[depth - 1] if depth else 0
            bit = depth * (depth - 1) // 2
            for other in range(depth):
                bits |= related[at[other], here] << (bit + other)
            pattern[depth] = bits
            if depth < size - 1:
                depth += 1
                at[depth] = here
                continue
            found = key[depth] * unit + value + bits
            if direct:
                counts[found] += records
            else:
                keys, table, different = add(keys, table, different, found, records)
    if direct:
        return occurring(counts)
    return ascending(keys, table)
