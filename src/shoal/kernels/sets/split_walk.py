"""Which end of a tree of questions a basket comes to. Each question: does it hold an item of this interval?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def ends_of(
    offsets: NDArray[np.int64],
    leaves: NDArray[np.int32],
    first: NDArray[np.int32],
    last: NDArray[np.int32],
    ways: NDArray[np.int32],
) -> NDArray[np.int64]:
    """(baskets,). first, last: (questions,); ways: (questions, 2) where `no` and `yes` lead: to a question, or to end -1 - way."""
    ends = np.zeros(len(offsets) - 1, np.int64)
    for basket in range(len(ends)):
        at = 0 if len(first) else -1
        while at >= 0:
            found = 0
            for i in range(offsets[basket], offsets[basket + 1]):
                if first[at] <= leaves[i] <= last[at]:
                    found = 1
                    break
            at = ways[at, found]
        ends[basket] = -1 - at
    return ends
