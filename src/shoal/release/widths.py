"""How wide the labels are that published records show: a loss that is public, because the release and the recipe tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.report import digits
from shoal.report.facts import LossFacts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy

_WIDTH = (
    "mean over all that published records show of the values that a label stands for besides one, as a share of all; a label "
    "stands for all where the recipe does not state its values"
)


def width_loss(lost: float) -> LossFacts:
    """lost: as `mean_width` measures it."""
    return LossFacts("width", "Detail lost", digits.lost(lost), True, _WIDTH, False, public=True)


def mean_width(
    hierarchies: Sequence[tuple[Hierarchy, bool]], labels: NDArray[np.int32], weights: NDArray[np.int64]
) -> float:
    """hierarchies: one after the other, with whether each states its values; labels: their nodes, numbered through."""
    widths = np.concatenate([_widths(hierarchy, stated) for hierarchy, stated in hierarchies] or [np.zeros(0)])
    whole = int(weights.sum())
    return float((widths[labels] * weights).sum()) / whole if whole else 0.0


def _widths(hierarchy: Hierarchy, stated: bool) -> NDArray[np.float64]:
    """(nodes,): 0 stands for itself, 1 for all."""
    values = hierarchy.last - hierarchy.first
    if not stated:
        return (np.arange(len(values)) >= hierarchy.leaf_count).astype(np.float64)
    return values / max(hierarchy.leaf_count - 1, 1)
