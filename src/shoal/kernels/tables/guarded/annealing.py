"""Annealing: units go to a class nearby, or two change places, and now and then that may cost something.

Steps that only ever save end where no single one helps any more, and promises about sensitive values make that happen early: a
class that needs a rare value holds on to it. A step that costs d is made with the chance exp(-d / heat); heat goes down. No step
breaks a promise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, climb
from shoal.kernels.tables.classes import Classes, box_without
from shoal.kernels.tables.guarded.moving import Guarded, add_row, enter, leave
from shoal.kernels.tables.guarded.promises import Promises, lack
from shoal.kernels.tables.neighbourhood import draw

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SWAPS = 0.5  # of the tries
_ANYONE = 0.7  # of the swaps are with any unit of the class, and not with the one nearby


@kernel
def anneal(
    trees: Trees,
    promises: Promises,
    guarded: Guarded,
    nearby: NDArray[np.int32],
    heat: float,
    rounds: int,
    state: NDArray[np.uint64],
) -> int:
    """So many tries; returns how many steps were made. nearby: (units, many) as in `nearby_units`."""
    classes = guarded.classes
    units, columns = classes.codes.shape
    many = nearby.shape[1]
    boxes = np.empty((2, columns), np.int32)
    row = np.empty(guarded.hist.shape[1], np.int64)
    steps = 0
    for _ in range(rounds):
        unit = int(draw(state) * units)
        own = classes.class_of[unit]
        if classes.prices[own] == 0.0:
            continue
        luck = draw(state)
        near = nearby[unit, int(many * luck * luck)]  # the nearest most often
        if near < 0 or classes.class_of[near] == own:
            continue
        limit = allowance(heat, state)
        if draw(state) >= _SWAPS:
            steps += _move(trees, promises, guarded, unit, classes.class_of[near], limit, boxes, row)
        else:
            if draw(state) < _ANYONE:
                near = _any_member(classes, classes.class_of[near], state)
            steps += _swap(trees, promises, guarded, unit, near, limit, boxes, row)
    return steps


@kernel
def allowance(heat: float, state: NDArray[np.uint64]) -> float:
    """What a step has to cost less than."""
    return float(-heat * np.log(draw(state) + 1e-300))


@kernel
def price_with(trees: Trees, box: NDArray[np.int32], leaves: NDArray[np.int32]) -> float:
    """What a record pays in a box that covers these leaves too."""
    offsets, first, last, parents, prices = trees
    price = 0.0
    for c in range(len(box)):
        at, leaf = offsets[c], leaves[c]
        price += prices[at + climb(first, last, parents, at, box[c], leaf, leaf)]
    return price


@kernel
def _any_member(classes: Classes, number: int, state: NDArray[np.uint64]) -> int:
    member, chosen, seen = classes.head[number], -1, 0
    while member >= 0:
        seen += 1
        if draw(state) * seen < 1.0:
            chosen = member
        member = classes.after[member]
    return chosen


@kernel
def _move(
    trees: Trees,
    promises: Promises,
    guarded: Guarded,
    unit: int,
    target: int,
    limit: float,
    boxes: NDArray[np.int32],
    row: NDArray[np.int64],
) -> bool:
    """A unit goes to another class, if all together that costs less than `limit`."""
    classes, units, hist = guarded
    own, weight = classes.class_of[unit], units.weights[unit]
    size, others = classes.sizes[own], classes.sizes[target]
    if size - weight < promises.k:
        return False
    paid = size * classes.prices[own]
    joined = (others + weight) * price_with(trees, classes.boxes[target], classes.codes[unit])
    extra = joined - others * classes.prices[target]
    if extra - paid >= limit:  # whatever the own class gains
        return False
    if extra + (size - weight) * box_without(trees, classes, own, unit, boxes[0]) - paid >= limit:
        return False
    row[:] = hist[own]
    add_row(units, unit, row, -1)
    if lack(promises, row, size - weight) > 0.0:
        return False
    row[:] = hist[target]
    add_row(units, unit, row, 1)
    if lack(promises, row, others + weight) > 0.0:
        return False
    leave(trees, guarded, unit)
    enter(trees, guarded, unit, target)
    return True


@kernel
def _swap(
    trees: Trees,
    promises: Promises,
    guarded: Guarded,
    one: int,
    two: int,
    limit: float,
    boxes: NDArray[np.int32],
    row: NDArray[np.int64],
) -> bool:
    """Two units of different classes change places, if all together that costs less than `limit`."""
    classes, units, hist = guarded
    first, second = classes.class_of[one], classes.class_of[two]
    change = units.weights[two] - units.weights[one]
    size, others = classes.sizes[first] + change, classes.sizes[second] - change
    if size < promises.k or others < promises.k:
        return False
    paid = classes.sizes[second] * classes.prices[second]
    cost = size * _instead(trees, guarded, one, two, boxes[0]) - classes.sizes[first] * classes.prices[first]
    if cost - paid >= limit:
        return False
    cost += others * _instead(trees, guarded, two, one, boxes[1]) - paid
    if cost >= limit:
        return False
    row[:] = hist[first]
    add_row(units, one, row, -1)
    add_row(units, two, row, 1)
    if lack(promises, row, size) > 0.0:
        return False
    row[:] = hist[second]
    add_row(units, one, row, 1)
    add_row(units, two, row, -1)
    if lack(promises, row, others) > 0.0:
        return False
    leave(trees, guarded, one)
    leave(trees, guarded, two)
    enter(trees, guarded, one, second)
    enter(trees, guarded, two, first)
    return True


@kernel
def _instead(trees: Trees, guarded: Guarded, leaving: int, entering: int, box: NDArray[np.int32]) -> float:
    """What each record of a class pays when another unit takes the place of one."""
    classes, units = guarded.classes, guarded.units
    number = classes.class_of[leaving]
    if classes.sizes[number] == units.weights[leaving]:  # nobody else is there
        box[:] = classes.codes[entering]
    else:
        box_without(trees, classes, number, leaving, box)
    return price_with(trees, box, classes.codes[entering])
