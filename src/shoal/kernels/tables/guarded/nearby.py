"""Units that lie near each other: where a search draws its tries from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, climb
from shoal.kernels.tables.neighbourhood import draw

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def nearby_units(
    trees: Trees,
    codes: NDArray[np.int32],
    begin: int,
    end: int,
    step: int,
    state: NDArray[np.uint64],
    nearby: NDArray[np.int32],
) -> None:
    """nearby[unit]: for the units begin … end-1 those with which they share the cheapest box, the nearest first; -1: no more.

    codes: (units, columns) leaves. step: of so many units one is looked at."""
    offsets, first, last, parents, prices = trees
    units, columns = codes.shape
    many = nearby.shape[1]
    starts = np.zeros(columns + 1, np.int64)
    for c in range(columns):
        starts[c + 1] = starts[c] + codes[:, c].max() + 1
    spots = np.empty((units, columns), np.int32)
    for c in range(columns):
        for unit in range(units):
            spots[unit, c] = starts[c] + codes[unit, c]
    shared = np.empty(starts[columns], np.float32)  # what one pays in a box with each leaf
    far = np.empty(many, np.float32)
    for unit in range(begin, end):
        for c in range(columns):
            at, own = offsets[c], codes[unit, c]
            for leaf in range(starts[c + 1] - starts[c]):
                shared[starts[c] + leaf] = prices[at + climb(first, last, parents, at, own, leaf, leaf)]
        far[:] = np.inf
        near = nearby[unit]
        near[:] = -1
        for other in range(int(draw(state) * step), units, step):
            price = np.float32(0.0)
            for c in range(columns):
                price += shared[spots[other, c]]
            if price < far[many - 1] and other != unit:
                i = many - 1
                while i > 0 and far[i - 1] > price:
                    far[i], near[i] = far[i - 1], near[i - 1]
                    i -= 1
                far[i], near[i] = price, other
