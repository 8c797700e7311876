"""Classes under change whose sensitive values have to keep promises: the moves.

A unit is a tuple with all its records, or one record. It changes its class, or two units change places, only if afterwards both
classes keep every promise (`promises.lack`). Class sizes are counted in records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, climb
from shoal.kernels.tables.classes import Classes, box_without, make_classes, put, release, take
from shoal.kernels.tables.guarded.promises import Promises, lack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LESS = 1e-9  # a gain smaller than this is rounding
_LARGE = 64  # units of larger classes do not change places: too many pairs for too little


class Units(NamedTuple):
    """What each unit brings into a class."""

    weights: NDArray[np.int64]  # (units,) records
    starts: NDArray[np.int64]  # (units + 1,) where the entries of each begin
    slots: NDArray[np.int64]  # (entries,)
    counts: NDArray[np.int64]  # (entries,)


class Guarded(NamedTuple):
    """Classes of units with what they hold."""

    classes: Classes
    units: Units
    hist: NDArray[np.int64]  # (classes, slots)


def guard(
    trees: Trees, promises: Promises, codes: NDArray[np.int32], units: Units, groups: NDArray[np.int32]
) -> Guarded:
    """groups: (units,) numbered from 0."""
    classes = make_classes(trees, codes, groups, promises.k, int(units.weights.sum()))
    hist = np.zeros((len(classes.sizes), len(promises.totals)), np.int64)
    entry_unit = np.repeat(np.arange(len(codes)), np.diff(units.starts))
    np.add.at(hist, (groups[entry_unit], units.slots), units.counts)
    classes.sizes[:] = np.bincount(groups, weights=units.weights, minlength=len(classes.sizes)).astype(np.int64)
    return Guarded(classes, units, hist)


@kernel
def enter(trees: Trees, guarded: Guarded, unit: int, number: int) -> None:
    """Add a unit that is in no class."""
    put(trees, guarded.classes, unit, number)
    guarded.classes.sizes[number] += guarded.units.weights[unit] - 1
    add_row(guarded.units, unit, guarded.hist[number], 1)


@kernel
def leave(trees: Trees, guarded: Guarded, unit: int) -> None:
    """Take a unit out of its class. An empty class is not released here."""
    number = guarded.classes.class_of[unit]
    take(trees, guarded.classes, unit)
    guarded.classes.sizes[number] -= guarded.units.weights[unit] - 1
    add_row(guarded.units, unit, guarded.hist[number], -1)


@kernel
def clear(guarded: Guarded, number: int) -> None:
    """A class all of whose units go elsewhere can be used again."""
    release(guarded.classes, number)
    guarded.hist[number] = 0


@kernel
def add_row(units: Units, unit: int, row: NDArray[np.int64], sign: int) -> None:
    for e in range(units.starts[unit], units.starts[unit + 1]):
        row[units.slots[e]] += sign * units.counts[e]


@kernel
def move_units(trees: Trees, promises: Promises, guarded: Guarded, first: int, last: int) -> int:
    """For units first … last-1: go where it is cheaper for all together; returns how many went."""
    classes, units, hist = guarded
    columns = classes.codes.shape[1]
    box = np.empty(columns, np.int32)
    moved = 0
    for unit in range(first, last):
        own = classes.class_of[unit]
        size, weight = classes.sizes[own], units.weights[unit]
        if classes.prices[own] == 0.0 or size == weight:
            continue
        without = box_without(trees, classes, own, unit, box)
        gain = size * classes.prices[own] - (size - weight) * without
        row = hist[own]
        add_row(units, unit, row, -1)
        spare = lack(promises, row, size - weight) == 0.0
        add_row(units, unit, row, 1)
        target = -1
        if spare:
            target = _cheapest(trees, promises, guarded, unit, gain - _LESS)
        if target >= 0:
            leave(trees, guarded, unit)
            enter(trees, guarded, unit, target)
            moved += 1
        elif without < classes.prices[own] - _LESS:
            partner = _partner(trees, promises, guarded, unit, box, gain)
            if partner >= 0:
                other = classes.class_of[partner]
                leave(trees, guarded, unit)
                leave(trees, guarded, partner)
                enter(trees, guarded, unit, other)
                enter(trees, guarded, partner, own)
                moved += 1
    return moved


@kernel
def _cheapest(trees: Trees, promises: Promises, guarded: Guarded, unit: int, limit: float) -> int:
    """The class that a unit can join for least and that keeps its promises then; -1 when none is below `limit`."""
    offsets, first, last, parents, prices = trees
    classes, units, hist = guarded
    codes, boxes, sizes, paid = classes.codes, classes.boxes, classes.sizes, classes.prices
    own, weight, columns = classes.class_of[unit], units.weights[unit], codes.shape[1]
    best = -1
    for number in range(len(sizes)):
        size = sizes[number]
        if number == own or size == 0:
            continue
        extra = weight * paid[number]
        for c in range(columns):
            if extra >= limit:
                break
            at, leaf, node = offsets[c], codes[unit, c], boxes[number, c]
            if first[at + node] > leaf or last[at + node] < leaf:
                wider = climb(first, last, parents, at, parents[at + node], leaf, leaf)
                extra += (size + weight) * (prices[at + wider] - prices[at + node])
        if extra < limit:
            row = hist[number]
            add_row(units, unit, row, 1)
            if lack(promises, row, size + weight) == 0.0:
                best, limit = number, extra
            add_row(units, unit, row, -1)
    return best


@kernel
def _partner(
    trees: Trees, promises: Promises, guarded: Guarded, unit: int, without: NDArray[np.int32], gain: float
) -> int:
    """The unit of another class that would best change places with this one; -1 when none helps.

    without: the box of the unit's class when it has gone; gain: what that saves."""
    offsets, first, last, parents, prices = trees
    classes, units, hist = guarded
    codes, boxes, sizes, paid = classes.codes, classes.boxes, classes.sizes, classes.prices
    columns = codes.shape[1]
    box = np.empty(columns, np.int32)
    own, weight = classes.class_of[unit], units.weights[unit]
    row, union = hist[own], np.empty(hist.shape[1], np.int64)
    best, least = -1, -_LESS
    for other in range(len(sizes)):
        size = sizes[other]
        if other == own or size == 0 or size > _LARGE or weight * paid[other] >= gain + size * paid[other]:
            continue
        far = 0.0  # what the record alone pays there, if the class did not shrink
        for c in range(columns):
            at, leaf, node = offsets[c], codes[unit, c], boxes[other, c]
            if first[at + node] > leaf or last[at + node] < leaf:
                wider = climb(first, last, parents, at, parents[at + node], leaf, leaf)
                far += prices[at + wider] - prices[at + node]
        if size * far >= gain:
            continue
        partner = classes.head[other]
        while partner >= 0:
            theirs = units.weights[partner]
            price = 0.0
            for c in range(columns):
                at, leaf = offsets[c], codes[partner, c]
                price += prices[at + climb(first, last, parents, at, without[c], leaf, leaf)]
            change = (sizes[own] - weight + theirs) * price - sizes[own] * paid[own]
            if change < least + size * paid[other]:  # the most the other class could gain
                if theirs == size:  # nobody else is there
                    box[:] = codes[unit]
                else:
                    box_without(trees, classes, other, partner, box)
                price = 0.0
                for c in range(columns):
                    at, leaf = offsets[c], codes[unit, c]
                    price += prices[at + climb(first, last, parents, at, box[c], leaf, leaf)]
                change += (size - theirs + weight) * price - size * paid[other]
                if change < least:
                    union[:] = row
                    add_row(units, unit, union, -1)
                    add_row(units, partner, union, 1)
                    if lack(promises, union, sizes[own] - weight + theirs) == 0.0:
                        union[:] = hist[other]
                        add_row(units, unit, union, 1)
                        add_row(units, partner, union, -1)
                        if lack(promises, union, size + weight - theirs) == 0.0:
                            best, least = partner, change
            partner = classes.after[partner]
    return best


@kernel
def hiding_gains(trees: Trees, promises: Promises, guarded: Guarded, hidden: float, gains: NDArray[np.float64]) -> None:
    """gains[unit]: what all others save when it is hidden, less what that costs; at most 0 where its class needs it.

    hidden: what a hidden record pays."""
    classes, units, hist = guarded
    box = np.empty(classes.codes.shape[1], np.int32)
    for unit in range(len(gains)):
        own, weight = classes.class_of[unit], units.weights[unit]
        left = classes.sizes[own] - weight
        gains[unit] = 0.0
        if own < 0 or left < promises.k or classes.sizes[own] * classes.prices[own] <= weight * hidden:
            continue
        without = box_without(trees, classes, own, unit, box)
        gains[unit] = classes.sizes[own] * classes.prices[own] - left * without - weight * hidden
        if gains[unit] > 0.0:
            add_row(units, unit, hist[own], -1)
            if lack(promises, hist[own], left) > 0.0:
                gains[unit] = 0.0
            add_row(units, unit, hist[own], 1)


@kernel
def cost_of(guarded: Guarded) -> float:
    """What all records pay together."""
    return float((guarded.classes.sizes * guarded.classes.prices).sum())
