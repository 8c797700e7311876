"""Open a class where several units would pay less together than they pay where they are.

A unit that pays much is the seed. With each of some units that would pay less in a box with the seed, that box is tried: all units
it covers that pay more now would save something. Of the boxes whose units keep the promises together, the one with the largest
savings becomes a class, as far as the classes they leave go on keeping theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, climb, joint_price
from shoal.kernels.tables.classes import take_free
from shoal.kernels.tables.guarded.moving import Guarded, add_row, clear, enter, leave
from shoal.kernels.tables.guarded.promises import Promises, lack
from shoal.kernels.tables.neighbourhood import draw

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BOXES = 24  # that are tried around a seed
_LESS = 1e-9  # an improvement smaller than this is rounding


@kernel
def secede(
    trees: Trees,
    promises: Promises,
    guarded: Guarded,
    floors: NDArray[np.float64],
    rounds: int,
    state: NDArray[np.uint64],
) -> int:
    """So many tries; returns how many classes were opened. floors: (units,) what each record pays at least."""
    classes, units, hist = guarded
    count, columns = classes.codes.shape
    excess = np.empty(count, np.float64)
    above = 0.0
    for unit in range(count):
        number = classes.class_of[unit]
        if _may_leave(promises, guarded, unit):
            above += max(0.0, classes.prices[number] - floors[unit])
        excess[unit] = above
    candidates = np.empty(count, np.int64)
    saved = np.empty(count, np.float64)
    box, best_box = np.empty(columns, np.int32), np.empty(columns, np.int32)
    row = np.empty(hist.shape[1], np.int64)
    opened = 0
    for _ in range(rounds):
        if above <= 0.0 or classes.free_count[0] == 0:
            break
        seed = int(np.searchsorted(excess, draw(state) * above))
        if seed >= count or not _may_leave(promises, guarded, seed):
            continue
        now = classes.prices[classes.class_of[seed]]
        found = 0
        for unit in range(count):
            paid = classes.prices[classes.class_of[unit]]
            if paid > 0.0 and unit != seed:
                price = joint_price(trees, classes.codes[seed], classes.codes[unit], min(paid, now))
                if price < paid - _LESS and price < now - _LESS and _may_leave(promises, guarded, unit):
                    candidates[found] = unit
                    found += 1
        if found == 0:
            continue
        best = 0.0
        for _box in range(min(_BOXES, found)):
            other = candidates[int(draw(state) * found)]
            price = _span(trees, classes.codes, seed, other, box)
            total, records = units.weights[seed] * (now - price), units.weights[seed]
            for i in range(found):
                unit = candidates[i]
                save = classes.prices[classes.class_of[unit]] - price
                if save > 0.0 and _covers(trees, box, classes.codes, unit):
                    total += units.weights[unit] * save
                    records += units.weights[unit]
            if (
                records >= promises.k
                and total > best
                and _keeps(trees, promises, guarded, seed, candidates[:found], box, price, row)
            ):
                best = total
                best_box[:] = box
        if best <= _LESS:
            continue
        price = 0.0
        for c in range(columns):
            price += trees.prices[trees.offsets[c] + best_box[c]]
        inside = 0
        for i in range(found):
            unit = candidates[i]
            save = classes.prices[classes.class_of[unit]] - price
            if save > 0.0 and _covers(trees, best_box, classes.codes, unit):
                candidates[inside], saved[inside] = unit, save
                inside += 1
        if _open(trees, promises, guarded, seed, candidates[:inside], saved[:inside], row):
            opened += 1
    return opened


@kernel
def _open(
    trees: Trees,
    promises: Promises,
    guarded: Guarded,
    seed: int,
    candidates: NDArray[np.int64],
    saved: NDArray[np.float64],
    row: NDArray[np.int64],
) -> bool:
    """Let the units leave, those that save most first, and take it all back if it does not pay."""
    classes, hist = guarded.classes, guarded.hist
    number = take_free(classes)
    order = np.argsort(-saved)
    members = np.empty(len(candidates) + 1, np.int64)
    homes = np.empty(len(candidates) + 1, np.int64)
    joined = 0
    change = 0.0
    for i in range(-1, len(candidates)):
        unit = seed if i < 0 else candidates[order[i]]
        if not _may_leave(promises, guarded, unit):
            continue
        home = classes.class_of[unit]
        change -= classes.sizes[home] * classes.prices[home]
        leave(trees, guarded, unit)
        change += classes.sizes[home] * classes.prices[home]
        enter(trees, guarded, unit, number)
        members[joined], homes[joined] = unit, home
        joined += 1
    change += classes.sizes[number] * classes.prices[number]
    if change < -_LESS and lack(promises, hist[number], classes.sizes[number]) == 0.0:
        return True
    for i in range(joined):
        leave(trees, guarded, members[i])
        enter(trees, guarded, members[i], homes[i])
    clear(guarded, number)
    return False


@kernel
def _keeps(
    trees: Trees,
    promises: Promises,
    guarded: Guarded,
    seed: int,
    candidates: NDArray[np.int64],
    box: NDArray[np.int32],
    price: float,
    row: NDArray[np.int64],
) -> bool:
    """Whether all whom a box would save something keep the promises together: where they do not, to open it is in vain."""
    classes, units = guarded.classes, guarded.units
    row[:] = 0
    add_row(units, seed, row, 1)
    size = units.weights[seed]
    for unit in candidates:
        if classes.prices[classes.class_of[unit]] > price and _covers(trees, box, classes.codes, unit):
            add_row(units, unit, row, 1)
            size += units.weights[unit]
    return lack(promises, row, size) == 0.0


@kernel
def _may_leave(promises: Promises, guarded: Guarded, unit: int) -> bool:
    """Whether the class of a unit keeps its promises without it."""
    classes, units, hist = guarded
    own = classes.class_of[unit]
    left = classes.sizes[own] - units.weights[unit]
    if left < promises.k:
        return False
    add_row(units, unit, hist[own], -1)
    kept = lack(promises, hist[own], left) == 0.0
    add_row(units, unit, hist[own], 1)
    return kept


@kernel
def _span(trees: Trees, codes: NDArray[np.int32], one: int, two: int, box: NDArray[np.int32]) -> float:
    price = 0.0
    for c in range(len(box)):
        leaf = codes[two, c]
        box[c] = climb(trees.first, trees.last, trees.parents, trees.offsets[c], codes[one, c], leaf, leaf)
        price += trees.prices[trees.offsets[c] + box[c]]
    return price


@kernel
def _covers(trees: Trees, box: NDArray[np.int32], codes: NDArray[np.int32], unit: int) -> bool:
    for c in range(len(box)):
        node = trees.offsets[c] + box[c]
        if trees.first[node] > codes[unit, c] or trees.last[node] < codes[unit, c]:
            return False
    return True
