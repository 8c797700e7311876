"""NCP, the normalized certainty penalty (Xu et al. 2006); averaged over the table it is also called GCP."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.loss.loss import CellCosts, group_leaves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy

_LARGEST_COST = 1 << 31  # a cost above this could overflow a sum over 10^9 records


@dataclass(frozen=True)
class NCP:
    """Numbers: width of the published interval over the width of the domain. Categories: 0 for a raw value, else the share
    of the raw values the published value may stand for (ERRATA 001-10).

    The widths come from the hierarchy's public grid, never from the extremes of the data.
    """

    name: ClassVar[str] = "ncp"
    title: ClassVar[str] = "Normalized certainty penalty (NCP)"
    formula: ClassVar[str] = (
        "mean over records and columns of interval width / domain width for numbers, raw values below / all raw values "
        "for categories (0 for a raw value); a suppressed record counts 1 in every column"
    )

    def cell_costs(
        self, hierarchies: Sequence[Hierarchy], marginals: Sequence[NDArray[np.int64]], weights: Sequence[Fraction]
    ) -> CellCosts:
        columns = [_numeric(h) or _categorical(h) for h in hierarchies]
        return CellCosts(
            tuple(costs for costs, _ in columns),
            tuple(full for _, full in columns),
            tuple(weights),
            (0,) * len(columns),
        )


def _categorical(h: Hierarchy) -> tuple[tuple[NDArray[np.int64], ...], int]:
    sizes = (group_leaves(h, level) for level in range(h.height + 1))
    return tuple(np.where(size == 1, 0, size) for size in sizes), h.leaf_count


def _numeric(h: Hierarchy) -> tuple[tuple[NDArray[np.int64], ...], int] | None:
    """Widths as integers over a common denominator; None when the hierarchy is not over numbers."""
    if h.bounds is None:
        return None
    finite = [bool(np.isfinite(bound).all()) for bound in h.bounds]
    if not finite[-1]:
        return None
    # bounds come from decimal grids, so a power of ten makes them integers
    widths = [
        Fraction(str(hi)) - Fraction(str(lo)) if ok else None for (lo, hi), ok in zip(h.bounds, finite, strict=True)
    ]
    root = widths[-1]
    if root is None or root <= 0:
        return None
    scale = 1
    while any(w is not None and (w * scale).denominator != 1 for w in widths) and root * scale * 10 < _LARGEST_COST:
        scale *= 10
    full = round(root * scale)
    if full > _LARGEST_COST:
        return None
    # a node without bounds of its own (a missing value, an open end such as >=100) counts by its share of the raw values
    shares = [
        Fraction(h.leaves_below(n), h.leaf_count) if h.leaves_below(n) > 1 else Fraction(0) for n in range(len(widths))
    ]
    by_node = np.array(
        [round(w * scale) if w is not None else round(shares[n] * full) for n, w in enumerate(widths)], np.int64
    )
    return tuple(by_node[h.group_nodes(level)] for level in range(h.height + 1)), full
