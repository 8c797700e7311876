"""What clusters would show together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import joint_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tables.boxes import Trees


@kernel
def joint_prices(trees: Trees, boxes: NDArray[np.int32], cluster: int, others: NDArray[np.int64]) -> NDArray[np.int64]:
    """(others,): the price of the smallest box around a cluster and each of the others. Prices must be whole numbers."""
    made = np.empty(len(others), np.int64)
    for i in range(len(others)):
        made[i] = np.int64(joint_price(trees, boxes[cluster], boxes[others[i]], np.inf))
    return made


@kernel
def alike(boxes: NDArray[np.int32], cluster: int, others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of the others that show the same as a cluster."""
    found, n = np.empty(len(others), np.int64), 0
    for other in others:
        same = other != cluster
        for c in range(boxes.shape[1]):
            same = same and boxes[other, c] == boxes[cluster, c]
        if same:
            found[n] = other
            n += 1
    return found[:n]
