"""IL, the information loss of paper 002 (Ghinita et al. 2007), section 7.1."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.recoding.tables.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.recoding.tables.recoded import Recoded


@dataclass(frozen=True)
class IL:
    """Summed over columns, averaged over records. Numbers: the range of the class over the range of the data. Categories: one
    less than the raw values below the published one, over all raw values (equation 7 with the leaves of ERRATA 002-9).

    It compares releases in the terms of the paper, and is not made for a search: what numbers are published as does not enter.
    """

    name: ClassVar[str] = "il"
    title: ClassVar[str] = "Information loss of paper 002 (IL)"
    plain: ClassVar[str] = "Detail lost, summed over the columns"
    formula: ClassVar[str] = (
        "mean over records of the sum over columns of range within the class / range of the data for numbers, "
        "(raw values below − 1) / raw values for categories; a suppressed record counts 1 in every column"
    )
    share: ClassVar[bool] = False

    def of(self, recoded: Recoded, weights: Sequence[Fraction]) -> Fraction:
        lost = Fraction(0)
        for c, hierarchy in enumerate(recoded.hierarchies):
            if hierarchy.bounds is not None:
                lost += _ranges(recoded, c, hierarchy.bounds[: hierarchy.leaf_count])
            else:
                cost = int(((recoded.shown[c].sizes - 1) * recoded.records(c)).sum())
                lost += Fraction(cost, hierarchy.leaf_count)
        return (lost + recoded.suppressed * len(recoded.hierarchies)) / recoded.rows


def _ranges(recoded: Recoded, column: int, bounds: NDArray[np.float64]) -> Fraction:
    """The ranges of all published records added up, over the range of the data.

    A missing value has no place in a range: a class that holds some, but not only such, spans everything. Ends are compared by
    rank and added up as decimals, so the sum is exact whatever the numbers are.
    """
    codes = recoded.codes[:, column]
    finite = np.isfinite(bounds)
    placed = (finite[:, 0] & finite[:, 1])[codes]
    ends, ranks = np.unique(np.where(finite, bounds, 0.0), return_inverse=True)
    low, high = ranks.reshape(bounds.shape)[codes].T
    if not placed.any() or low[placed].min() == high[placed].max():
        return Fraction(0)
    first, last = int(low[placed].min()), int(high[placed].max())
    published = recoded.classes != HIDDEN
    lowest = np.full(len(recoded.values), last, np.int64)
    highest = np.full(len(recoded.values), first, np.int64)
    numbers = published & placed
    np.minimum.at(lowest, recoded.classes[numbers], low[numbers])
    np.maximum.at(highest, recoded.classes[numbers], high[numbers])
    has_number = np.zeros(len(recoded.values), np.bool_)
    has_number[recoded.classes[numbers]] = True
    has_missing = np.zeros(len(recoded.values), np.bool_)
    has_missing[recoded.classes[published & ~placed]] = True
    lowest[has_missing], highest[has_missing] = first, last
    sizes = recoded.class_sizes * has_number
    upper = np.bincount(highest, weights=sizes, minlength=len(ends)).astype(np.int64).tolist()
    lower = np.bincount(lowest, weights=sizes, minlength=len(ends)).astype(np.int64).tolist()
    values = [Fraction(str(end)) for end in ends.tolist()]
    total = Fraction(0)
    for value, up, down in zip(values, upper, lower, strict=True):
        total += value * (up - down)
    return total / (values[last] - values[first])
