"""One pass over the nodes of a lattice, with every tuple's class at every node: for each tuple the cheapest box that at least k
records share.

Nodes are met in the order of their numbers (the last column runs fastest), so that what a node has in common with the one
before it is not computed again: a prefix of columns. A tuple's class is known by a 64-bit sum, one random number per hierarchy
node; should two classes ever share a sum, they are counted together, and a box may seem to be shared by more records than it
is. What follows from a pass (a lower bound, a start for a search) stays true then, if a little weaker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def signatures(count: int, seed: int) -> NDArray[np.uint64]:
    """Random numbers (splitmix64), the same everywhere."""
    made = np.empty(count, np.uint64)
    x = np.uint64(seed)
    for i in range(count):
        x += np.uint64(0x9E3779B97F4A7C15)
        z = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        made[i] = z ^ (z >> np.uint64(31))
    return made


@njit(cache=True, nogil=True)
def cheapest_shared(
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    heights: NDArray[np.int64],
    starts: NDArray[np.int64],
    signs: NDArray[np.uint64],
    prices: NDArray[np.float64],
    k: int,
    first: int,
    last: int,
    best: NDArray[np.float64],
    where: NDArray[np.int64],
) -> int:
    """For nodes first … last-1: lower best[tuple] to the price of its box at the node, if at least k records share that box.

    codes: (tuples, columns). starts: (columns,) where the levels of each column begin in `signs` and `prices`, which hold a
    value for each leaf at each level: starts[c] + level * leaves[c] + code, leaves[c] = starts of the next level.
    where[tuple]: the number of the node. Returns the number of nodes whose classes were counted: those that could lower
    nothing are passed over.
    """
    tuples, columns = codes.shape
    leaves = np.empty(columns, np.int64)
    for c in range(columns):
        end = starts[c + 1]
        leaves[c] = (end - starts[c]) // (heights[c] + 1)
    digits = np.zeros(columns, np.int64)
    rest = first
    for c in range(columns - 1, -1, -1):
        digits[c] = rest % (heights[c] + 1)
        rest //= heights[c] + 1
    sums = np.zeros((columns + 1, tuples), np.uint64)
    costs = np.zeros((columns + 1, tuples), np.float64)
    size = 16
    while size < 2 * tuples:
        size *= 2
    held = np.zeros(size, np.uint64)
    total = np.zeros(size, np.int64)
    stamp = np.zeros(size, np.int32)
    slots = np.empty(tuples, np.int32)
    fresh = 0  # columns before this one are as at the node before
    counted = 0
    for node in range(first, last):
        for c in range(fresh, columns):
            at = starts[c] + digits[c] * leaves[c]
            for i in range(tuples):
                spot = at + codes[i, c]
                sums[c + 1, i] = sums[c, i] + signs[spot]
                costs[c + 1, i] = costs[c, i] + prices[spot]
        cost = costs[columns]
        useful = False
        for i in range(tuples):
            if cost[i] < best[i]:
                useful = True
                break
        if useful:
            counted += 1
            for i in range(tuples):
                key = sums[columns, i]
                slot = np.int64(key >> np.uint64(20)) & (size - 1)
                while stamp[slot] == counted and held[slot] != key:
                    slot = (slot + 1) & (size - 1)
                if stamp[slot] != counted:
                    stamp[slot], held[slot], total[slot] = counted, key, 0
                total[slot] += counts[i]
                slots[i] = slot
            for i in range(tuples):
                if cost[i] < best[i] and total[slots[i]] >= k:
                    best[i] = cost[i]
                    where[i] = node
        c = columns - 1  # count on
        while c >= 0 and digits[c] == heights[c]:
            digits[c] = 0
            c -= 1
        if c >= 0:
            digits[c] += 1
        fresh = max(c, 0)
    return counted
