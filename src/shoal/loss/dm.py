"""DM, the discernibility metric (Bayardo and Agrawal 2005); DCN in paper 004."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class DM:
    """Each record costs the size of its class; a suppressed record costs the size of the whole table."""

    name: ClassVar[str] = "dm"
    title: ClassVar[str] = "Discernibility (DM)"
    formula: ClassVar[str] = (
        "sum over published classes of size², plus the number of records for every suppressed record"
    )

    def class_loss(self, kept: NDArray[np.int64], suppressed: int, rows: int) -> Fraction:
        return Fraction(int((kept * kept).sum()) + suppressed * rows)
