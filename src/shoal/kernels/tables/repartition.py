"""The best way to divide a few records into classes of at least k: exact, by branch and bound.

Records are placed one after the other, the hardest first: into a class that has begun, into a new one, or (absorbed) into a class
outside that covers them already. A branch is given up as soon as what its records must pay reaches the best division known:
members pay at least the price of their box so far, the others at least their floor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, climb

if TYPE_CHECKING:
    from numpy.typing import NDArray

ABSORBED = -1
_LESS = 1e-12  # an improvement smaller than this is rounding


@kernel
def repartition(
    trees: Trees,
    codes: NDArray[np.int32],
    floors: NDArray[np.float64],
    absorbed: NDArray[np.float64],
    k: int,
    limit: float,
    steps: int,
    parts: NDArray[np.int64],
) -> float:
    """Fill parts[record] with class numbers 0, 1, … or ABSORBED; returns the cost, or `limit` when nothing is cheaper.

    codes: (records, columns). floors: (records,) what each record pays at least, wherever it is. absorbed: (records,) what each
    pays in a class outside (inf when none covers it). The search ends after so many steps with the best it has found.
    """
    offsets, first, last, parents, node_prices = trees
    records, columns = codes.shape
    most = max(1, records // k)  # a class of 2k or more can be divided without loss
    best = limit
    where = np.full(records, -2, np.int64)
    boxes = np.zeros((most, columns), np.int32)
    sizes = np.zeros(most, np.int64)
    prices = np.zeros(most, np.float64)
    saved = np.empty((records, columns), np.int32)  # the box of a class before the record at this depth joined
    saved_price = np.zeros(records, np.float64)
    floor_after = np.zeros(records + 1, np.float64)  # what the records from here on pay at least
    highest_after = np.zeros(records + 1, np.float64)  # the highest floor among them
    for i in range(records - 1, -1, -1):
        floor_after[i] = floor_after[i + 1] + min(floors[i], absorbed[i])
        highest_after[i] = max(highest_after[i + 1], floors[i])
    begun = 0
    outside = 0.0
    depth = 0
    while depth >= 0 and steps > 0:
        steps -= 1
        if depth == records:
            cost = outside
            for c in range(begun):
                cost += sizes[c] * prices[c]
            if cost < best - _LESS:
                best = cost
                for record in range(len(parts)):
                    parts[record] = where[record]
            depth -= 1
            continue
        choice = where[depth]
        if choice == ABSORBED:  # the last choice of all
            outside -= absorbed[depth]
            where[depth] = -2
            depth -= 1
            continue
        if choice >= 0:  # take it back
            sizes[choice] -= 1
            for c in range(columns):
                boxes[choice, c] = saved[depth, c]
            prices[choice] = saved_price[depth]
            if sizes[choice] == 0:
                begun -= 1
        choice = 0 if choice == -2 else choice + 1
        if choice > begun or choice >= most:
            if (
                outside
                + absorbed[depth]
                + _open_cost(sizes, prices, begun, k, highest_after[depth + 1])
                + floor_after[depth + 1]
                < best - _LESS
                and _missing(sizes, begun, k) <= records - depth - 1
            ):
                where[depth] = ABSORBED
                outside += absorbed[depth]
                depth += 1
                if depth < records:
                    where[depth] = -2
                continue
            where[depth] = -2
            depth -= 1
            continue
        where[depth] = choice
        for c in range(columns):
            saved[depth, c] = boxes[choice, c]
        saved_price[depth] = prices[choice]
        if choice == begun:
            for c in range(columns):
                boxes[choice, c] = codes[depth, c]
            begun += 1
        else:
            for c in range(columns):
                leaf = codes[depth, c]
                boxes[choice, c] = climb(first, last, parents, offsets[c], boxes[choice, c], leaf, leaf)
        price = 0.0
        for c in range(columns):
            price += node_prices[offsets[c] + boxes[choice, c]]
        prices[choice] = price
        sizes[choice] += 1
        bound = outside + _open_cost(sizes, prices, begun, k, highest_after[depth + 1]) + floor_after[depth + 1]
        if bound < best - _LESS and _missing(sizes, begun, k) <= records - depth - 1:
            depth += 1
            if depth < records:
                where[depth] = -2
    return best


@kernel
def _open_cost(sizes: NDArray[np.int64], prices: NDArray[np.float64], begun: int, k: int, highest: float) -> float:
    """What the members of all classes pay, and what those who have yet to join pay above the highest floor of any."""
    cost = 0.0
    for c in range(begun):
        cost += sizes[c] * prices[c]
        if sizes[c] < k and prices[c] > highest:
            cost += (k - sizes[c]) * (prices[c] - highest)
    return cost


@kernel
def _missing(sizes: NDArray[np.int64], begun: int, k: int) -> int:
    """How many records the classes still need."""
    missing = 0
    for c in range(begun):
        missing += max(0, k - sizes[c])
    return missing
