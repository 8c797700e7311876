"""DM, the discernibility metric (Bayardo and Agrawal 2005); DCN in paper 004."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from shoal.guarantees.guarantee import ClassCounts
    from shoal.recoding.tables.recoded import Recoded


@dataclass(frozen=True)
class DM:
    """Each record costs the size of its class; a suppressed record costs the size of the whole table."""

    name: ClassVar[str] = "dm"
    title: ClassVar[str] = "Discernibility (DM)"
    plain: ClassVar[str] = "How many people look alike"
    formula: ClassVar[str] = (
        "sum over published classes of size², plus the number of records for every suppressed record"
    )
    share: ClassVar[bool] = False
    column: ClassVar[None] = None  # it looks at no sensitive column

    def class_loss(self, classes: ClassCounts, kept: NDArray[np.bool_]) -> Fraction:
        rows = int(classes.sizes.sum())
        return _cost(classes.sizes[kept], rows)

    def of(self, recoded: Recoded, weights: Sequence[Fraction]) -> Fraction:
        return _cost(recoded.class_sizes, recoded.rows)


def _cost(published: NDArray[np.int64], rows: int) -> Fraction:
    return Fraction(int((published * published).sum()) + (rows - int(published.sum())) * rows)
