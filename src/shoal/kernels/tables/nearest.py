"""Gather tuples around seeds: the seed and its nearest, until together they hold enough records."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import join, joint_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tables.boxes import Trees


_ONE = 2.0**52  # what the dearest box costs


class Cells(NamedTuple):
    """The codes of tuples, numbered through all columns: a price per number is a price per cell.

    Prices are in fixed point, so that sums are exact and a tie is a tie in whatever order they are added.
    """

    columns: NDArray[np.int64]  # (columns,): in the order in which they are compared
    numbers: NDArray[np.int32]  # (tuples, columns)
    starts: NDArray[np.int64]  # (columns,): where each column's part of `below` begins
    below: NDArray[np.int32]  # of each column (leaves + 1,): the first number at or after a leaf
    size: int  # numbers in all
    prices: NDArray[np.int64]  # (nodes,) as in the trees


def cells_of(trees: Trees, codes: NDArray[np.int32], counts: NDArray[np.int64]) -> Cells:
    """Columns come in the order of what two records differ by on average: the sum is beyond the limit sooner."""
    ends = np.append(trees.offsets[1:], len(trees.parents))
    leaves = trees.last[ends - 1].astype(np.int64) + 1
    apart = []
    for c, size in enumerate(leaves.tolist()):
        share = np.bincount(codes[:, c], weights=counts, minlength=size) / counts.sum()
        apart.append(trees.prices[ends[c] - 1] * (1 - float((share * share).sum())))
    columns = np.argsort(-np.array(apart), kind="stable")
    numbers = np.empty(codes.shape, np.int32)
    below, met = [], 0
    for j, c in enumerate(columns.tolist()):
        occurs = np.zeros(leaves[c], np.int64)
        occurs[codes[:, c]] = 1
        below.append((met + np.append(0, np.cumsum(occurs))).astype(np.int32))
        numbers[:, j] = below[-1][codes[:, c]]
        met = int(below[-1][-1])
    starts = np.cumsum([0, *(len(part) for part in below[:-1])], dtype=np.int64)
    most = sum(float(trees.prices[start:end].max()) for start, end in zip(trees.offsets, ends, strict=True))
    prices = np.rint(trees.prices * (_ONE / most if most else 0.0)).astype(np.int64)
    return Cells(columns, numbers, starts, np.concatenate(below), met, prices)


@kernel
def gather(
    trees: Trees,
    cells: Cells,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    seeds: NDArray[np.int64],
    groups: NDArray[np.int32],
    first_group: int,
    enough: int,
    most: int,
) -> tuple[int, int]:
    """Fill `groups` from `first_group` on, taking the seeds that have no group yet, in their order.

    groups: (tuples,) -1 where there is none. The nearest are those with the cheapest smallest box around seed and tuple, then
    those with the lower numbers. Ends when the tuples without a group hold less than `enough` records, or after about `most`
    comparisons. Returns the number of the next group, and how many seeds are done with.
    """
    numbers, columns = (
        cells.numbers,
        codes.shape[1],
    )  # taken out of its tuple inside the loop, an array costs more than a look
    left = np.flatnonzero(groups < 0)
    records = counts[left].sum()
    near, far = np.empty(enough, np.int64), np.empty(enough, np.int64)
    prices = np.empty(cells.size, np.int64)
    compared = done = 0
    while records >= enough and compared < most:
        seed = seeds[done]
        done += 1
        if groups[seed] >= 0:
            continue
        groups[seed] = first_group
        _price(trees, cells, codes[seed], prices)
        have, found, limit = counts[seed], 0, np.iinfo(np.int64).max
        remain = 0
        for i in left:  # those that got a group since the last time are left out from here on
            if groups[i] >= 0:
                continue
            left[remain] = i
            remain += 1
            price = 0
            for c in range(columns):
                price += prices[numbers[i, c]]
                if price >= limit:
                    break
            if price >= limit:
                continue
            at = found
            while at > 0 and far[at - 1] > price:
                far[at], near[at] = far[at - 1], near[at - 1]
                at -= 1
            far[at], near[at] = price, i
            found += 1
            have += counts[i]
            while have - counts[near[found - 1]] >= enough:  # the farthest is not needed any more
                found -= 1
                have -= counts[near[found]]
            if have >= enough:
                limit = far[found - 1]
        left = left[:remain]
        compared += remain
        for j in range(found):
            groups[near[j]] = first_group
        records -= have
        first_group += 1
    return first_group, done


@kernel
def _price(trees: Trees, cells: Cells, seed: NDArray[np.int32], prices: NDArray[np.int64]) -> None:
    """The price of the lowest node around the seed's code and each code that occurs, climbing from the seed's leaf."""
    for j in range(len(cells.columns)):
        at, below = trees.offsets[cells.columns[j]], cells.starts[j]
        node = seed[cells.columns[j]]
        low = high = cells.below[below + node]
        while node >= 0:
            start, end = cells.below[below + trees.first[at + node]], cells.below[below + trees.last[at + node] + 1]
            prices[start:low] = cells.prices[at + node]
            prices[high:end] = cells.prices[at + node]
            low, high = start, end
            node = trees.parents[at + node]


@kernel
def place(trees: Trees, codes: NDArray[np.int32], boxes: NDArray[np.int32]) -> NDArray[np.int32]:
    """(tuples,): the group each tuple makes least wide, one after the other; `boxes` grow with them. Ties: the first group."""
    groups = np.empty(len(codes), np.int32)
    for i in range(len(codes)):
        best, least = 0, np.inf
        for group in range(len(boxes)):
            price = joint_price(trees, boxes[group], codes[i], least)
            if price < least:
                best, least = group, price
        join(trees, boxes[best], codes[i])
        groups[i] = best
    return groups
