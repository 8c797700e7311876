"""The height of a release: how far up their hierarchies its values are (Samarati 2001), as a share of the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.extend import CellLoss, Hierarchy, ShownValues


@dataclass(frozen=True)
class Height(CellLoss):
    """A value costs the lowest level at which a label covers what it stands for."""

    name: ClassVar[str] = "height"
    title: ClassVar[str] = "Height"
    plain: ClassVar[str] = "Steps of blur"
    formula: ClassVar[str] = (
        "mean over records and columns of (level of the published value) / (top level); a suppressed record counts 1 in every "
        "column"
    )

    def value_costs(self, hierarchy: Hierarchy, marginal: Any, shown: ShownValues) -> Any:
        widest = [np.bincount(groups).max() for groups in hierarchy.groups]  # raw values below a label, at each level
        levels = np.searchsorted(np.maximum.accumulate(widest), shown.sizes)
        return np.minimum(levels, hierarchy.height).astype(np.int64)

    def full_cost(self, hierarchy: Hierarchy, marginal: Any) -> int:
        return hierarchy.height
