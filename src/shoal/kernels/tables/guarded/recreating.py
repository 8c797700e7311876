"""Divide a few units anew: merge the cheapest failing pair of clusters, with some chance, until every cluster keeps every promise;
then let units change their cluster where that helps.

A unit is a tuple with all its records, which stay together, or what is left of a class that was too large to take part whole.
Merging never makes anything cheaper, so a try ends as soon as it costs as much as what is there already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, box_price, climb, joint_price
from shoal.kernels.tables.guarded.promises import Promises, lack
from shoal.kernels.tables.neighbourhood import draw

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LESS = 1e-9  # an improvement smaller than this is rounding
_PASSES = 3
_SLACK = 1.03  # a try that costs a little too much may be cheaper after its units have moved


@kernel
def recreate(
    trees: Trees,
    promises: Promises,
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
    limit: float,
    chance: float,
    helpful: int,
    state: NDArray[np.uint64],
    parts: NDArray[np.int64],
) -> float:
    """Fill parts[unit] with cluster numbers; returns the cost, or `limit` when this try does not get below it.

    codes: (units, columns) nodes; weights: (units,) records; rows: (units, slots). chance: how much a pair may look cheaper than
    it is, 0 … 1. helpful: how much it counts that a merge brings promises nearer, 0, 1 or 2.
    """
    units, columns = codes.shape
    boxes = codes.copy()
    hist = rows.copy()
    sizes = weights.copy()
    prices = np.empty(units, np.float64)
    lacks = np.empty(units, np.float64)
    union = np.empty(rows.shape[1], np.int64)
    best = np.full(units, -1, np.int64)
    scores = np.full(units, np.inf)
    known = np.full(units, -1, np.int64)  # records of the partner when it was found
    total = 0.0
    for i in range(units):
        parts[i] = i
        prices[i] = box_price(trees, boxes[i])
        lacks[i] = lack(promises, hist[i], sizes[i])
        total += sizes[i] * prices[i]
    for i in range(units):
        if lacks[i] > 0.0:
            _look(trees, promises, boxes, hist, sizes, prices, lacks, i, chance, helpful, state, union, best, scores)
            known[i] = sizes[best[i]] if best[i] >= 0 else -1
    slack = limit * _SLACK
    while total < slack:
        one = -1
        for i in range(units):
            if sizes[i] > 0 and lacks[i] > 0.0 and (one < 0 or scores[i] < scores[one]):
                one = i
        if one < 0:
            break
        two = best[one]
        if two < 0 or sizes[two] != known[one]:  # it has changed since: look again
            _look(trees, promises, boxes, hist, sizes, prices, lacks, one, chance, helpful, state, union, best, scores)
            if best[one] < 0:
                return limit
            known[one] = sizes[best[one]]
            continue
        total -= sizes[one] * prices[one] + sizes[two] * prices[two]
        for c in range(columns):
            at, low, high = trees.offsets[c], boxes[two, c], boxes[two, c]
            low, high = trees.first[at + low], trees.last[at + high]
            boxes[one, c] = climb(trees.first, trees.last, trees.parents, at, boxes[one, c], low, high)
        for i in range(len(union)):
            hist[one, i] += hist[two, i]
        sizes[one] += sizes[two]
        sizes[two] = 0
        prices[one] = box_price(trees, boxes[one])
        lacks[one] = lack(promises, hist[one], sizes[one])
        total += sizes[one] * prices[one]
        for i in range(units):
            if parts[i] == two:
                parts[i] = one
        known[one] = -1
        scores[one] = 0.0
    if total >= slack:
        return limit
    total = _polish(trees, promises, codes, weights, rows, boxes, hist, sizes, prices, union, parts, total)
    return min(total, limit)


@kernel
def _look(
    trees: Trees,
    promises: Promises,
    boxes: NDArray[np.int32],
    hist: NDArray[np.int64],
    sizes: NDArray[np.int64],
    prices: NDArray[np.float64],
    lacks: NDArray[np.float64],
    one: int,
    chance: float,
    helpful: int,
    state: NDArray[np.uint64],
    union: NDArray[np.int64],
    best: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """The partner with which a failing cluster would be merged."""
    best[one], scores[one] = -1, np.inf
    for two in range(len(sizes)):
        if two != one and sizes[two] > 0:
            luck = 1.0 - chance * draw(state)
            score = luck * _score(
                trees, promises, boxes, hist, sizes, prices, lacks, one, two, helpful, scores[one] / luck, union
            )
            if score < scores[one]:
                best[one], scores[one] = two, score


@kernel
def _score(
    trees: Trees,
    promises: Promises,
    boxes: NDArray[np.int32],
    hist: NDArray[np.int64],
    sizes: NDArray[np.int64],
    prices: NDArray[np.float64],
    lacks: NDArray[np.float64],
    one: int,
    two: int,
    helpful: int,
    limit: float,
    union: NDArray[np.int64],
) -> float:
    """What a merge costs for what it gains; or something that is not below `limit`."""
    size = sizes[one] + sizes[two]
    paid = sizes[one] * prices[one] + sizes[two] * prices[two]
    most = lacks[one] + lacks[two]  # no merge gains more
    bound = limit * worth(most, helpful)
    more = size * joint_price(trees, boxes[one], boxes[two], (bound + paid) / size) - paid + 1e-6
    if more >= bound or helpful == 0:
        return float(more) if helpful == 0 else limit
    for i in range(len(union)):
        union[i] = hist[one, i] + hist[two, i]
    return float(more / worth(most - lack(promises, union, size), helpful))


@kernel
def worth(gained: float, helpful: int) -> float:
    """What a merge may cost that brings promises nearer by so many records."""
    if helpful == 0:
        return 1.0
    gained = max(gained, 0.05)
    return gained if helpful == 2 else float(np.sqrt(gained))


@kernel
def _polish(
    trees: Trees,
    promises: Promises,
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
    boxes: NDArray[np.int32],
    hist: NDArray[np.int64],
    sizes: NDArray[np.int64],
    prices: NDArray[np.float64],
    union: NDArray[np.int64],
    parts: NDArray[np.int64],
    total: float,
) -> float:
    """Units go to another cluster where that is cheaper and both keep every promise."""
    offsets, first, last, parents, _ = trees
    units, columns = codes.shape
    box = np.empty(columns, np.int32)
    for _ in range(_PASSES):
        moved = False
        for unit in range(units):
            own, weight = parts[unit], weights[unit]
            left = sizes[own] - weight
            if left < promises.k or prices[own] == 0.0:
                continue
            begun = False
            for other in range(units):
                if parts[other] == own and other != unit:
                    for c in range(columns):
                        at, node = offsets[c], codes[other, c]
                        if begun:
                            node = climb(first, last, parents, at, box[c], first[at + node], last[at + node])
                        box[c] = node
                    begun = True
            price = box_price(trees, box)
            gain = sizes[own] * prices[own] - left * price - _LESS
            if gain <= 0.0:
                continue
            target, least = -1, gain
            for other in range(units):
                if other == own or sizes[other] == 0 or weight * prices[other] >= least:
                    continue
                wide = joint_price(trees, boxes[other], codes[unit], np.inf)
                extra = (sizes[other] + weight) * wide - sizes[other] * prices[other]
                if extra < least:
                    for i in range(len(union)):
                        union[i] = hist[other, i] + rows[unit, i]
                    if lack(promises, union, sizes[other] + weight) == 0.0:
                        target, least = other, extra
            if target < 0:
                continue
            for i in range(len(union)):
                union[i] = hist[own, i] - rows[unit, i]
            if lack(promises, union, left) > 0.0:
                continue
            hist[own] = union
            sizes[own], prices[own] = left, price
            boxes[own] = box
            for i in range(len(union)):
                hist[target, i] += rows[unit, i]
            for c in range(columns):
                at, node = offsets[c], codes[unit, c]
                boxes[target, c] = climb(first, last, parents, at, boxes[target, c], first[at + node], last[at + node])
            sizes[target] += weight
            prices[target] = box_price(trees, boxes[target])
            parts[unit] = target
            total += least - gain - _LESS
            moved = True
        if not moved:
            break
    return total
