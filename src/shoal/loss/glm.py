"""GLM, the generalized loss metric (Iyengar 2002), also called granularity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from shoal.loss.loss import CellCosts, group_leaves

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True)
class GLM:
    """A value that stands for v of the d raw values of its column costs (v − 1) / (d − 1).

    A hierarchy with a single raw value has nothing to lose and costs 0.
    """

    name: ClassVar[str] = "glm"
    title: ClassVar[str] = "Granularity (GLM)"
    formula: ClassVar[str] = (
        "mean over records and columns of (raw values the published value may stand for − 1) / (raw values − 1); "
        "a suppressed record counts 1 in every column"
    )

    def cell_costs(
        self, hierarchies: Sequence[Hierarchy], marginals: Sequence[NDArray[np.int64]], weights: Sequence[Fraction]
    ) -> CellCosts:
        return CellCosts(
            tuple(tuple(group_leaves(h, level) - 1 for level in range(h.height + 1)) for h in hierarchies),
            tuple(h.leaf_count - 1 for h in hierarchies),
            tuple(weights),
            (0,) * len(hierarchies),
        )
