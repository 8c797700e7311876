"""The price of the lowest value that covers two, for many pairs of values: a lookup where a column is small enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tables.boxes import Trees

_TABLE = 1 << 18  # entries of a table of one column


class Prices(NamedTuple):
    """The hierarchies of all columns. Prices are whole numbers below 2^31, so that ties are ties."""

    offsets: NDArray[np.int64]  # (columns + 1,): where the nodes of each column begin
    first: NDArray[np.int32]  # (nodes,): first leaf below
    last: NDArray[np.int32]  # (nodes,): last leaf below, inclusive
    parents: NDArray[np.int32]  # (nodes,): number within the column; -1 for a root
    prices: NDArray[np.int64]  # (nodes,)
    common: NDArray[
        np.int32
    ]  # common[at[c] + i · n + j]: the price of what covers the nodes i and j of column c, which has n
    at: NDArray[np.int64]  # (columns,): -1 for a column with too many nodes for a table

    @classmethod
    def of(cls, trees: Trees) -> Prices:
        offsets = np.append(trees.offsets, len(trees.parents)).astype(np.int64)
        sizes = np.diff(offsets)
        entries = np.where(sizes * sizes <= _TABLE, sizes * sizes, 0)
        at = np.where(entries > 0, np.cumsum(entries) - entries, -1)
        whole = trees.prices.astype(np.int64)
        made = cls(offsets, trees.first, trees.last, trees.parents, whole, np.empty(int(entries.sum()), np.int32), at)
        _tabulate(made)
        return made


@kernel
def _tabulate(prices: Prices) -> None:
    for column in range(len(prices.at)):
        place = prices.at[column]
        if place >= 0:
            count = prices.offsets[column + 1] - prices.offsets[column]
            for one in range(count):
                for two in range(count):
                    prices.common[place] = prices.prices[prices.offsets[column] + cover(prices, column, one, two)]
                    place += 1


@kernel
def cover(prices: Prices, column: int, one: int, two: int) -> int:
    """The lowest node of a column that covers two."""
    at = prices.offsets[column]
    low, high = prices.first[at + two], prices.last[at + two]
    while prices.first[at + one] > low or prices.last[at + one] < high:
        one = prices.parents[at + one]
    return one
