"""The frequency set: the distinct quasi-identifier tuples of a table with their counts, as codes.

It is all a full-domain search ever sees of the data. Its size depends on the number of distinct combinations, not of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """Sensitive values per tuple in long form: (tuple number, value code, count), sorted by (tuple, value)."""

    tuples: NDArray[np.int64]
    values: NDArray[np.int32]
    counts: NDArray[np.int64]
    value_count: int
    missing: int | None = None  # the code of a missing value
    places: NDArray[np.int64] | None = None  # (value_count,) of each code in the order, equal for equal numbers


@dataclass(frozen=True, eq=False)
class FrequencySet:
    """Distinct tuples of the quasi-identifiers with the number of records of each."""

    columns: tuple[str, ...]
    codes: NDArray[np.int32]  # (tuples, columns) leaf codes
    counts: NDArray[np.int64]  # (tuples,)
    sensitive: Mapping[str, SensitiveCounts] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return int(self.counts.sum())
