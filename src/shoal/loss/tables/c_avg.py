"""C_avg, the normalized average class size (LeFevre, DeWitt and Ramakrishnan 2006; paper 002, equation 11)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.recoding.tables.recoded import Recoded


@dataclass(frozen=True)
class CAvg:
    """How many times larger than it has to be a class is on average; 1 is the best there is. 0 when nothing is published."""

    k: int

    name: ClassVar[str] = "c_avg"
    title: ClassVar[str] = "Average class size (C_avg)"
    plain: ClassVar[str] = "Average group size, as a multiple of k"
    formula: ClassVar[str] = "published records / published classes / k; suppressed records do not count"
    share: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k must be at least 1; got {self.k}.")

    def of(self, recoded: Recoded, weights: Sequence[Fraction]) -> Fraction:
        classes = len(recoded.class_sizes)
        return Fraction(int(recoded.class_sizes.sum()), classes * self.k) if classes else Fraction(0)
