"""How far the values of each class are from those of the whole table: the earth mover's distance, three ways.

The formulas stand in `t_closeness.py`. Each mover gives all distances at once in floats, and one distance at a time as
a fraction for the classes on the edge. The floats visit only the values that occur in a class, never classes × values:
a million classes over a domain of 25,000 values must fit.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.guarantees.guarantee import Histogram
    from shoal.hierarchies.hierarchy import Hierarchy


class EarthMover(Protocol):
    """How far the values of each class are from those of all records."""

    sizes: NDArray[np.int64]  # (classes,) records counted

    def __init__(self, histogram: Histogram, number: int) -> None: ...

    def distances(self) -> NDArray[np.float64]:
        """(classes,), between 0 and 1; 0 for a class without records."""
        ...

    def exactly(self, one: int) -> Fraction: ...


class EqualMover:
    """½ Σ |p − q| = Σ max(0, p − q), where only values of the class can contribute."""

    def __init__(self, histogram: Histogram, number: int) -> None:
        self._of, self._values, self._counts = histogram.classes, histogram.values, histogram.counts
        self._number = number
        self.sizes = _sums(self._of, self._counts, number)
        self._totals = _sums(self._values, self._counts, histogram.value_count)

    def distances(self) -> NDArray[np.float64]:
        share = self._counts / self.sizes[self._of]
        expected = self._totals[self._values] / max(int(self._totals.sum()), 1)
        return _float_sums(self._of, np.maximum(share - expected, 0.0), self._number)

    def exactly(self, one: int) -> Fraction:
        inside = slice(*np.searchsorted(self._of, [one, one + 1]).tolist())
        size, records = int(self.sizes[one]), int(self._totals.sum())
        expected = self._totals[self._values[inside]].tolist()
        moved = sum(
            max(0, count * records - total * size)
            for count, total in zip(self._counts[inside].tolist(), expected, strict=True)
        )
        return Fraction(moved, size * records) if size else Fraction(0)


class OrderedMover:
    """Σ |cumulated p − q| / (m − 1) over the m places that occur, in their order, the missing value at one end of it."""

    def __init__(self, histogram: Histogram, number: int, *, missing_first: bool = False) -> None:
        places = np.arange(histogram.value_count) if histogram.places is None else histogram.places.copy()
        if histogram.missing is not None:
            places[histogram.missing] = -1 if missing_first else places.max() + 1
        totals = _sums(histogram.values, histogram.counts, histogram.value_count)
        occurring = np.flatnonzero(totals)
        met, position = np.unique(places[occurring], return_inverse=True)  # equal numbers share a place
        at = np.full(histogram.value_count, -1, np.int64)
        at[occurring] = position
        self._of, self._at, self._counts = histogram.classes, at[histogram.values], histogram.counts
        if histogram.places is not None or missing_first or histogram.missing not in (None, histogram.value_count - 1):
            sort = np.lexsort((self._at, self._of))
            self._at, self._counts = self._at[sort], self._counts[sort]
        self._number = number
        self._totals = _sums(position, totals[occurring], len(met))  # (m,)
        self.sizes = _sums(self._of, self._counts, number)

    def distances(self) -> NDArray[np.float64]:
        values = len(self._totals)
        if values < 2:
            return np.zeros(self._number)
        # Below an entry's position and its successor's, cumulated p is constant while cumulated q rises: the sum of
        # |p − q| over that run splits in two where q passes p, and each part is a difference of prefix sums.
        q = np.cumsum(self._totals) / self._totals.sum()  # (m,)
        q_sums = np.append(0.0, np.cumsum(q))  # (m + 1,)
        starts = np.searchsorted(self._of, np.arange(self._number + 1))  # (classes + 1,)
        running = np.append(0, np.cumsum(self._counts))
        p = (running[1:] - running[starts[self._of]]) / self.sizes[self._of]  # (entries,)
        begin = self._at
        end = np.append(self._at[1:], values)
        end[starts[1:][self.sizes > 0] - 1] = values
        turn = np.clip(np.searchsorted(q, p), begin, end)
        below = p * (turn - begin) - (q_sums[turn] - q_sums[begin])
        above = q_sums[end] - q_sums[turn] - p * (end - turn)
        moved = _float_sums(self._of, below + above, self._number)
        some = self.sizes > 0
        moved[some] += q_sums[self._at[starts[:-1][some]]]  # before the first entry p is 0
        return moved / (values - 1)

    def exactly(self, one: int) -> Fraction:
        size, records, values = int(self.sizes[one]), int(self._totals.sum()), len(self._totals)
        if size == 0 or values < 2:
            return Fraction(0)
        inside = slice(*np.searchsorted(self._of, [one, one + 1]).tolist())
        count = _sums(self._at[inside], self._counts[inside], values).tolist()
        moved = carried = 0
        for have, total in zip(count, self._totals.tolist(), strict=True):
            carried += have * records - total * size
            moved += abs(carried)
        return Fraction(moved, size * records * (values - 1))


class HierarchicalMover:
    """Σ (height(parent of c) − height(c))/H · max(0, p(c) − q(c)) over all nodes c but the root.

    It is the sum of height(N)/H · min(pos_extra(N), neg_extra(N)) over the inner nodes N, taken edge by edge: as
    pos − neg = extra, min(pos, neg) is pos − max(0, extra). A node without a record of the class contributes nothing.
    """

    def __init__(self, histogram: Histogram, number: int) -> None:
        assert histogram.hierarchy is not None  # the guarantee has refused it
        parents, missing = tree_of(histogram.hierarchy, histogram.missing)
        heights = heights_of(parents)
        below = np.flatnonzero(parents >= 0)
        self._edge = np.zeros(len(parents), np.int64)
        self._edge[below] = heights[parents[below]] - heights[below]
        self._height = max(int(heights.max()), 1)
        nodes = histogram.values.astype(np.int64)
        if missing is not None:
            nodes[histogram.values == histogram.missing] = missing
        leaves = _sums(nodes, histogram.counts, len(parents))
        self._totals = np.zeros(len(parents), np.int64)
        for _, climbed, counts in _climb(np.zeros(len(parents), np.int64), np.arange(len(parents)), leaves, parents):
            np.add.at(self._totals, climbed, counts)
        self._records = int(leaves.sum())
        self._number = number
        self.sizes = _sums(histogram.classes, histogram.counts, number)
        steps = list(_climb(histogram.classes, nodes, histogram.counts, parents))
        keys = np.concatenate([of * len(parents) + climbed for of, climbed, _ in steps] or [np.zeros(0, np.int64)])
        counted = np.concatenate([counts for _, _, counts in steps] or [np.zeros(0, np.int64)])
        met, inverse = np.unique(keys, return_inverse=True)
        self._of, self._nodes = np.divmod(met, len(parents))  # (class, node) pairs that hold a record
        self._counts = _sums(inverse, counted, len(met))

    def distances(self) -> NDArray[np.float64]:
        surplus = self._counts / self.sizes[self._of] - self._totals[self._nodes] / max(self._records, 1)
        return _float_sums(self._of, np.maximum(surplus, 0.0) * self._edge[self._nodes], self._number) / self._height

    def exactly(self, one: int) -> Fraction:
        inside = slice(*np.searchsorted(self._of, [one, one + 1]).tolist())
        size, nodes = int(self.sizes[one]), self._nodes[inside]
        moved = sum(
            edge * max(0, count * self._records - total * size)
            for edge, count, total in zip(
                self._edge[nodes].tolist(), self._counts[inside].tolist(), self._totals[nodes].tolist(), strict=True
            )
        )
        return Fraction(moved, size * self._records * self._height) if size else Fraction(0)


def _sums(of: NDArray[np.integer], counts: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    # bincount adds in floats; counts of records stay below 2^53, where that is exact.
    return np.bincount(of, counts, number).astype(np.int64)


def _float_sums(of: NDArray[np.int64], amounts: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    return np.bincount(of, amounts, number).astype(np.float64, copy=False)


def tree_of(hierarchy: Hierarchy, missing: int | None) -> tuple[NDArray[np.int64], int | None]:
    """The parents of the nodes, and the node of the missing value when the hierarchy itself has no leaf for it."""
    parents = hierarchy.parents.astype(np.int64)
    if missing is None or missing < hierarchy.leaf_count:
        return parents, None
    if len(parents) == 1:  # one value that is its own root: it and the missing one share a new top
        return np.array([2, 2, -1], np.int64), 1
    return np.append(parents, len(parents) - 1), len(parents)


def heights_of(parents: NDArray[np.int64]) -> NDArray[np.int64]:
    """(nodes,): edges on the longest way down to a leaf."""
    heights = np.zeros(len(parents), np.int64)
    below = np.flatnonzero(parents >= 0)
    while True:
        higher = np.zeros_like(heights)
        np.maximum.at(higher, parents[below], heights[below] + 1)
        if np.array_equal(higher, heights):
            return heights
        heights = higher


def _climb(
    of: NDArray[np.int64], nodes: NDArray[np.int64], counts: NDArray[np.int64], parents: NDArray[np.int64]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """The entries at their own node, then at its parent, and so on; the root is left out, it has no edge above it."""
    steps: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
    while True:
        inner = parents[nodes] >= 0
        of, nodes, counts = of[inner], nodes[inner], counts[inner]
        if not len(nodes):
            return steps
        steps.append((of, nodes, counts))
        nodes = parents[nodes]
