"""Peel a table: at one lattice node after the other, cheap ones first, classes that are large enough leave with what they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def peel(
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    nodes: NDArray[np.int64],
    spots: NDArray[np.int64],
    signs: NDArray[np.uint64],
    k: int,
    first: int,
    last: int,
    left: NDArray[np.int64],
    remaining: int,
    made: int,
    groups: NDArray[np.int32],
    formed: NDArray[np.int64],
) -> tuple[int, int]:
    """Go through nodes first … last-1, with the tuples left[:remaining] and the number of groups made before; returns both anew.

    Fills groups[tuple] for those that leave. formed[group]: the node it left at.

    nodes: (nodes, columns) levels, in the order in which they are tried. spots: (columns, levels) where the signatures of a
    level begin in `signs`, one for each leaf: its node's number at that level. Tuples whose signatures add up to the same sum
    are a class.
    """
    tuples, columns = codes.shape
    size = 16
    while size < 2 * tuples:
        size *= 2
    held = np.zeros(size, np.uint64)
    total = np.zeros(size, np.int64)
    number = np.zeros(size, np.int32)
    stamp = np.zeros(size, np.int32)
    slots = np.empty(tuples, np.int32)
    for v in range(first, last):
        if remaining == 0:
            break
        any_class = False
        for j in range(remaining):
            i = left[j]
            key = np.uint64(0)
            for c in range(columns):
                key += signs[spots[c, nodes[v, c]] + codes[i, c]]
            slot = np.int64(key >> np.uint64(20)) & (size - 1)
            while stamp[slot] == v + 1 and held[slot] != key:
                slot = (slot + 1) & (size - 1)
            if stamp[slot] != v + 1:
                stamp[slot], held[slot], total[slot], number[slot] = v + 1, key, 0, -1
            total[slot] += counts[i]
            any_class |= total[slot] >= k
            slots[j] = slot
        if not any_class:
            continue
        kept = 0
        for j in range(remaining):
            i = left[j]
            slot = slots[j]
            if total[slot] >= k:
                if number[slot] < 0:
                    number[slot] = made
                    formed[made] = v
                    made += 1
                groups[i] = number[slot]
            else:
                left[kept] = i
                kept += 1
        remaining = kept
    return remaining, made
