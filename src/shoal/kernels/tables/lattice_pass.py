"""One pass over the nodes of a lattice, with every tuple's class at every node: for each tuple the cheapest box that at least k
records share.

Nodes are met in the order of their numbers (the last column runs fastest), so that what a node has in common with the one
before it is not computed again: a prefix of columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.guarded.moving import Units, add_row
from shoal.kernels.tables.guarded.promises import Promises, may_hold
from shoal.kernels.tables.signatures import number_classes, slots_for

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def cheapest_shared(
    codes: NDArray[np.int32],
    units: Units,
    promises: Promises,
    heights: NDArray[np.int64],
    starts: NDArray[np.int64],
    signs: NDArray[np.uint64],
    prices: NDArray[np.float64],
    first: int,
    last: int,
    best: NDArray[np.float64],
    where: NDArray[np.int64],
) -> int:
    """For nodes first … last-1: lower best[tuple] to the price of its box at the node, if at least k records share that box and
    some of them can keep the promises together.

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
    slots = slots_for(tuples)
    class_of = np.empty(tuples, np.int32)
    total = np.empty(tuples, np.int64)
    place = np.empty(tuples, np.int64)
    many = units.weights.sum() // max(1, promises.k) + 1  # classes with k records, at most
    rows = np.empty((many if len(promises.kinds) else 0, len(promises.totals)), np.int64)
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
            found = number_classes(sums[columns], slots, counted, class_of)
            total[:found] = 0
            for i in range(tuples):
                total[class_of[i]] += units.weights[i]
            if len(promises.kinds):
                _rule_out(units, promises, class_of, cost, best, total, place, rows)
            for i in range(tuples):
                if cost[i] < best[i] and total[class_of[i]] >= promises.k:
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


@kernel
def _rule_out(
    units: Units,
    promises: Promises,
    class_of: NDArray[np.int32],
    cost: NDArray[np.float64],
    best: NDArray[np.float64],
    total: NDArray[np.int64],
    place: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> None:
    """total[class] = 0 where the class could lower something, and no part of it keeps the promises."""
    place[:] = -1
    used = 0
    for i in range(len(cost)):
        one = class_of[i]
        if cost[i] < best[i] and total[one] >= promises.k and place[one] < 0:
            place[one] = used
            rows[used] = 0
            used += 1
    for i in range(len(cost)):
        if place[class_of[i]] >= 0:
            add_row(units, i, rows[place[class_of[i]]], 1)
    for i in range(len(cost)):
        one = class_of[i]
        if place[one] >= 0:
            if not may_hold(promises, rows[place[one]], total[one]):
                total[one] = 0
            place[one] = -1
