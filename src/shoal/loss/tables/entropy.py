"""Non-uniform entropy (De Waal and Willenborg 1999; Gionis and Tassa 2009), scaled to 0 … 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.loss.loss import CellLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.recoding.tables.recoded import ShownValues

# Costs are bits in fixed point: sums do not depend on the order of addition, and 10^9 records × 30 bits stay below 2^63.
_ONE_BIT = 1 << 20


@dataclass(frozen=True)
class Entropy(CellLoss):
    """A cell whose raw value occurs n times and whose published value covers N records hides log2(N / n) bits.

    A suppressed record hides what the top value would. The sum is divided by what hiding everything would cost; a column
    with one raw value has nothing to hide. Since the raw counts are fixed, a cell can be charged log2(N) alone.
    """

    name: ClassVar[str] = "entropy"
    title: ClassVar[str] = "Non-uniform entropy"
    plain: ClassVar[str] = "Information hidden"
    formula: ClassVar[str] = (
        "mean over columns of the bits hidden (log2 of records with the published value over records with the raw value), "
        "divided by the bits hidden when everything is; a suppressed record hides everything"
    )

    def value_costs(self, hierarchy: Hierarchy, marginal: NDArray[np.int64], shown: ShownValues) -> NDArray[np.int64]:
        # covered are all records whose raw value the published one may stand for, wherever they are published
        return _bits(shown.sums(marginal))

    def full_cost(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> int:
        return int(_bits(marginal.sum()))

    def base_cost(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> int:
        return int((_bits(marginal) * marginal).sum())


def _bits(records: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.round(np.log2(np.maximum(records, 1)) * _ONE_BIT).astype(np.int64)
