"""Ruin and recreate: the class of a unit that pays much, and the classes nearest to it, are divided anew (`recreating.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, climb, joint_price
from shoal.kernels.tables.classes import Classes, take_free
from shoal.kernels.tables.guarded.moving import Guarded, add_row, clear, enter, leave
from shoal.kernels.tables.guarded.promises import Promises, lack
from shoal.kernels.tables.guarded.recreating import recreate
from shoal.kernels.tables.neighbourhood import count_misses, draw, mark, nearest_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LESS = 1e-9  # an improvement smaller than this is rounding
_NEAR = 12  # classes that are looked at around one
_PART = 8  # units of a large class that take part


@kernel
def ruin(
    trees: Trees,
    promises: Promises,
    guarded: Guarded,
    floors: NDArray[np.float64],
    failures: NDArray[np.int64],
    bits: NDArray[np.uint64],
    most: int,
    rounds: int,
    state: NDArray[np.uint64],
) -> int:
    """So many tries; returns how often one helped. Arguments as in `neighbourhood.improve`. most: units in one pool."""
    classes, units, hist = guarded
    count, columns = classes.codes.shape
    excess = np.empty(count, np.float64)  # running sum of what each unit pays above its floor
    above = 0.0
    for unit in range(count):
        number = classes.class_of[unit]
        over = max(0.0, classes.prices[number] - 0.9 * floors[unit])
        above += units.weights[unit] * over * 0.8 ** failures[number]
        excess[unit] = above
    if above <= 0.0:
        return 0
    whole = most // 3  # units of a class that takes part whole
    members = np.empty(most, np.int64)
    rest_of = np.empty(most, np.int64)  # the class whose rest it is; -1: a unit
    chosen = np.empty(_NEAR + 1, np.int64)
    values = np.empty(_NEAR, np.float64)
    nearest = np.empty(_NEAR, np.int64)
    misses = np.empty((3, bits.shape[1]), np.uint64)
    codes = np.empty((most, columns), np.int32)
    weights = np.empty(most, np.int64)
    rows = np.empty((most, hist.shape[1]), np.int64)
    parts = np.empty(most, np.int64)
    new = np.empty(most, np.int64)
    helped = 0
    for _ in range(rounds):
        unit = np.searchsorted(excess, draw(state) * excess[count - 1])
        if unit >= count:
            continue
        number = classes.class_of[unit]
        count_misses(trees, bits, classes.codes[unit], misses)
        found = nearest_classes(trees, classes, unit, 1 << 40, misses, values, nearest, state)
        pool = picked = 0
        before = 0.0
        wanted = 2 + int(draw(state) * 6)
        for i in range(-1, found):
            other = number if i < 0 else nearest[i]
            many = _gather(classes, other, whole, members[pool:])
            if many < 0:
                many = _part(
                    trees, promises, guarded, other, unit, members[pool:], codes[pool:], weights[pool:], rows[pool:]
                )
            else:
                for j in range(pool, pool + many):
                    codes[j] = classes.codes[members[j]]
                    weights[j] = units.weights[members[j]]
                    rows[j] = 0
                    add_row(units, members[j], rows[j], 1)
            if many == 0:
                if i < 0:
                    break
                continue
            for j in range(pool, pool + many):
                rest_of[j] = other if members[j] < 0 else -1
            pool += many
            chosen[picked] = other
            picked += 1
            before += classes.sizes[other] * classes.prices[other]
            if picked >= wanted:
                break
        if picked == 0:
            failures[number] += 1
            continue
        limit = before - _LESS
        helpful, chance = int(draw(state) * 3), 0.6 * draw(state)
        after = recreate(
            trees, promises, codes[:pool], weights[:pool], rows[:pool], limit, chance, helpful, state, parts[:pool]
        )
        if after < limit:
            new[:pool] = -1
            for i in range(pool):
                if rest_of[i] >= 0:
                    if new[parts[i]] >= 0:
                        after = limit  # the rests of two classes are left apart: they would have to be moved whole
                    new[parts[i]] = rest_of[i]
        if after >= limit:
            failures[number] += 1
            continue
        helped += 1
        for i in range(picked):
            mark(trees.offsets, classes.boxes, bits, chosen[i])
        for i in range(pool):
            if members[i] >= 0:
                leave(trees, guarded, members[i])
        for i in range(picked):
            if classes.sizes[chosen[i]] == 0:
                clear(guarded, chosen[i])
        for i in range(pool):
            if members[i] >= 0:
                if new[parts[i]] < 0:
                    new[parts[i]] = take_free(classes)
                enter(trees, guarded, members[i], new[parts[i]])
        for i in range(pool):
            if new[i] >= 0:
                failures[new[i]] = 0
                mark(trees.offsets, classes.boxes, bits, new[i])
    return helped


@kernel
def _gather(classes: Classes, number: int, most: int, members: NDArray[np.int64]) -> int:
    """List the members of a class; returns how many, -1 when there are more than `most`, 0 when there is no room for them."""
    many, member = 0, classes.head[number]
    while member >= 0:
        if many == most:
            return -1
        if many == len(members):
            return 0
        members[many] = member
        many += 1
        member = classes.after[member]
    return many


@kernel
def _part(
    trees: Trees,
    promises: Promises,
    guarded: Guarded,
    number: int,
    unit: int,
    members: NDArray[np.int64],
    codes: NDArray[np.int32],
    weights: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> int:
    """List those units of a large class that lie nearest to a unit, and at last what is left of the class as one (member -1); it
    goes on keeping its promises. Returns how many; 0 when none may leave."""
    classes, units, hist = guarded
    offsets, first, last, parents, _ = trees
    room = min(_PART, len(members) - 1)
    if room <= 0:
        return 0
    far = np.full(room, np.inf)
    near = np.full(room, -1, np.int64)
    member = classes.head[number]
    while member >= 0:
        price = (
            -1.0 if member == unit else joint_price(trees, classes.codes[unit], classes.codes[member], far[room - 1])
        )
        if price < far[room - 1]:
            i = room - 1
            while i > 0 and far[i - 1] > price:
                far[i], near[i] = far[i - 1], near[i - 1]
                i -= 1
            far[i], near[i] = price, member
        member = classes.after[member]
    row, size, many = hist[number].copy(), classes.sizes[number], 0
    for i in range(room):
        member = near[i]
        if member < 0:
            break
        left = size - units.weights[member]
        add_row(units, member, row, -1)
        if left < promises.k or lack(promises, row, left) > 0.0:
            add_row(units, member, row, 1)
            continue
        size = left
        members[many] = member
        codes[many] = classes.codes[member]
        weights[many] = units.weights[member]
        rows[many] = 0
        add_row(units, member, rows[many], 1)
        many += 1
    if many == 0:
        return 0
    begun = False
    member = classes.head[number]
    while member >= 0:
        stays = True
        for i in range(many):
            stays = stays and members[i] != member
        if stays:
            for c in range(codes.shape[1]):
                leaf = classes.codes[member, c]
                node = codes[many, c]
                codes[many, c] = climb(first, last, parents, offsets[c], node, leaf, leaf) if begun else leaf
            begun = True
        member = classes.after[member]
    members[many] = -1
    weights[many] = size
    rows[many] = row
    return many + 1
