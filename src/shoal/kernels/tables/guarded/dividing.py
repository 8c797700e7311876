"""Annealing, whole classes: one is divided into two, or two become one (see `annealing.py` for heat).

Units alone never open a class, since one unit rarely keeps the promises. A class is divided around two of its units: the others
go, in any order, where they cost less, with some chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, box_price, join, joint_price
from shoal.kernels.tables.classes import take_free
from shoal.kernels.tables.guarded.annealing import allowance, price_with
from shoal.kernels.tables.guarded.moving import Guarded, add_row, clear, enter, leave
from shoal.kernels.tables.guarded.promises import Promises, lack
from shoal.kernels.tables.neighbourhood import draw

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def divide_classes(
    trees: Trees, promises: Promises, guarded: Guarded, heat: float, rounds: int, state: NDArray[np.uint64]
) -> int:
    """So many tries; returns how many classes were divided."""
    classes, hist = guarded.classes, guarded.hist
    count, columns = classes.codes.shape
    members = np.empty(count, np.int64)
    side = np.empty(count, np.int64)
    boxes = np.empty((2, columns), np.int32)
    rows = np.empty((2, hist.shape[1]), np.int64)
    sizes = np.empty(2, np.int64)
    divided = 0
    for _ in range(rounds):
        unit = int(draw(state) * count)
        number = classes.class_of[unit]
        if classes.sizes[number] < 2 * promises.k or classes.prices[number] == 0.0 or classes.free_count[0] == 0:
            continue
        many, member = 0, classes.head[number]
        while member >= 0:
            members[many] = member
            many += 1
            member = classes.after[member]
        _shuffle(members[:many], state)
        if members[0] == unit:
            members[0], members[many - 1] = members[many - 1], members[0]
        _deal(trees, guarded, members[:many], unit, members[0], state, boxes, rows, sizes, side)
        if sizes[0] < promises.k or sizes[1] < promises.k:
            continue
        cost = sizes[0] * box_price(trees, boxes[0]) + sizes[1] * box_price(trees, boxes[1])
        if cost - classes.sizes[number] * classes.prices[number] >= allowance(heat, state):
            continue
        if lack(promises, rows[0], sizes[0]) > 0.0 or lack(promises, rows[1], sizes[1]) > 0.0:
            continue
        new = take_free(classes)
        for i in range(many):
            if side[i] == 1:
                leave(trees, guarded, members[i])
                enter(trees, guarded, members[i], new)
        divided += 1
    return divided


@kernel
def _shuffle(members: NDArray[np.int64], state: NDArray[np.uint64]) -> None:
    for i in range(len(members) - 1, 0, -1):
        j = int(draw(state) * (i + 1))
        members[i], members[j] = members[j], members[i]


@kernel
def _deal(
    trees: Trees,
    guarded: Guarded,
    members: NDArray[np.int64],
    one: int,
    two: int,
    state: NDArray[np.uint64],
    boxes: NDArray[np.int32],
    rows: NDArray[np.int64],
    sizes: NDArray[np.int64],
    side: NDArray[np.int64],
) -> None:
    """Fill side[i] with 0 or 1 for each member, and what both sides are then; `one` is on side 0 and `two` on side 1."""
    classes, units = guarded.classes, guarded.units
    boxes[0], boxes[1] = classes.codes[one], classes.codes[two]
    sizes[0], sizes[1] = units.weights[one], units.weights[two]
    rows[:] = 0
    for i in range(len(members)):
        member = members[i]
        weight, codes = units.weights[member], classes.codes[member]
        if member in (one, two):
            side[i] = 1 if member == two else 0
        else:
            lower = (0.5 + draw(state)) * _extra(trees, boxes[0], sizes[0], codes, weight)
            upper = (0.5 + draw(state)) * _extra(trees, boxes[1], sizes[1], codes, weight)
            side[i] = 0 if lower < upper else 1
            join(trees, boxes[side[i]], codes)
            sizes[side[i]] += weight
        add_row(units, member, rows[side[i]], 1)


@kernel
def _extra(trees: Trees, box: NDArray[np.int32], size: int, codes: NDArray[np.int32], weight: int) -> float:
    """What all pay more when a unit of so many records joins."""
    return (size + weight) * price_with(trees, box, codes) - size * box_price(trees, box)


@kernel
def fuse_classes(
    trees: Trees,
    promises: Promises,
    guarded: Guarded,
    nearby: NDArray[np.int32],
    heat: float,
    rounds: int,
    state: NDArray[np.uint64],
) -> int:
    """So many tries; returns how many classes are gone. nearby: (units, many) as in `nearby_units`."""
    classes, _, hist = guarded
    count, many = nearby.shape
    row = np.empty(hist.shape[1], np.int64)
    fused = 0
    for _ in range(rounds):
        unit = int(draw(state) * count)
        near = nearby[unit, int(many * draw(state))]
        own = classes.class_of[unit]
        if near < 0 or classes.class_of[near] == own:
            continue
        other = classes.class_of[near]
        size, theirs = classes.sizes[own], classes.sizes[other]
        paid = size * classes.prices[own] + theirs * classes.prices[other]
        price = joint_price(trees, classes.boxes[own], classes.boxes[other], np.inf)
        if (size + theirs) * price - paid >= allowance(heat, state):
            continue
        row[:] = hist[own] + hist[other]
        if lack(promises, row, size + theirs) > 0.0:  # floats may be in doubt even here
            continue
        member = classes.head[own]
        while member >= 0:
            after = classes.after[member]
            leave(trees, guarded, member)
            enter(trees, guarded, member, other)
            member = after
        clear(guarded, own)
        fused += 1
    return fused
