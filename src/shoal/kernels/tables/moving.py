"""Moves that make a grouping cheaper and never a class too small: a record changes its class, two records change places, a class is
dissolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, box_price, climb, join
from shoal.kernels.tables.classes import Classes, box_without, cheapest, put, release, take

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LESS = 1e-10  # a gain smaller than this is rounding
_LARGE = 64  # members of larger classes do not change places: too many pairs for too little


@kernel
def move_records(trees: Trees, classes: Classes, k: int, first: int, last: int) -> int:
    """For records first … last-1: go where it is cheaper for all together; returns how many went."""
    columns = classes.codes.shape[1]
    box = np.empty(columns, np.int32)
    moved = 0
    for record in range(first, last):
        own = classes.class_of[record]
        size = classes.sizes[own]
        if classes.prices[own] == 0.0 or size == 1:
            continue
        without = box_without(trees, classes, own, record, box)
        gain = size * classes.prices[own] - (size - 1) * without
        if size > k:
            other, _ = cheapest(trees, classes, record, own, gain - _LESS)
            if other >= 0:
                take(trees, classes, record)
                put(trees, classes, record, other)
                moved += 1
        elif without < classes.prices[own] - _LESS:
            partner = _best_partner(trees, classes, record, box, gain)
            if partner >= 0:
                other = classes.class_of[partner]
                take(trees, classes, record)
                take(trees, classes, partner)
                put(trees, classes, record, other)
                put(trees, classes, partner, own)
                moved += 1
    return moved


@kernel
def _best_partner(trees: Trees, classes: Classes, record: int, without: NDArray[np.int32], gain: float) -> int:
    """The record of another class that would best change places with this one; -1 when none helps.

    without: the box of the record's class when it has gone."""
    offsets, first, last, parents, prices = trees
    codes, boxes, sizes, paid, after = classes.codes, classes.boxes, classes.sizes, classes.prices, classes.after
    columns = codes.shape[1]
    box = np.empty(columns, np.int32)
    own = classes.class_of[record]
    best, least = -1, -_LESS
    for other in range(len(sizes)):
        size = sizes[other]
        if other == own or size == 0 or size > _LARGE or paid[other] >= gain:
            continue
        extra = paid[other]
        for c in range(columns):
            at, leaf, node = offsets[c], codes[record, c], boxes[other, c]
            if first[at + node] > leaf or last[at + node] < leaf:
                wider = climb(first, last, parents, at, parents[at + node], leaf, leaf)
                extra += (size + 1) * (prices[at + wider] - prices[at + node])
                if extra >= gain:
                    break
        if extra >= gain:
            continue
        partner = classes.head[other]
        while partner >= 0:
            price = 0.0
            for c in range(columns):
                at, leaf = offsets[c], codes[partner, c]
                price += prices[at + climb(first, last, parents, at, without[c], leaf, leaf)]
            change = sizes[own] * (price - paid[own])
            if change < least + size * paid[other]:  # the most the other class could gain
                box_without(trees, classes, other, partner, box)
                price = 0.0
                for c in range(columns):
                    at, leaf = offsets[c], codes[record, c]
                    price += prices[at + climb(first, last, parents, at, box[c], leaf, leaf)]
                change += size * (price - paid[other])
                if change < least:
                    best, least = partner, change
            partner = after[partner]
    return best


@kernel
def dissolve_classes(trees: Trees, classes: Classes, k: int, first: int, last: int) -> int:
    """For classes first … last-1: spread the members over other classes where that is cheaper; returns how many are gone."""
    columns = classes.codes.shape[1]
    gone = 0
    for number in range(first, last):
        size = classes.sizes[number]
        if size == 0 or size > 3 * k or classes.prices[number] == 0.0:
            continue
        limit = size * classes.prices[number] - _LESS
        members = np.empty(size, np.int64)
        targets = np.empty(size, np.int64)
        boxes = np.empty((size, columns), np.int32)
        prices = np.empty(size, np.float64)
        member = classes.head[number]
        for i in range(size):
            members[i] = member
            member = classes.after[member]
        placed = 0
        while placed < size:  # widen the targets one after the other, as if the members had joined
            record = members[placed]
            target, extra = cheapest(trees, classes, record, number, limit)
            if target < 0:
                break
            limit -= extra
            targets[placed] = target
            boxes[placed] = classes.boxes[target]
            prices[placed] = classes.prices[target]
            join(trees, classes.boxes[target], classes.codes[record])
            classes.prices[target] = box_price(trees, classes.boxes[target])
            classes.sizes[target] += 1
            placed += 1
        for i in range(placed - 1, -1, -1):  # take it back
            classes.boxes[targets[i]] = boxes[i]
            classes.prices[targets[i]] = prices[i]
            classes.sizes[targets[i]] -= 1
        if placed == size:
            release(classes, number)
            for i in range(size):
                put(trees, classes, members[i], targets[i])
            gone += 1
    return gone
