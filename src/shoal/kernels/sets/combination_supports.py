"""How many baskets hold combinations of nodes, of any size, for cuts through a tree that are opened at some of their nodes.

A basket is taken as *units*: the nodes of the cut that it shows, and the children that opened nodes would show instead.
Children are numbered first. A combination that is counted holds at least one child, and no child beside its own parent: what a
cut in which some of the nodes are opened would publish, and the cut itself does not.

Children are taken one by one, each with the baskets that hold it and the units of these that come after it (as in
`pair_supports`), so the counters that are in use at a time are few: a plain table of them, or a hash table when that would be
large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.sorting import sort_stretch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TABLE = 1 << 22  # counters of a plain table
_ROOM = 1 << 16
_MIX = 0x9E3779B97F4A7C15


@kernel
def node_supports(
    offsets: NDArray[np.int64], leaves: NDArray[np.int32], weights: NDArray[np.int64], parents: NDArray[np.int32]
) -> NDArray[np.int64]:
    """(nodes + 1,): baskets that hold a leaf below each node, and last those with an item that is no leaf (below 0)."""
    counts = np.zeros(len(parents) + 1, np.int64)
    met = np.full(len(parents) + 1, -1, np.int64)
    for basket in range(len(offsets) - 1):
        for at in range(offsets[basket], offsets[basket + 1]):
            node = int(leaves[at])
            if node < 0:
                node = len(parents)
            while node >= 0 and met[node] != basket:
                met[node] = basket
                counts[node] += weights[basket]
                node = parents[node] if node < len(parents) else -1
    return counts


@kernel
def units_of(
    offsets: NDArray[np.int64],
    leaves: NDArray[np.int32],
    node_of: NDArray[np.int32],
    child_of: NDArray[np.int32],
    units: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Baskets as ascending units. node_of, child_of: (leaves,) the unit of the cut's node and of the child, or -1."""
    starts = np.zeros(len(offsets), np.int64)
    made = np.empty(2 * (offsets[-1] - offsets[0]), np.int32)
    met = np.full(units, -1, np.int64)
    end = 0
    for basket in range(len(offsets) - 1):
        begin = end
        for at in range(offsets[basket], offsets[basket + 1]):
            leaf = leaves[at]
            if leaf < 0:
                continue
            node = node_of[leaf]
            if node >= 0 and met[node] != basket:
                met[node] = basket
                made[end] = node
                end += 1
            child = child_of[leaf]
            if child >= 0 and met[child] != basket:
                met[child] = basket
                made[end] = child
                end += 1
        sort_stretch(made, begin, end)
        starts[basket + 1] = end
    return starts, made[:end]


@kernel
def add_to_table(
    starts: NDArray[np.int64],
    units: NDArray[np.int32],
    weights: NDArray[np.int64],
    children: int,
    count: int,
    size: int,
    table: NDArray[np.int64],
) -> None:
    """The same for few units, one counter for every combination: basket after basket, added to what is in the table.

    table: (children · countˢⁱᶻᵉ⁻¹,) by the units of a combination as digits.
    """
    picks = np.zeros(max(size, 1), np.int64)
    for basket in range(len(starts) - 1):
        begin, length, weight = starts[basket], starts[basket + 1] - starts[basket], weights[basket]
        if length < size:
            continue
        for p in range(size):
            picks[p] = p
        while units[begin + picks[0]] < children:
            before = 0
            for p in range(size - 1):
                before = before * count + units[begin + picks[p]]
            before *= count
            for u in range(begin + picks[size - 1], begin + length if size > 1 else begin + picks[0] + 1):
                table[before + units[u]] += weight
            p = max(size - 2, 0)
            while p >= 0 and picks[p] == length - size + p:
                p -= 1
            if p < 0:
                break
            picks[p] += 1
            for q in range(p + 1, size):
                picks[q] = picks[q - 1] + 1


@kernel
def in_table(
    table: NDArray[np.int64], parent: NDArray[np.int32], count: int, size: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """What a table holds, in the form of `combination_supports`."""
    number = 0
    for n in table:
        number += n != 0
    made, counts = np.empty((number, size), np.int32), np.empty(number, np.int64)
    done = 0
    for at in range(len(table)):
        if table[at] == 0:
            continue
        key = at
        for p in range(size - 1, -1, -1):
            made[done, p] = key % count
            key //= count
        counts[done] = table[at]
        if _apart(made[done], parent):
            done += 1
    return made[:done], counts[:done]


@kernel
def combination_supports(
    starts: NDArray[np.int64],
    units: NDArray[np.int32],
    weights: NDArray[np.int64],
    parent: NDArray[np.int32],
    count: int,
    size: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Combinations (n, size), each ascending, and how many baskets hold each.

    parent: (children,) the unit that each child stands below; count: of all units; size: at least 1. count ** size < 2⁶³.
    """
    children = len(parent)
    first, places = _baskets_of_children(starts, units, children)
    cells = 1
    for _ in range(size - 1):
        cells *= count
    plain = cells <= _TABLE
    counts = np.zeros(cells if plain else 1 << 12, np.int64)
    keys = np.empty(1 if plain else len(counts), np.int64)
    touched = np.empty(_ROOM, np.int64)
    made = np.empty((_ROOM, size), np.int32)
    made_counts = np.empty(_ROOM, np.int64)
    picks = np.zeros(max(size - 1, 1), np.int64)
    done = 0
    for child in range(children):
        met = 0
        for at in range(first[child], first[child + 1]):
            basket = places[at, 0]
            begin, end = places[at, 1] + 1, starts[basket + 1]
            weight = weights[basket]
            length = end - begin
            if length < size - 1:
                continue
            for p in range(size - 1):
                picks[p] = p
            while True:
                # the last pick runs over all units that are left; the others are moved after it
                before = 0
                for p in range(size - 2):
                    before = before * count + units[begin + picks[p]]
                before *= count
                low = begin + (picks[size - 2] if size > 1 else 0)
                high = end if size > 1 else begin + 1
                if met + (high - low) > len(touched):
                    touched = _longer(touched, met, met + (high - low))
                if not plain and 2 * (met + (high - low)) > len(counts):
                    counts, keys = _rehashed(counts, keys, touched, met, 4 * (met + (high - low)))
                for u in range(low, high):
                    key = before + (units[u] if size > 1 else 0)
                    slot = key if plain else _slot(counts, keys, key)
                    if counts[slot] == 0:
                        touched[met] = slot
                        met += 1
                        if not plain:
                            keys[slot] = key
                    counts[slot] += weight
                p = size - 3
                while p >= 0 and picks[p] == length - (size - 1) + p:
                    p -= 1
                if p < 0:
                    break
                picks[p] += 1
                for q in range(p + 1, size - 1):
                    picks[q] = picks[q - 1] + 1
        if done + met > len(made):
            made, made_counts = _more(made, made_counts, done, done + met)
        for i in range(met):
            slot = touched[i]
            key = slot if plain else keys[slot]
            made[done, 0] = child
            for p in range(size - 1, 0, -1):
                made[done, p] = key % count
                key //= count
            made_counts[done] = counts[slot]
            counts[slot] = 0
            if _apart(made[done], parent):
                done += 1
    return made[:done], made_counts[:done]


@kernel
def _baskets_of_children(
    starts: NDArray[np.int64], units: NDArray[np.int32], children: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each child, from first[child] on, its baskets and where it stands in them."""
    first = np.zeros(children + 1, np.int64)
    for unit in units:
        if unit < children:
            first[unit + 1] += 1
    for child in range(children):
        first[child + 1] += first[child]
    ends = first[:-1].copy()
    places = np.empty((first[-1], 2), np.int64)
    for basket in range(len(starts) - 1):
        for at in range(starts[basket], starts[basket + 1]):
            child = units[at]
            if child >= children:
                break
            places[ends[child], 0] = basket
            places[ends[child], 1] = at
            ends[child] += 1
    return first, places


@kernel
def _apart(combination: NDArray[np.int32], parent: NDArray[np.int32]) -> bool:
    for i in range(len(combination)):
        if combination[i] >= len(parent):
            return True
        for j in range(i + 1, len(combination)):
            if combination[j] == parent[combination[i]]:
                return False
    return True


@kernel
def _slot(counts: NDArray[np.int64], keys: NDArray[np.int64], key: int) -> int:
    mask = len(counts) - 1
    mixed = np.uint64(key) * np.uint64(_MIX)
    slot = int(mixed >> np.uint64(32)) & mask
    while counts[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def _rehashed(
    counts: NDArray[np.int64], keys: NDArray[np.int64], touched: NDArray[np.int64], met: int, least: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    size = len(counts)
    while size < least:
        size *= 2
    more_counts, more_keys = np.zeros(size, np.int64), np.empty(size, np.int64)
    for i in range(met):
        old = touched[i]
        slot = _slot(more_counts, more_keys, keys[old])
        more_counts[slot], more_keys[slot] = counts[old], keys[old]
        touched[i] = slot
    return more_counts, more_keys


@kernel
def _longer(array: NDArray[np.int64], used: int, needed: int) -> NDArray[np.int64]:
    grown = np.empty(max(needed, 2 * len(array)), np.int64)
    for i in range(used):
        grown[i] = array[i]
    return grown


@kernel
def _more(
    made: NDArray[np.int32], counts: NDArray[np.int64], used: int, needed: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    room = max(needed, 2 * len(made))
    grown, grown_counts = np.empty((room, made.shape[1]), np.int32), np.empty(room, np.int64)
    for i in range(used):
        grown_counts[i] = counts[i]
        for j in range(made.shape[1]):
            grown[i, j] = made[i, j]
    return grown, grown_counts
