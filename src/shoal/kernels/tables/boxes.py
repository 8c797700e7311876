"""Boxes: one hierarchy node per column, which together cover a group of records.

Leaves are numbered so that a node covers an interval of them; the lowest node that covers two others is found by climbing from
one of them until its interval holds the other. Hierarchies are a few levels high, so no table of ancestors is needed, and
a column with 20,000 values costs no more than one with two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Trees(NamedTuple):
    """The hierarchies of all columns, one after the other."""

    offsets: NDArray[np.int64]  # (columns,): where each column's nodes begin in the arrays below
    first: NDArray[np.int32]  # (nodes,): first leaf below
    last: NDArray[np.int32]  # (nodes,): last leaf below, inclusive
    parents: NDArray[np.int32]  # (nodes,): number within the column; -1 for a root
    prices: NDArray[np.float64]  # (nodes,): what one record pays for showing this node


@kernel
def climb(
    first: NDArray[np.int32],
    last: NDArray[np.int32],
    parents: NDArray[np.int32],
    at: int,
    node: int,
    low: int,
    high: int,
) -> int:
    """The lowest node at or above `node` that covers the leaves low … high. `at`: where the column's nodes begin.

    The arrays come one by one: taken out of `Trees` inside a loop, they cost more than the climbing.
    """
    while first[at + node] > low or last[at + node] < high:
        node = parents[at + node]
    return node


@kernel
def box_price(trees: Trees, box: NDArray[np.int32]) -> float:
    """What one record pays for showing a box."""
    offsets, prices = trees.offsets, trees.prices
    price = 0.0
    for c in range(len(box)):
        price += prices[offsets[c] + box[c]]
    return price


@kernel
def joint_price(trees: Trees, box: NDArray[np.int32], other: NDArray[np.int32], limit: float) -> float:
    """The price of the smallest box around two, or something above `limit` as soon as that is sure."""
    offsets, first, last, parents, prices = trees
    price = 0.0
    for c in range(len(box)):
        at = offsets[c]
        low, high = first[at + other[c]], last[at + other[c]]
        price += prices[at + climb(first, last, parents, at, box[c], low, high)]
        if price > limit:
            break
    return price


@kernel
def join(trees: Trees, box: NDArray[np.int32], other: NDArray[np.int32]) -> None:
    """Widen `box` until it covers the other."""
    offsets, first, last, parents, _ = trees
    for c in range(len(box)):
        at = offsets[c]
        box[c] = climb(first, last, parents, at, box[c], first[at + other[c]], last[at + other[c]])


@kernel
def smallest_boxes(trees: Trees, codes: NDArray[np.int32], groups: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """(count, columns): the smallest box around each group. codes: (records, columns) leaves; a negative group is left out.

    The box of a group without records is -1 throughout.
    """
    offsets, first, last, parents, _ = trees
    columns = codes.shape[1]
    boxes = np.full((count, columns), -1, np.int32)
    for i in range(len(codes)):
        group = groups[i]
        if group < 0:
            continue
        if boxes[group, 0] < 0:
            for c in range(columns):
                boxes[group, c] = codes[i, c]
        else:
            for c in range(columns):
                leaf = codes[i, c]
                boxes[group, c] = climb(first, last, parents, offsets[c], boxes[group, c], leaf, leaf)
    return boxes


@kernel
def box_prices(trees: Trees, boxes: NDArray[np.int32]) -> NDArray[np.float64]:
    """(boxes,)"""
    prices = np.empty(len(boxes), np.float64)
    for i in range(len(boxes)):
        prices[i] = box_price(trees, boxes[i])
    return prices
