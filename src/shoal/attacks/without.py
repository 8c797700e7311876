"""What data would tell without one of its columns: which to leave out first, or to blur until it says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Without:
    """One column, and the people who could be recognised if nobody knew it."""

    column: str
    unique_records: int
    small_records: int  # who look like fewer than k others, themselves counted
    average: float  # the share of people whom an attacker would pick out rightly

    @classmethod
    def of(cls, column: str, sizes: NDArray[np.int64], k: int) -> Without:
        """sizes: (classes,) of records that look the same without the column."""
        records = int(sizes.sum())
        return cls(
            column,
            int(np.count_nonzero(sizes == 1)),
            int(sizes[sizes < k].sum()),
            len(sizes) / records if records else 0.0,
        )


def best_first(each: list[Without]) -> tuple[Without, ...]:
    """The column that buys most first; of equal ones as they came."""
    return tuple(sorted(each, key=lambda one: (one.average, one.small_records)))
