"""In how many items any two of a few hundred sets differ.

Items that many of the sets hold become bits, and all of them are compared at once; of the others each pair that shares one is
counted. Which is which follows from what it costs: an item of f sets costs f² / 2 when pairs are counted, and a 64th of all
pairs as a bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHARE = 8  # an item that more than one in so many sets holds becomes a bit


@kernel
def differences(
    offsets: NDArray[np.int64], items: NDArray[np.int32], sets: NDArray[np.int64], numbers: NDArray[np.int64]
) -> NDArray[np.int32]:
    """(sets, sets). numbers: (universe,) all -1, and so again afterwards."""
    count = len(sets)
    total = 0
    for s in sets:
        total += offsets[s + 1] - offsets[s]
    # items numbered as they are met
    met = np.empty(total, np.int64)
    frequency = np.zeros(total, np.int64)
    distinct = 0
    for s in sets:
        for at in range(offsets[s], offsets[s + 1]):
            item = items[at]
            if numbers[item] < 0:
                numbers[item] = distinct
                met[distinct] = item
                distinct += 1
            frequency[numbers[item]] += 1
    bit = np.full(distinct, -1, np.int64)
    starts = np.zeros(distinct + 1, np.int64)
    bits = 0
    for i in range(distinct):
        often = frequency[i] * _SHARE > count
        if often:
            bit[i] = bits
            bits += 1
        starts[i + 1] = starts[i] + (0 if often else frequency[i])
    words = (bits + 63) // 64
    maps = np.zeros((count, max(words, 1)), np.uint64)
    holders = np.empty(starts[distinct], np.int64)
    filled = starts[:-1].copy()
    common = np.zeros((count, count), np.int32)
    sizes = np.zeros(count, np.int32)
    for i in range(count):
        for at in range(offsets[sets[i]], offsets[sets[i] + 1]):
            number = numbers[items[at]]
            if bit[number] >= 0:
                maps[i, bit[number] >> 6] |= np.uint64(1) << np.uint64(bit[number] & 63)
            else:
                for other in range(starts[number], filled[number]):
                    common[i, holders[other]] += 1
                holders[filled[number]] = i
                filled[number] += 1
                sizes[i] += 1
    for i in range(distinct):
        numbers[met[i]] = -1
    apart = np.zeros((count, count), np.int32)
    for i in range(count):
        for j in range(i):
            differ = sizes[i] + sizes[j] - 2 * common[i, j]
            for word in range(words):
                differ += _ones(maps[i, word] ^ maps[j, word])
            apart[i, j] = apart[j, i] = differ
    return apart


@kernel
def _ones(word: np.uint64) -> np.int32:
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int32((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
