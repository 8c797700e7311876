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
from numba import njit

from shoal.kernels.key_counts import add, ascending, no_counts
from shoal.kernels.tree_showing import placed, room_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tree_showing import Room, Showing, Trees

ROOM = float(1 << 23)  # places for counts; more do not fit beside the trees in a processor's memory


@njit(cache=True, nogil=True)
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
    keys, table, held = no_counts()
    room = room_for(trees, chosen)
    most = len(room.shown)
    mine, scaled = np.empty(most, np.int32), np.empty(most, np.int64)
    place = np.full(base, -1, np.int32)
    related = np.zeros((most, most), np.int64)
    at, key, pattern = np.empty(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
    for tree in chosen:
        number = _held(trees, tree, showing, room, place, mine, related)
        if number < size or mine[0] >= focus:
            continue
        records = trees.records[tree]
        value = trees.values[tree] << pairs
        if direct and size == 3:  # what most of the time goes into
            for i in range(number):
                scaled[i] = mine[i] * unit
            for i in range(number):
                if mine[i] >= focus:
                    break
                for j in range(i + 1, number):
                    two = (scaled[i] * base + scaled[j]) * base + value + related[i, j]
                    for h in range(j + 1, number):
                        counts[two + scaled[h] + (related[i, h] << 1) + (related[j, h] << 2)] += records
            continue
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
                keys, table, held = add(keys, table, held, found, records)
    if direct:
        there = np.flatnonzero(counts)
        return there, counts[there]
    return ascending(keys, table)


@njit(cache=True, nogil=True)
def _held(
    trees: Trees,
    tree: int,
    showing: Showing,
    room: Room,
    place: NDArray[np.int32],
    mine: NDArray[np.int32],
    related: NDArray[np.int64],
) -> int:
    """Fill mine: the distinct labels a tree shows, ascending, and return their number. Fills related: by places among them, 1
    where one stands above the other."""
    shown, above, _ = room
    nodes = placed(trees, tree, showing, room)
    number = 0
    for node in range(nodes):
        label = shown[node]
        if label >= 0 and place[label] < 0:
            place[label] = 0
            at = number
            while at > 0 and mine[at - 1] > label:
                mine[at] = mine[at - 1]
                at -= 1
            mine[at] = label
            number += 1
    for i in range(number):
        place[mine[i]] = i
        for j in range(number):
            related[i, j] = 0
    for node in range(nodes):
        if shown[node] < 0:
            continue
        here, up = place[shown[node]], above[node]
        while up >= 0:
            there = place[shown[up]]
            related[here, there] = 1  # a pair has one direction only, given by the classes
            related[there, here] = 1
            up = above[up]
    for i in range(number):
        place[mine[i]] = -1
    return number
