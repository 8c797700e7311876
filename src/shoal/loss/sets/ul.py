"""UL, the utility loss of generalized items (Loukides and others 2011; paper 001, section 5), as ERRATA 001-6 has it.

A label of u items may stand for 2^u - 1 sets of them, a record whose labels have s items together for 2^s - 1. It does not grow
with every generalization, so it is only read: item NCP is what is minimized.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.loss.sets.release import LEFT_OUT, Generalized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.loss.sets.release import Release


def utility_loss(sizes: Sequence[int]) -> Fraction:
    """UL of one record, exactly. sizes: of its labels, the number of items that each stands for.

    >>> utility_loss([2, 1]), utility_loss([2, 2]), utility_loss([1]), utility_loss([])
    (Fraction(3, 7), Fraction(2, 5), Fraction(0, 1), Fraction(0, 1))
    """
    if not sizes:
        return Fraction(0)
    return Fraction(sum(2**size - 1 for size in sizes if size > 1), 2 ** sum(sizes) - 1)


class UL:
    """Mean over the records of Σ w(u)·(2^u - 1) / (2^s - 1), with w = 0 for a single item and 1 otherwise."""

    name: ClassVar[str] = "ul"
    kind: ClassVar[Kind] = "sets"
    title: ClassVar[str] = "Utility loss (UL)"
    plain: ClassVar[str] = "How many sets a vague label may stand for"
    formula: ClassVar[str] = (
        "mean over the records of Σ (2^u − 1) over labels of u > 1 items, divided by 2^s − 1 for the s items of all its labels "
        "together; 0 for a record without items. Items of a record that are left out count as one label of all items"
    )
    share: ClassVar[bool] = True

    def of(self, release: Release) -> Fraction | None:
        if not isinstance(release, Generalized):
            return None
        counts, rows = release.shown.counts, release.shown.rows
        return Fraction(fsum(self.lost(release) * counts) / rows) if rows else Fraction(0)

    def lost(self, release: Generalized) -> NDArray[np.float64]:
        """(sets,): the loss of a record of each."""
        shown, widths = release.shown, release.widths
        rows = np.repeat(np.arange(len(shown.counts)), shown.sizes)
        sizes = widths[shown.items]
        out = np.flatnonzero(release.nodes == LEFT_OUT)
        hidden = np.unique(np.searchsorted(release.originals.offsets, out, "right") - 1)
        rows, sizes = np.concatenate([rows, hidden]), np.concatenate([sizes, np.full(len(hidden), release.domain)])
        # powers of ½, none of which can overflow: what is too small for a number is nothing
        together = np.bincount(rows, weights=sizes, minlength=len(shown.counts))
        label = np.where(sizes > 1, np.exp2(sizes - together[rows]) - np.exp2(-together[rows]), 0.0)
        below = np.where(together > 0, 1.0 - np.exp2(-together), 1.0)
        lost: NDArray[np.float64] = np.bincount(rows, weights=label, minlength=len(shown.counts)) / below
        return lost
