"""Non-uniform entropy (De Waal and Willenborg 1999; Gionis and Tassa 2009), scaled to 0 … 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.loss.loss import CellCosts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy

# Costs are bits in fixed point: sums do not depend on the order of addition, and 10^9 records × 30 bits stay below 2^63.
_ONE_BIT = 1 << 20


@dataclass(frozen=True)
class Entropy:
    """A cell whose raw value occurs n times and whose published value covers N records hides log2(N / n) bits.

    A suppressed record hides what the top value would. The sum is divided by what hiding everything would cost; a column
    with one raw value has nothing to hide. Since the raw counts are fixed, a cell can be charged log2(N) alone.
    """

    name: ClassVar[str] = "entropy"
    title: ClassVar[str] = "Non-uniform entropy"
    formula: ClassVar[str] = (
        "mean over columns of the bits hidden (log2 of records with the published value over records with the raw value), "
        "divided by the bits hidden when everything is; a suppressed record hides everything"
    )

    def cell_costs(
        self, hierarchies: Sequence[Hierarchy], marginals: Sequence[NDArray[np.int64]], weights: Sequence[Fraction]
    ) -> CellCosts:
        costs, full, base = [], [], []
        for h, marginal in zip(hierarchies, marginals, strict=True):
            records = [np.bincount(h.groups[level], weights=marginal) for level in range(h.height + 1)]
            bits = tuple(np.round(np.log2(np.maximum(r, 1)) * _ONE_BIT).astype(np.int64) for r in records)
            costs.append(bits)
            full.append(int(bits[-1].max()))
            base.append(int((bits[0][h.groups[0]] * marginal).sum()))
        return CellCosts(tuple(costs), tuple(full), tuple(weights), tuple(base))
