"""ER, the error rate of published sets (paper 003, section 5.1), as the expectation over the matches of a record (ERRATA 003-7)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.loss.sets.release import Matched

if TYPE_CHECKING:
    from shoal.data.schema import Kind
    from shoal.loss.sets.release import Release


class ER:
    """Which published record is whose is not told, so a record counts with the mean over all that may be its own."""

    name: ClassVar[str] = "er"
    kind: ClassVar[Kind] = "sets"
    title: ClassVar[str] = "Error rate (ER)"
    plain: ClassVar[str] = "How many items are added or missing"
    formula: ClassVar[str] = (
        "mean over the records, and over the published records that each may be, of the number of items in which the base "
        "set differs from the original, divided by the number of its items (at least 1)"
    )
    share: ClassVar[bool] = False

    def of(self, release: Release) -> Fraction | None:
        if not isinstance(release, Matched):
            return None
        from shoal.kernels.sets.queries import distances

        originals, published = release.originals, release.published
        apart = distances(originals.offsets, originals.items, published.offsets, published.items, release.pairs)
        sizes = np.maximum(originals.sizes, 1)[release.pairs[:, 0]]
        wrong = np.zeros(int(sizes.max(initial=0)) + 1, np.int64)  # by the size of the original: then it is exact
        np.add.at(wrong, sizes, apart * release.weights)
        total = sum((Fraction(int(wrong[size]), int(size)) for size in np.flatnonzero(wrong)), Fraction(0))
        matches = int(release.weights.sum())
        return total / matches if matches else Fraction(0)
