"""GLM, the generalized loss metric (Iyengar 2002), also called granularity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.loss.loss import CellLoss

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.recoding.tables.recoded import ShownValues


@dataclass(frozen=True)
class GLM(CellLoss):
    """A value that stands for v of the d raw values of its column costs (v − 1) / (d − 1).

    A hierarchy with a single raw value has nothing to lose and costs 0.
    """

    name: ClassVar[str] = "glm"
    title: ClassVar[str] = "Granularity (GLM)"
    plain: ClassVar[str] = "Detail lost"
    formula: ClassVar[str] = (
        "mean over records and columns of (raw values the published value may stand for − 1) / (raw values − 1); "
        "a suppressed record counts 1 in every column"
    )

    def value_costs(self, hierarchy: Hierarchy, marginal: NDArray[np.int64], shown: ShownValues) -> NDArray[np.int64]:
        return shown.sizes - 1

    def full_cost(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> int:
        return hierarchy.leaf_count - 1
