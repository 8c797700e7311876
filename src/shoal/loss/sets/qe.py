"""QE, the error of counting queries about item sets (paper 003, section 5.2)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.loss.sets.release import Release
    from shoal.loss.sets.workload import SetWorkload


@dataclass(frozen=True, eq=False)
class QE:
    """Mean over the queries of |estimate - truth| / records. Type I asks for records with items, type II for those without."""

    workload: SetWorkload
    absent: bool | None = None  # True: queries of type II alone; False: of type I alone

    name: ClassVar[str] = "qe"
    kind: ClassVar[Kind] = "sets"
    title: ClassVar[str] = "Query error (QE)"
    plain: ClassVar[str] = "How far off a count is, in records"
    formula: ClassVar[str] = (
        "mean over random queries (records that hold all of some items: type I; that hold none of them: type II) of "
        "|count in the release − true count| / records"
    )
    share: ClassVar[bool] = True

    def of(self, release: Release) -> Fraction | None:
        rows = release.originals.rows
        if not self._asked.any():
            return None
        if not rows:
            return Fraction(0)
        return self.error(self.workload.estimates(release), self.workload.true_counts(release.originals), rows)

    @property
    def _asked(self) -> NDArray[np.bool_]:
        return np.array([self.absent is None or one == self.absent for one in self.workload.absent])

    def error(self, estimates: NDArray[np.float64], truth: NDArray[np.float64], rows: int) -> Fraction:
        """From what the queries of the workload are answered. rows: records, at least one."""
        errors = np.abs(estimates - truth)[self._asked]
        # whole numbers for matched sets: their mean is exact
        return sum((Fraction(error) for error in errors.tolist()), Fraction(0)) / (len(errors) * rows)
