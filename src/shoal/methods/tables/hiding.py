"""Hide the records that cost more than they are worth, within the recipe's limit.

A record that is hidden pays everything; the others of its class may then show more. Where they save more than that, it goes: of
each class the one that gains most, then of what is left, until the limit is reached or nothing gains. A class it leaves goes on
keeping every promise.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.tables.guarded.moving import guard, hiding_gains, leave
from shoal.loss.loss import CellLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tables.guarded.moving import Units
    from shoal.kernels.tables.guarded.promises import Promises
    from shoal.methods.tables.ground import Ground

_LESS = 1e-9  # a gain smaller than this is rounding


def may_hide(ground: Ground) -> int:
    """How many records may be hidden; 0 when the loss does not say what a hidden one costs."""
    return floor(ground.problem.suppression * ground.frequency.rows) if isinstance(ground.problem.loss, CellLoss) else 0


def hide(
    ground: Ground, promises: Promises, units: Units, tuples: NDArray[np.int64], groups: NDArray[np.int32]
) -> NDArray[np.int32]:
    """(units,) groups, -1 for those that are hidden. tuples: (units,) the tuple of each; groups: (units,) numbered from 0."""
    left = may_hide(ground)
    placed = groups.copy()
    top = sum(
        float(ground.priced.prices[at + len(h.labels) - 1])
        for at, h in zip(ground.priced.offsets, ground.hierarchies, strict=True)
    )
    classes = guard(ground.priced, promises, np.ascontiguousarray(ground.frequency.codes[tuples]), units, groups)
    gains = np.empty(len(groups), np.float64)
    while left > 0:
        hiding_gains(ground.priced, promises, classes, top, gains)
        order = np.argsort(-gains, kind="stable")
        order = order[gains[order] > _LESS]
        _, first = np.unique(classes.classes.class_of[order], return_index=True)  # one of each class
        chosen = order[np.sort(first)]
        chosen = chosen[np.cumsum(units.weights[chosen]) <= left]
        if not len(chosen):
            break
        for unit in chosen.tolist():
            leave(ground.priced, classes, unit)
            classes.classes.class_of[unit] = placed[unit] = -1
        left -= int(units.weights[chosen].sum())
    return placed
