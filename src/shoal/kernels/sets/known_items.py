"""All combinations of two or three items that sets hold, as numbers: what somebody could know of a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def combination_keys(
    offsets: NDArray[np.int64], items: NDArray[np.int32], size: int, width: int, number: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(number,) twice: a number for each combination of two or three items, and the set it is of.

    items: ascending in each set; size: 2 or 3; width: how many items there are; number: of combinations in all.
    """
    keys, owners = np.empty(number, np.int64), np.empty(number, np.int64)
    at = 0
    for one in range(len(offsets) - 1):
        end = offsets[one + 1]
        for i in range(offsets[one], end):
            for j in range(i + 1, end):
                pair = np.int64(items[i]) * width + items[j]
                if size == 2:
                    keys[at], owners[at] = pair, one
                    at += 1
                    continue
                for h in range(j + 1, end):
                    keys[at], owners[at] = pair * width + items[h], one
                    at += 1
    return keys, owners
