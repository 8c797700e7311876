"""Which of the counted fragments of trees break a promise.

A fragment is a key: a combination of labels, a sensitive value and a pattern of relations, see `tree_fragments.py`. The records
that hold a combination with at least certain relations are those of all patterns that have them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Bounds(NamedTuple):
    """What the records that fit something known must be."""

    k: int  # so many
    different: int  # with so many different values; 0: nothing is asked of values
    one_in: int  # and none of them held by more than one in so many; 0: that is not asked


@kernel
def breaches(
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
    pairs: int,
    value_count: int,
    masks: NDArray[np.int64],
    bounds: Bounds,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Combinations with relations that some records hold, but not those that are promised: combination, relations (bits), records,
    and whether that is so in every finer cut as well (ERRATA 000-9): all but a value that is too frequent.

    masks: the sets of relations an attacker may know, the empty one first, each before those that contain it. Of a combination only
    the smallest sets that break the promise are named.
    """
    found, number = np.empty((16, 4), np.int64), 0
    begin = 0
    unit = np.int64(value_count) << pairs
    while begin < len(keys):
        combination = keys[begin] >> pairs
        if value_count > 1:  # dividing takes a while
            combination //= value_count
        above = (combination + 1) * unit
        end = begin
        while end < len(keys) and keys[end] < above:
            end += 1
        first = number
        for mask in masks:
            records = np.int64(0)
            for i in range(begin, end):
                if keys[i] & mask == mask:
                    records += counts[i]
            if records == 0:
                continue
            hopeless = bool(records < bounds.k)
            broken = hopeless
            if bounds.different > 0 and not hopeless:
                different, most = _values(keys, counts, begin, end, mask, pairs, value_count)
                hopeless = bool(different < bounds.different)
                broken = hopeless or bool(most * bounds.one_in > records)
            if not broken:
                continue
            implied = False
            for i in range(first, number):
                implied = implied or found[i, 1] & mask == found[i, 1]
            if implied:
                continue
            if number == len(found):
                found = _larger(found)
            found[number, 0], found[number, 1] = combination, mask
            found[number, 2], found[number, 3] = records, hopeless
            number += 1
        begin = end
    combinations, relations = np.empty(number, np.int64), np.empty(number, np.int64)
    held, hopeless_ones = np.empty(number, np.int64), np.empty(number, np.bool_)
    for i in range(number):
        combinations[i], relations[i], held[i] = found[i, 0], found[i, 1], found[i, 2]
        hopeless_ones[i] = found[i, 3] > 0
    return combinations, relations, held, hopeless_ones


@kernel
def _larger(found: NDArray[np.int64]) -> NDArray[np.int64]:
    made = np.empty((2 * len(found), 4), np.int64)
    for i in range(len(found)):
        for j in range(4):
            made[i, j] = found[i, j]
    return made


@kernel
def _values(
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
    begin: int,
    end: int,
    mask: int,
    pairs: int,
    value_count: int,
) -> tuple[int, int]:
    """Of the records of some keys, all of one combination: how many different values, and how many may have the same. The value 0
    is hidden: it may be any, so it adds none, and counts as the most frequent one."""
    different, most, hidden = 0, np.int64(0), np.int64(0)
    last, mine = np.int64(-1), np.int64(0)
    for i in range(begin, end):
        if keys[i] & mask != mask:
            continue
        value = (keys[i] >> pairs) % value_count
        if value == 0:
            hidden += counts[i]
            continue
        if value != last:
            different, last, mine = different + 1, value, np.int64(0)
        mine += counts[i]
        most = max(most, mine)
    return different, int(most + hidden)
