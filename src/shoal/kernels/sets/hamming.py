"""In how many items two sets differ, and how far it is along an order of sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def hamming(offsets: NDArray[np.int64], items: NDArray[np.int32], one: int, two: int) -> int:
    """Of two sets, by merging their sorted lists."""
    a, a_end, b, b_end = offsets[one], offsets[one + 1], offsets[two], offsets[two + 1]
    common = 0
    total = a_end - a + b_end - b
    while a < a_end and b < b_end:
        if items[a] == items[b]:
            common += 1
            a += 1
            b += 1
        elif items[a] < items[b]:
            a += 1
        else:
            b += 1
    return int(total - 2 * common)


@kernel
def steps_along(offsets: NDArray[np.int64], items: NDArray[np.int32], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """(sets,): from each set of an order to the next one, and from the last to the first."""
    count = len(order)
    steps = np.zeros(count, np.int64)
    for i in range(count):
        steps[i] = hamming(offsets, items, order[i], order[(i + 1) % count])
    return steps


def cyclic_sum(offsets: NDArray[np.int64], items: NDArray[np.int32], order: NDArray[np.int64]) -> int:
    """The length of the closed tour through all sets in this order."""
    return int(steps_along(offsets, items, order).sum())
