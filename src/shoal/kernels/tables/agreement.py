"""At which levels do two tuples become equal? Counted for every pair of tuples, in one pass.

Two tuples agree in a column from some level upwards. The levels of all columns together are one cell of the lattice, and a
node makes two tuples equal exactly when that cell lies below it. So the histogram of the cells, added up along every axis,
says for *every* node how many ordered pairs of records look the same there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def pairs_alike(
    codes: NDArray[np.int32], counts: NDArray[np.int64], groups: Sequence[NDArray[np.int32]]
) -> NDArray[np.int64]:
    """The number of ordered pairs of records that look the same, for every node: one axis per column, one entry per level.

    codes: (tuples, columns), sorted tuples are faster; counts: (tuples,) records; groups[column]: (levels, leaves) group
    numbers, each level a merger of the one below and the last a single group.
    """
    shape = tuple(len(levels) for levels in groups)
    starts = np.cumsum([0, *(levels.shape[1] for levels in groups)], dtype=np.int64)
    tall = np.full((max(shape), int(starts[-1])), -1, np.int32)  # all columns side by side
    for column, levels in enumerate(groups):
        tall[: len(levels), starts[column] : starts[column + 1]] = levels
    strides = np.array([int(np.prod(shape[column + 1 :])) for column in range(len(shape))], np.int64)
    shifted = (codes + starts[:-1]).astype(np.int32)
    pairs = _histogram(shifted, counts, tall, starts, strides, int(np.prod(shape))).reshape(shape)
    for axis in range(len(shape)):
        np.cumsum(pairs, axis=axis, out=pairs)
    return pairs


@kernel
def _histogram(
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    groups: NDArray[np.int32],
    starts: NDArray[np.int64],
    strides: NDArray[np.int64],
    size: int,
) -> NDArray[np.int64]:
    """(size,): ordered pairs of records by the cell from which on they agree, as a flat index."""
    tuples, columns = codes.shape
    found = np.zeros(size, np.int64)
    offset = np.zeros(groups.shape[1], np.int32)  # per value of every column: stride × level of agreement with tuple i
    last = np.full(columns, -1, np.int32)
    for i in range(tuples):
        for c in range(columns):
            code = codes[i, c]
            if code == last[c]:
                continue
            last[c] = code
            for value in range(starts[c], starts[c + 1]):
                level = 0
                while groups[level, value] != groups[level, code]:
                    level += 1
                offset[value] = level * strides[c]
        found[0] += counts[i] * counts[i]
        for j in range(i):
            cell = 0
            for c in range(columns):
                cell += offset[codes[j, c]]
            found[cell] += 2 * counts[i] * counts[j]
    return found
