"""Merge the pair of classes that costs least, again and again, until every class is large enough.

A pair may be merged when one of the two is too small. Merging a class of n records with box x into one with m records and box y
costs n · (price of the common box − price of x) + m · (the same for y). Ties: the smaller union, then the smaller numbers.

Every class that is too small remembers a pair, so that the cheapest pair of all is remembered by at least one of the two. A merge
ends pairs, and makes a class that may be nearer to others than what they remember: one that is too small looks around itself, any
other tells them. A class whose partner is gone looks again when its pair would be the next to be merged; until then what it
remembers is a lower bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.class_index import FIRST, NONE, NUMBER, SIZE, changed, describe, pair_of, remembers_another
from shoal.kernels.tables.common_prices import cover

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tables.class_index import Classes
    from shoal.kernels.tables.common_prices import Prices


@kernel
def merge(prices: Prices, classes: Classes, least: int, steps: int) -> None:
    """At most so many merges. Done when no class is too small, or there is only one."""
    state = classes.state
    while steps > 0 and state.small[0] > 0 and classes.winners[state.root[0]] >= 0:
        one = classes.winners[state.root[0]]
        two = classes.partners[one]
        if classes.into[two] != two or classes.made[two] != classes.partner_made[one]:
            _look(prices, classes, one)
            remembers_another(classes, one)
            continue
        steps -= 1
        one, two = min(one, two), max(one, two)
        state.small[0] -= (classes.sizes[one] < least) + (classes.sizes[two] < least)
        state.merges[0] += 1
        classes.into[two] = one
        classes.sizes[one] += classes.sizes[two]
        classes.made[one] = state.merges[0]
        state.small[0] += classes.sizes[one] < least
        for column in range(classes.boxes.shape[1]):
            classes.boxes[one, column] = cover(prices, column, classes.boxes[one, column], classes.boxes[two, column])
        describe(prices, classes, one)
        for i in range(classes.tree.shape[1]):
            classes.tree[classes.places[two], i] = NONE
        classes.partners[one] = classes.partners[two] = -1
        changed(classes, two)
        changed(classes, one)
        if classes.sizes[one] < least:
            _look(prices, classes, one)
            remembers_another(classes, one)
        else:
            _tell(prices, classes, one)


@kernel
def _look(prices: Prices, classes: Classes, one: int) -> None:
    """Find the cheapest pair of a class."""
    boxes, tree, children = classes.boxes, classes.tree, classes.children
    inner, root, size = classes.state.inner[0], classes.state.root[0], classes.sizes[one]
    own, rows = _own(prices, classes, one)
    best_cost, best_union, best_low, best_high = np.iinfo(np.int64).max, 0, 0, 0
    partner = classes.partners[one]
    while partner >= 0 and classes.into[partner] != partner:
        partner = classes.into[partner]
    if partner == one:
        partner = -1
    if partner >= 0:  # what the former partner is part of now is no bad start
        best_cost = _cost(prices, boxes, tree, own, rows, inner, classes.places[partner])
        best_union = size + classes.sizes[partner]
        best_low, best_high = min(one, partner), max(one, partner)
    room = classes.state.height[0] + 2
    stack, costs = np.empty(room, np.int64), np.empty(room, np.int64)
    start, height = classes.places[one], 0
    while height or start != root:
        if not height:  # first what stands near: it is alike, so it rules out much of the rest
            above = classes.parents[start]
            near, far = children[above, 0] + children[above, 1] - start, -1
            start = above
        else:
            height -= 1
            node, cost = stack[height], costs[height]
            if cost > best_cost:
                continue
            if node >= inner:
                number = tree[node, NUMBER]
                union, low, high = size + tree[node, SIZE], min(one, number), max(one, number)
                if (cost, union, low, high) < (best_cost, best_union, best_low, best_high):
                    best_cost, best_union, best_low, best_high, partner = cost, union, low, high, number
                continue
            near, far = children[node, 0], children[node, 1]
        for child in (far, near):
            if child < 0 or tree[child, SIZE] == NONE:
                continue
            cost = _cost(prices, boxes, tree, own, rows, inner, child)
            if cost <= best_cost:
                number = tree[child, NUMBER]
                union, low, high = size + tree[child, SIZE], min(one, number), max(one, number)
                if (cost, union, low, high) < (best_cost, best_union, best_low, best_high):
                    stack[height], costs[height] = child, cost
                    height += 1
                    if child == near and height > 1 and stack[height - 2] == far and costs[height - 2] < cost:
                        stack[height - 2], stack[height - 1] = near, far  # the cheaper one is looked at first
                        costs[height - 2], costs[height - 1] = cost, costs[height - 2]
    classes.costs[one], classes.unions[one], classes.partners[one] = best_cost, best_union, partner
    if partner >= 0:
        classes.partner_made[one] = classes.made[partner]


@kernel
def _tell(prices: Prices, classes: Classes, one: int) -> None:
    """Let the classes that are too small know of a new class, where it is cheaper than what they remember."""
    boxes, tree, children, dearest = classes.boxes, classes.tree, classes.children, classes.dearest
    inner = classes.state.inner[0]
    own, rows = _own(prices, classes, one)
    stack, height = np.empty(classes.state.height[0] + 2, np.int64), 1
    stack[0] = classes.state.root[0]
    while height:
        height -= 1
        node = stack[height]
        if dearest[node] < 0:
            continue
        cost = _cost(prices, boxes, tree, own, rows, inner, node)
        if cost > dearest[node]:
            continue
        if node < inner:
            stack[height], stack[height + 1] = children[node, 0], children[node, 1]
            height += 2
            continue
        other = tree[node, NUMBER]
        union = classes.sizes[one] + classes.sizes[other]
        if (cost, union, min(one, other), max(one, other)) < pair_of(classes, other):
            classes.costs[other], classes.unions[other], classes.partners[other] = cost, union, one
            classes.partner_made[other] = classes.made[one]
            remembers_another(classes, other)


@kernel
def _own(prices: Prices, classes: Classes, one: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """What the leaf of a class knows of it, then its box; and where the tables have the rows of the box, -1 for no table."""
    boxes, tree, place = classes.boxes, classes.tree, classes.places[one]
    offsets, at = prices.offsets, prices.at
    columns, row = boxes.shape[1], tree.shape[1]
    own, rows = np.empty(row + columns, np.int32), np.empty(columns, np.int64)
    for i in range(row):
        own[i] = tree[place, i]
    for column in range(columns):
        own[row + column] = boxes[one, column]
        count = offsets[column + 1] - offsets[column]
        rows[column] = at[column] + boxes[one, column] * count if at[column] >= 0 else -1
    return own, rows


@kernel
def _cost(
    prices: Prices,
    boxes: NDArray[np.int32],
    tree: NDArray[np.int32],
    own: NDArray[np.int32],
    rows: NDArray[np.int64],
    inner: int,
    node: int,
) -> int:
    """No merge of a class with one below a node costs less; for a leaf it is the cost."""
    columns = len(rows)
    last, top, box = FIRST + columns, FIRST + 2 * columns, FIRST + 3 * columns
    up, other_up = 0, 0  # what one record of each side pays more
    for column in range(columns):
        other = own[box + column]
        if node >= inner:
            other = boxes[tree[node, NUMBER], column]
        else:  # the nearest leaf; or the own value, if a class below may show the same: none costs less
            low, high = tree[node, FIRST + column], -tree[node, last + column]
            other = high if high < own[FIRST + column] else other
            other = low if low > -own[last + column] else other
        if rows[column] >= 0:
            price = prices.common[rows[column] + other]
        else:
            price = prices.prices[prices.offsets[column] + cover(prices, column, own[box + column], other)]
        up += price + own[top + column]
        other_up += max(price + tree[node, top + column], 0)
    cost: int = own[SIZE] * up + tree[node, SIZE] * other_up
    return cost
