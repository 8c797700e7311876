"""What the methods for mixed tables stand on: distinct records, exact prices of single values, and first clusters.

The first clusters are those of the algorithm Cluster of paper 001 as ERRATA 001-11 has it: around seeds the k − 1 nearest others,
ties by their order; what is left over goes where it costs least; clusters that show the same are one. Seeds come from a seeded
generator: no privacy depends on them. Records with the same single values stay together, k of them or more in a cluster of their
own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import Infeasible, InternalError
from shoal.kernels.tables.boxes import Trees, smallest_boxes
from shoal.kernels.tables.nearest import cells_of, gather, place
from shoal.loss.tables.ncp import NCP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.mixed.item_mapping import Secret

_EXACT = 1 << 50  # whole numbers below are exact as floats, even a few of them added
_MOST = 1 << 62
_AT_ONCE = 1 << 62  # comparisons: all


@dataclass(frozen=True, eq=False)
class MixedRecords:
    """Distinct records, in an order that does not depend on how they arrived: by single values, then by items."""

    codes: NDArray[np.int32]  # (rows, columns): leaf codes
    offsets: NDArray[np.int64]  # (rows + 1,)
    items: NDArray[np.int32]  # ascending in each row, without sensitive ones
    counts: NDArray[np.int64]  # (rows,): records
    secrets: tuple[Secret, ...] = ()  # of each sensitive value, the rows that hold it or may

    def __post_init__(self) -> None:
        if not len(self.codes) == len(self.counts) == len(self.offsets) - 1 or self.offsets[-1] != len(self.items):
            raise InternalError("Records have single values without items, or the other way round.")

    @property
    def records(self) -> int:
        return int(self.counts.sum())

    def rows(self, chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Offsets, items and counts of some rows."""
        sizes = np.diff(self.offsets)[chosen]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - self.offsets[chosen], sizes)
        return offsets, self.items[within], self.counts[chosen]


@dataclass(frozen=True, eq=False)
class Prices:
    """NCP of single values in whole numbers: a record that shows a root in every column pays `one`.

    They are exact, unless the sizes of the hierarchies have no small common multiple: then each is rounded up, so a table that
    keeps a bound by these prices keeps it.
    """

    nodes: Trees  # of all hierarchies; prices as floats without a fraction
    one: int

    @classmethod
    def of(cls, hierarchies: Sequence[Hierarchy], weights: Sequence[Fraction], records: int) -> Prices:
        """weights: of the columns, with the sum 1."""
        loss, nothing = NCP(), np.zeros(0, np.int64)
        full = [loss.full_cost(h, nothing) for h in hierarchies]
        shares = [w / f if f else Fraction(0) for w, f in zip(weights, full, strict=True)]
        one = math.lcm(*(share.denominator for share in shares))
        if one >= _EXACT or one * records >= _MOST:
            one = min(1 << 40, _MOST // max(records, 1) // 2)
        prices = []
        for hierarchy, share in zip(hierarchies, shares, strict=True):
            scaled = share * one
            costs = loss.node_costs(hierarchy, nothing).tolist()
            prices.append([float(-(-cost * scaled.numerator // scaled.denominator)) for cost in costs])
        sizes = [len(h.labels) for h in hierarchies]
        nodes = Trees(
            np.cumsum([0, *sizes[:-1]], dtype=np.int64),
            np.concatenate([h.first for h in hierarchies]),
            np.concatenate([h.last for h in hierarchies]),
            np.concatenate([h.parents for h in hierarchies]),
            np.concatenate([np.array(part) for part in prices]),
        )
        return cls(nodes, one)


def first_clusters(records: MixedRecords, prices: Prices, k: int, seed: int) -> NDArray[np.int32]:
    """(rows,): the cluster of each, numbered by their first rows."""
    if records.records < k:
        raise Infeasible(
            f"There are {records.records:,} records, fewer than the {k:,} that have to look alike. Ask for a smaller k."
        )
    codes, tuple_of = np.unique(records.codes, axis=0, return_inverse=True)
    tuple_of = tuple_of.reshape(-1)
    counts = np.bincount(tuple_of, weights=records.counts).astype(np.int64)
    seeds = np.random.default_rng(seed).permutation(len(codes))
    groups = around_seeds(prices.nodes, np.ascontiguousarray(codes, np.int32), counts, k, seeds)
    return numbered(groups[tuple_of])


def around_seeds(
    nodes: Trees, codes: NDArray[np.int32], counts: NDArray[np.int64], k: int, seeds: NDArray[np.int64]
) -> NDArray[np.int32]:
    """(tuples,): the cluster of each. Seeds are taken in their order, those that have no cluster yet."""
    groups = np.full(len(codes), -1, np.int32)
    alone = np.flatnonzero(counts >= k)
    groups[alone] = np.arange(len(alone))
    cells = cells_of(nodes, codes, counts)._replace(prices=nodes.prices.astype(np.int64))
    count, _ = gather(nodes, cells, codes, counts, seeds, groups, len(alone), k, _AT_ONCE)
    rest = np.flatnonzero(groups < 0)
    groups[rest] = place(nodes, codes[rest], smallest_boxes(nodes, codes, groups, count))
    return alike_joined(groups, smallest_boxes(nodes, codes, groups, count))


def alike_joined(groups: NDArray[np.int32], boxes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Clusters that show the same become one: nothing published tells them apart."""
    _, into = np.unique(boxes, axis=0, return_inverse=True)
    joined: NDArray[np.int32] = into.reshape(-1).astype(np.int32)[groups]
    return joined


def numbered(groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same clusters, numbered in the order of their first rows."""
    _, first, which = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[which.reshape(-1)]
