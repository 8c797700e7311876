"""Item NCP, the normalized certainty penalty of generalized items (paper 001, section 5, for its transactions; ERRATA 001-6)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.loss.sets.release import Generalized

if TYPE_CHECKING:
    from shoal.data.schema import Kind
    from shoal.loss.sets.release import Release


class ItemNCP:
    """An item that is shown as it is costs nothing, another the share of all items that its label stands for."""

    name: ClassVar[str] = "item-ncp"
    kind: ClassVar[Kind] = "sets"
    title: ClassVar[str] = "Normalized certainty penalty of items (item NCP)"
    plain: ClassVar[str] = "How vague the items are"
    formula: ClassVar[str] = (
        "mean over the items of all records of 0 where the label stands for one item, else the share of all items that it "
        "stands for; an item that is left out costs 1"
    )
    share: ClassVar[bool] = True

    def of(self, release: Release) -> Fraction | None:
        if not isinstance(release, Generalized):
            return None
        widths, weights = release.widths, release.originals.weights
        costs = np.where((widths > 1) | (np.arange(len(widths)) == len(widths) - 1), widths, 0)[release.nodes]
        held = int(weights.sum())
        return Fraction(int((costs * weights).sum()), held * release.domain) if held else Fraction(0)
