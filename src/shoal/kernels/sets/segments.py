"""Cutting an order into segments where neighbours are close (paper 003, equation 1).

C(i) = min over j in [i − M, i − m] of C(j) + H(j), where H(j) is the distance across the cut before record j and a cut at the
very beginning costs nothing (003-8). Ties go to the longest last segment. Where sizes from m to M do not add up to the number
of records, there are ⌈n / M⌉ segments of nearly equal size instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEVER = np.iinfo(np.int64).max


def segments(steps: NDArray[np.int64], least: int, most: int) -> NDArray[np.int64]:
    """(segments + 1,): where each begins, and the end. steps[i]: the distance from record i of the order to record i + 1."""
    count = len(steps)
    costs, sizes = _cheapest(steps, least, most)
    if costs[count] == _NEVER:
        pieces = -(-count // most)
        return np.arange(pieces + 1) * count // pieces
    cuts = [count]
    while cuts[-1]:
        cuts.append(cuts[-1] - int(sizes[cuts[-1]]))
    return np.array(cuts[::-1])


@kernel
def _cheapest(steps: NDArray[np.int64], least: int, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(records + 1,) each: the least cost of the first i records, and the size of their last segment."""
    count = len(steps)
    costs, sizes = np.full(count + 1, _NEVER), np.zeros(count + 1, np.int64)
    costs[0] = 0
    for i in range(least, count + 1):
        for j in range(max(i - most, 0), i - least + 1):
            if costs[j] != _NEVER:
                cost = costs[j] + (steps[j - 1] if j else 0)
                if cost < costs[i]:
                    costs[i], sizes[i] = cost, i - j
    return costs, sizes
