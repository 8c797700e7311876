"""How many records answer queries about sets: that hold all of some items, or none of them. And in how many items sets differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def expected_counts(
    offsets: NDArray[np.int64],
    labels: NDArray[np.int32],
    weights: NDArray[np.int64],
    starts: NDArray[np.int64],
    queries: NDArray[np.int32],
    chances: NDArray[np.float64],
    sizes: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(queries,) twice: records expected to hold all items of each query, and none of them.

    weights: (sets,) records of each; starts: (labels + 1,) where the uses of each label begin: the query it says something about,
    and the chance that the item asked for is behind it; sizes: (queries,) the number of items of each.
    A label is met once in a set, and has one use for every item of a query that it may stand for. Chances are independent.
    """
    count = len(sizes)
    every, none = np.zeros(count), np.zeros(count)
    hits = np.zeros(count, np.int64)
    all_of, none_of = np.ones(count), np.ones(count)
    touched = np.empty(count, np.int64)
    total = 0
    for one in range(len(offsets) - 1):
        met = 0
        for at in range(offsets[one], offsets[one + 1]):
            for use in range(starts[labels[at]], starts[labels[at] + 1]):
                query = queries[use]
                if hits[query] == 0:
                    touched[met] = query
                    met += 1
                hits[query] += 1
                all_of[query] *= chances[use]
                none_of[query] *= 1.0 - chances[use]
        for i in range(met):
            query = touched[i]
            if hits[query] == sizes[query]:
                every[query] += weights[one] * all_of[query]
            none[query] -= weights[one] * (1.0 - none_of[query])
            hits[query] = 0
            all_of[query] = none_of[query] = 1.0
        total += weights[one]
    for query in range(count):
        none[query] += total
    return every, none


@kernel
def distances(
    left_offsets: NDArray[np.int64],
    left: NDArray[np.int32],
    right_offsets: NDArray[np.int64],
    right: NDArray[np.int32],
    pairs: NDArray[np.int64],
) -> NDArray[np.int64]:
    """(pairs,): in how many items each pair differs. Sets are ascending; pairs: (pairs, 2) a set of each side."""
    apart = np.empty(len(pairs), np.int64)
    for i in range(len(pairs)):
        a, a_end = left_offsets[pairs[i, 0]], left_offsets[pairs[i, 0] + 1]
        b, b_end = right_offsets[pairs[i, 1]], right_offsets[pairs[i, 1] + 1]
        apart[i] = a_end - a + b_end - b
        while a < a_end and b < b_end:
            if left[a] == right[b]:
                apart[i] -= 2
                a += 1
                b += 1
            elif left[a] < right[b]:
                a += 1
            else:
                b += 1
    return apart
