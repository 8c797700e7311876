"""Sorting a few numbers inside a loop over very many trees, where `np.sort` spends its time on memory for its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY = 32  # numbers that are no longer few


@njit(cache=True, nogil=True)
def sort_few(numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Put the first so many in order, in place, and return them."""
    if count > MANY:
        numbers[:count] = np.sort(numbers[:count])
        return numbers[:count]
    for i in range(1, count):
        one, at = numbers[i], i
        while at > 0 and numbers[at - 1] > one:
            numbers[at] = numbers[at - 1]
            at -= 1
        numbers[at] = one
    return numbers[:count]
