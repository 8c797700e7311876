"""A tree of cuts: where a tuple ends that goes to one side of each cut it meets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _after(one: NDArray[np.int32], other: NDArray[np.int32]) -> bool:
    """Whether one tuple comes after another, by their first different code."""
    for c in range(len(one)):
        if one[c] != other[c]:
            return bool(one[c] > other[c])
    return False
