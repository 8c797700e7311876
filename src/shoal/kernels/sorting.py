"""Sorting and looking up inside compiled loops.

`np.sort`, `np.argsort` and `np.searchsorted` take several times as long to compile as these, and the first run on a machine waits
for it. Where a whole array is to be sorted outside a loop, NumPy itself is faster than either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEW = 32  # numbers that are put in order by moving each to its place


@kernel
def sort_stretch(numbers: NDArray[Any], begin: int, end: int) -> None:
    """Put numbers[begin:end] in order, in place: by insertion where there are few, else as a heap."""
    if end - begin > _FEW:
        for top in range((end - begin) // 2 - 1, -1, -1):
            _sink(numbers, begin, top, end - begin)
        for left in range(end - begin - 1, 0, -1):
            numbers[begin], numbers[begin + left] = numbers[begin + left], numbers[begin]
            _sink(numbers, begin, 0, left)
        return
    for i in range(begin + 1, end):
        one, at = numbers[i], i
        while at > begin and numbers[at - 1] > one:
            numbers[at] = numbers[at - 1]
            at -= 1
        numbers[at] = one


@kernel
def _sink(numbers: NDArray[Any], begin: int, top: int, size: int) -> None:
    """Below `top` every number is at least as large as the two under it; make it so for `top` as well."""
    one, at = numbers[begin + top], top
    while 2 * at + 1 < size:
        under = 2 * at + 1
        if under + 1 < size and numbers[begin + under + 1] > numbers[begin + under]:
            under += 1
        if numbers[begin + under] <= one:
            break
        numbers[begin + at] = numbers[begin + under]
        at = under
    numbers[begin + at] = one


@kernel
def ordered(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places of the keys in ascending order; equal ones as they stand: by merging runs of doubling length."""
    order, other = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        order[i] = i
    run = 1
    while run < len(keys):
        for start in range(0, len(keys), 2 * run):
            middle, end = min(start + run, len(keys)), min(start + 2 * run, len(keys))
            left, right = start, middle
            for at in range(start, end):
                if left < middle and (right >= end or keys[order[left]] <= keys[order[right]]):
                    other[at] = order[left]
                    left += 1
                else:
                    other[at] = order[right]
                    right += 1
        order, other = other, order
        run *= 2
    return order


@kernel
def place_of(numbers: NDArray[np.int64], count: int, one: int) -> int:
    """The first place of the first `count`, ascending, whose number is not below this one; or `count`."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < one:
            low = middle + 1
        else:
            high = middle
    return low
