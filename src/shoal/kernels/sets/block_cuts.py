"""Cutting an order of item sets into blocks of k to 2k − 1 so that what they show differs least from them.

When the sets have labels, only such blocks are allowed in which no label is too frequent.

The price of a block is the sum of its members' distances from its base, each times a weight of the member. A window that begins
at a set grows by one set at a time. Items are kept by how many members hold them: their number, and the weights of those
holders. The items that win are those held by more than half, so when the window grows, one kind of items at most changes sides,
whatever the number of items in the window. A window costs as many steps as it has items in its lists, and all of it is linear
in the records.

Ties in the price go to the smaller last block. All is decided in whole numbers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.sets.voting import tie

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEVER = np.iinfo(np.int64).max
_ROOM = 62  # bits for the price of a whole order


def weights(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """(sets,): whole numbers in proportion to 1 / max(1, length): exactly if numbers stay small enough, else nearly."""
    lengths = np.maximum(lengths, 1)
    distinct = np.unique(lengths)
    if not len(distinct):
        return lengths
    # a price is below sets × weight × items of set and base, and a base is no longer than twice the mean of its sets
    room = _ROOM - (4 * len(lengths) * int(distinct[-1])).bit_length()
    common = math.lcm(*distinct.tolist())
    return (common if common.bit_length() <= room else 1 << room) // lengths


def cut_into_blocks(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    universe: int,
    order: NDArray[np.int64],
    weight: NDArray[np.int64],
    least: int,
    most: int,
    labels: NDArray[np.int32],
    l: int,  # noqa: E741
) -> NDArray[np.int64]:
    """(blocks + 1,): where each begins in the order, and the end. There is at least one way to cut.

    labels: (sets,) from 0 on; below 0 for a missing one. Of those that are known in a block none has more than a share of 1 / l.
    With l = 0 labels do not matter, and `labels` may be empty.
    """
    _, sizes = cheapest(offsets, items, universe, order, weight, least, most, labels, l)
    cuts = [len(order)]
    while cuts[-1]:
        cuts.append(cuts[-1] - int(sizes[cuts[-1]]))
    return np.array(cuts[::-1])


@kernel
def cheapest(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    universe: int,
    order: NDArray[np.int64],
    weight: NDArray[np.int64],
    least: int,
    most: int,
    labels: NDArray[np.int32],
    l: int,  # noqa: E741
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(sets + 1,) each: the least price of the first i sets, and the size of their last block."""
    count = len(order)
    prices, sizes = np.full(count + 1, _NEVER), np.zeros(count + 1, np.int64)
    prices[0] = 0
    window = np.full(universe, -1, np.int64)  # the window each item was met in last
    held = np.zeros(universe, np.int64)  # by how many of its sets
    heavy = np.zeros(universe, np.int64)  # their weights
    side = np.zeros(universe, np.int64)  # 1: it wins ties
    # items of the window by side and holders: how many, and the weights of their holders
    number, weighed = np.empty((2, most + 2), np.int64), np.empty((2, most + 2), np.int64)
    owners = np.zeros(labels.max() + 1 if l and len(labels) else 0, np.int64)  # of each label in the window
    for start in range(count):
        if prices[start] == _NEVER or count - start < least:
            continue
        known = commonest = 0
        number[:] = 0
        weighed[:] = 0
        # items held by more than half: their number and weights; of all items the weights; of all sets
        winners, won, everything, everyone = 0, 0, 0, 0
        reached = min(most, count - start)
        for size in range(1, reached + 1):
            one = order[start + size - 1]
            mine = weight[one]
            everyone += mine
            if l and labels[one] >= 0:
                known += 1
                owners[labels[one]] += 1
                commonest = max(commonest, owners[labels[one]])
                if commonest * l > most:
                    reached = size
                    break
            if size % 2 == 0:  # items held by exactly half were more than half until now
                half = size // 2
                winners -= number[0, half] + number[1, half]
                won -= weighed[0, half] + weighed[1, half]
            for at in range(offsets[one], offsets[one + 1]):
                item = items[at]
                if window[item] != start:
                    window[item], held[item], heavy[item] = start, 0, 0
                    side[item] = tie(item, start)
                s, h = side[item], held[item]
                if h:
                    number[s, h] -= 1
                    weighed[s, h] -= heavy[item]
                    if 2 * h > size:
                        winners -= 1
                        won -= heavy[item]
                held[item] = h + 1
                heavy[item] += mine
                everything += mine
                number[s, h + 1] += 1
                weighed[s, h + 1] += heavy[item]
                if 2 * h + 2 > size:
                    winners += 1
                    won += heavy[item]
            if size >= least and (l == 0 or l <= commonest * l <= known):
                shown, in_shown = winners, won
                if size % 2 == 0:
                    shown += number[1, size // 2]
                    in_shown += weighed[1, size // 2]
                # holders of what is not shown, and those without what is shown
                price = prices[start] + everything - in_shown + shown * everyone - in_shown
                end = start + size
                if price < prices[end] or (price == prices[end] and size < sizes[end]):
                    prices[end], sizes[end] = price, size
        if l:
            for one in order[start : start + reached]:
                if labels[one] >= 0:
                    owners[labels[one]] = 0
    return prices, sizes


@kernel
def the_cheaper(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    universe: int,
    weight: NDArray[np.int64],
    one: NDArray[np.int64],
    other: NDArray[np.int64],
    cuts: NDArray[np.int64],
    least: int,
) -> NDArray[np.int64]:
    """(sets,): of two orders of the same segments, in each segment the one that is cut at the lower price; else the first.

    cuts: (segments + 1,) where segments begin.
    """
    kept = one.copy()
    nothing = np.empty(0, np.int32)
    for i in range(len(cuts) - 1):
        low, high = cuts[i], cuts[i + 1]
        size = min(least, high - low)
        first, _ = cheapest(offsets, items, universe, one[low:high], weight, size, 2 * size - 1, nothing, 0)
        second, _ = cheapest(offsets, items, universe, other[low:high], weight, size, 2 * size - 1, nothing, 0)
        if second[-1] < first[-1]:
            for place in range(low, high):
                kept[place] = other[place]
    return kept
