"""ARE of item sets: the average relative error of counting queries (paper 001, section 6, for sets of 2 items)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.loss.sets.release import Release
    from shoal.loss.sets.workload import SetWorkload


@dataclass(frozen=True, eq=False)
class ItemARE:
    """Mean over the queries of |estimate - truth| / max(truth, bound). The bound, a thousandth of the records and at least 1,
    keeps queries that hardly anybody meets from deciding the figure."""

    workload: SetWorkload

    name: ClassVar[str] = "are"
    kind: ClassVar[Kind] = "sets"
    title: ClassVar[str] = "Average relative error of counts (ARE)"
    plain: ClassVar[str] = "How far off a count is on average"
    formula: ClassVar[str] = (
        "mean over 100 random queries (of two items that a record holds together) of |estimated − true count| / true count "
        "(at least a thousandth of the records); a label of u items stands for each of them with a chance of 1/u"
    )
    share: ClassVar[bool] = False

    def of(self, release: Release) -> Fraction | None:
        originals = release.originals
        return self.error(self.workload.estimates(release), self.workload.true_counts(originals), originals.rows)

    def error(self, estimates: NDArray[np.float64], truth: NDArray[np.float64], rows: int) -> Fraction:
        """From what the queries of the workload are answered. rows: records."""
        bound = max(1.0, rows / 1000)
        errors = np.abs(estimates - truth) / np.maximum(truth, bound)
        return Fraction(fsum(errors) / len(errors))
