"""NCP, the normalized certainty penalty (Xu et al. 2006); averaged over the table it is also called GCP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.loss.loss import CellLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.recoding.tables.recoded import ShownValues

_LARGEST_COST = 1 << 31  # a cost above this could overflow a sum over 10^9 records


@dataclass(frozen=True)
class NCP(CellLoss):
    """Numbers: width of the published interval over the width of the domain. Categories: 0 for a raw value, else the share
    of the raw values the published value may stand for (ERRATA 001-10).

    The widths come from the hierarchy's public grid, never from the extremes of the data. A value that is no node of the
    hierarchy reaches from the lowest to the highest of its raw values.
    """

    name: ClassVar[str] = "ncp"
    title: ClassVar[str] = "Normalized certainty penalty (NCP)"
    plain: ClassVar[str] = "Detail lost, by width of ranges"
    formula: ClassVar[str] = (
        "mean over records and columns of interval width / domain width for numbers, raw values below / all raw values "
        "for categories (0 for a raw value); a suppressed record counts 1 in every column"
    )

    def value_costs(self, hierarchy: Hierarchy, marginal: NDArray[np.int64], shown: ShownValues) -> NDArray[np.int64]:
        share = np.where(shown.sizes == 1, 0, shown.sizes)
        ends = _Ends.of(hierarchy)
        if ends is None:
            return share
        share = (share * ends.width + hierarchy.leaf_count // 2) // hierarchy.leaf_count
        nodes = _nodes_shown(hierarchy, shown)
        as_nodes = np.where(ends.placed[nodes], ends.high[nodes] - ends.low[nodes], share)
        if (nodes >= 0).all():
            return as_nodes
        low = np.minimum.reduceat(np.where(ends.placed, ends.low, ends.width)[shown.leaves], shown.offsets[:-1])
        high = np.maximum.reduceat(np.where(ends.placed, ends.high, 0)[shown.leaves], shown.offsets[:-1])
        placed = np.logical_and.reduceat(ends.placed[shown.leaves], shown.offsets[:-1])
        as_sets = np.where(placed, high - low, np.maximum(high - low, share))
        return np.where(nodes >= 0, as_nodes, as_sets)

    def full_cost(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> int:
        ends = _Ends.of(hierarchy)
        return hierarchy.leaf_count if ends is None else ends.width


@dataclass(frozen=True, eq=False)
class _Ends:
    """The bounds of the nodes as whole numbers, counted from the lower end of the domain."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    placed: NDArray[np.bool_]  # not so a missing value, an open end such as >=100, and what lies outside the grid
    width: int  # of the domain

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> _Ends | None:
        """None when the hierarchy is not over numbers."""
        if hierarchy.bounds is None or not np.isfinite(hierarchy.bounds[-1]).all():
            return None
        start, stop = hierarchy.bounds[-1]
        if not 0 < stop - start < _LARGEST_COST:
            return None
        placed = (hierarchy.bounds[:, 0] >= start) & (hierarchy.bounds[:, 1] <= stop)  # False for NaN
        bounds = np.where(placed[:, None], hierarchy.bounds, start)
        # bounds come from decimal grids, so a power of ten makes them whole
        scale = 1
        while (np.round(bounds * scale) / scale != bounds).any() and (stop - start) * scale * 10 < _LARGEST_COST:
            scale *= 10
        whole = np.round(bounds * scale).astype(np.int64) - round(start * scale)
        if int(whole[-1, 1]) * hierarchy.leaf_count < _LARGEST_COST:
            whole *= hierarchy.leaf_count  # then a share of the raw values is a whole number too
        return cls(whole[:, 0], whole[:, 1], placed, int(whole[-1, 1]))


def _nodes_shown(hierarchy: Hierarchy, shown: ShownValues) -> NDArray[np.int64]:
    """(values,): the node that is shown, or -1 when the value is none.

    A value is a node when it has its label and its raw values: the node says its range itself, which may be wider than the
    raw values that occur in it.
    """
    named = (hierarchy.node(label) for label in shown.labels)
    nodes = np.fromiter((-1 if node is None else node for node in named), np.int64, len(shown.labels))
    same = (hierarchy.first[nodes] == shown.leaves[shown.offsets[:-1]]) & (
        hierarchy.last[nodes] == shown.leaves[shown.offsets[1:] - 1]
    )
    return np.where(same & (hierarchy.last[nodes] - hierarchy.first[nodes] + 1 == shown.sizes), nodes, -1)
