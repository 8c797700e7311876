"""Merge groups until every one keeps every promise (ERRATA 002-3).

While a group breaks a promise, the cheapest merge of such a group with any other group is made. Each merge leaves one group
fewer, so it ends: with all promises kept, or with a single group that breaks one, and then nothing but suppression would help.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from shoal.errors import Infeasible
from shoal.kernels.boxes import Trees, box_price, box_prices, join, joint_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.methods.tables.ground import Ground


def merge_failing(ground: Ground, groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """groups: (tuples,) → the same with fewer groups, numbered from 0, none of which breaks a promise."""
    groups = np.unique(groups, return_inverse=True)[1].astype(np.int32)
    while True:
        count = int(groups.max()) + 1
        failing = ground.failing(groups, count)
        if not failing.any():
            return groups
        if count == 1:
            promised = " and ".join(g.technical() for g in ground.problem.guarantees)
            raise Infeasible(f"Even all {ground.frequency.rows:,} records in one class break {promised}. Ask for less.")
        sizes = np.bincount(groups, weights=ground.frequency.counts, minlength=count).astype(np.int64)
        into = _merge_each(ground.trees, ground.boxes(groups, count), sizes, failing)
        groups = np.unique(into[groups], return_inverse=True)[1].astype(np.int32)


@njit(cache=True, nogil=True)
def _merge_each(
    trees: Trees, boxes: NDArray[np.int32], sizes: NDArray[np.int64], failing: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """into[group]: the group it is part of now. Every failing group has been merged with the one that costs least.

    A group that has just been merged may keep its promises now; whether it does is seen in the next round.
    """
    count = len(boxes)
    prices = box_prices(trees, boxes)
    into = np.arange(count)
    done = np.zeros(count, np.bool_)
    for group in range(count):
        if not failing[group] or done[group]:
            continue
        best, least = -1, np.inf
        for other in range(count):
            if other == group or into[other] != other:
                continue
            size = sizes[group] + sizes[other]
            paid = sizes[group] * prices[group] + sizes[other] * prices[other]
            joint = joint_price(trees, boxes[group], boxes[other], (least + paid) / size)
            more = size * joint - paid
            if more < least or (more == least and size < sizes[group] + sizes[best]):
                best, least = other, more
        into[group] = best
        join(trees, boxes[best], boxes[group])
        sizes[best] += sizes[group]
        prices[best] = box_price(trees, boxes[best])
        done[best] = True
    for group in range(count):  # a group merged into one that was merged later
        root = group
        while into[root] != root:
            root = into[root]
        into[group] = root
    return into
