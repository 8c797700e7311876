"""A tree of cuts: where a tuple ends that goes to one side of each cut it meets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.cuts import COLUMN, HIGH, LAST, LOW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class CutTree(NamedTuple):
    """Node 0 is the root. A cut sets tuples apart whose code in one column lies in an interval; see `cuts.py`."""

    columns: NDArray[np.int64]  # (nodes,): of the cut; -1 for an end
    low: NDArray[np.int64]  # (nodes,)
    high: NDArray[np.int64]  # (nodes,)
    last: NDArray[np.int32]  # (nodes, columns): tuples with the code `high` are apart only up to this one
    apart: NDArray[np.int64]  # (nodes,): the node of the tuples that are set apart
    rest: NDArray[np.int64]  # (nodes,): the node of the others
    ends: NDArray[np.int64]  # (nodes,): the number of an end; -1 for a cut


@kernel
def end_of(tree: CutTree, codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """(tuples,): the end each tuple reaches. codes: (tuples, columns)"""
    columns, low, high, last, apart, rest, ends = tree
    found = np.empty(len(codes), np.int64)
    for i in range(len(codes)):
        node = 0
        while columns[node] >= 0:
            code = codes[i, columns[node]]
            inside = low[node] <= code <= high[node]
            if inside and code == high[node]:
                inside = not _after(codes[i], last[node])
            node = apart[node] if inside else rest[node]
        found[i] = ends[node]
    return found


@kernel
def _after(one: NDArray[np.int32], other: NDArray[np.int32]) -> bool:
    """Whether one tuple comes after another, by their first different code."""
    for c in range(len(one)):
        if one[c] != other[c]:
            return bool(one[c] > other[c])
    return False


class GrowingTree:
    """A tree of cuts that grows. codes: of the tuples in order, to which cuts refer."""

    def __init__(self, codes: NDArray[np.int32]) -> None:
        self._codes = codes
        self._nodes = 1
        self._parents: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        self._cuts: list[NDArray[np.int64]] = [np.empty((0, 4), np.int64)]

    def cut(self, nodes: NDArray[np.int64], cuts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The new nodes: for each cut that of the tuples set apart, and that of the others."""
        self._parents.append(nodes)
        self._cuts.append(cuts)
        made = np.arange(self._nodes, self._nodes + 2 * len(nodes))
        self._nodes += len(made)
        return made

    def grown(self, ends: Sequence[int]) -> CutTree:
        """ends: the nodes that are ends, in the order of their numbers."""
        parents, cuts = np.concatenate(self._parents), np.concatenate(self._cuts)
        columns, low, high, apart, rest, numbers = (np.full(self._nodes, -1, np.int64) for _ in range(6))
        columns[parents], low[parents], high[parents] = cuts[:, COLUMN], cuts[:, LOW], cuts[:, HIGH]
        apart[parents] = 1 + 2 * np.arange(len(parents))
        rest[parents] = apart[parents] + 1
        numbers[np.array(ends, np.int64)] = np.arange(len(ends))
        last = np.full((self._nodes, self._codes.shape[1]), np.iinfo(np.int32).max, np.int32)
        bounded = cuts[:, LAST] < len(self._codes)
        last[parents[bounded]] = self._codes[cuts[bounded, LAST]]
        return CutTree(columns, low, high, last, apart, rest, numbers)
