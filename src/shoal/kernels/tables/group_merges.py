"""Merge every group that breaks a promise with the one that costs least."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, box_price, box_prices, join, joint_price

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def merge_each(
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
