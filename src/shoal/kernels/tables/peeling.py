"""Peel a table: at one lattice node after the other, cheap ones first, classes that are large enough leave with what they show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.signatures import number_classes, slots_for

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def peel(
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    nodes: NDArray[np.int64],
    spots: NDArray[np.int64],
    signs: NDArray[np.uint64],
    k: int,
    first: int,
    last: int,
    left: NDArray[np.int64],
    remaining: int,
    made: int,
    groups: NDArray[np.int32],
    formed: NDArray[np.int64],
) -> tuple[int, int]:
    """Go through nodes first … last-1, with the tuples left[:remaining] and the number of groups made before; returns both anew.

    Fills groups[tuple] for those that leave. formed[group]: the node it left at.

    nodes: (nodes, columns) levels, in the order in which they are tried. spots: (columns, levels) where the signatures of a
    level begin in `signs`, one for each leaf (`kernels.signatures`).
    """
    tuples, columns = codes.shape
    slots = slots_for(tuples)
    signed = np.empty(tuples, np.uint64)
    class_of = np.empty(tuples, np.int32)
    total = np.empty(tuples, np.int64)
    number = np.empty(tuples, np.int32)
    for v in range(first, last):
        if remaining == 0:
            break
        for j in range(remaining):
            key = np.uint64(0)
            for c in range(columns):
                key += signs[spots[c, nodes[v, c]] + codes[left[j], c]]
            signed[j] = key
        found = number_classes(signed[:remaining], slots, v + 1, class_of)
        total[:found] = 0
        for j in range(remaining):
            total[class_of[j]] += counts[left[j]]
        for one in range(found):
            number[one] = -1
            if total[one] >= k:
                number[one] = made
                formed[made] = v
                made += 1
        kept = 0
        for j in range(remaining):
            i = left[j]
            if number[class_of[j]] >= 0:
                groups[i] = number[class_of[j]]
            else:
                left[kept] = i
                kept += 1
        remaining = kept
    return remaining, made
