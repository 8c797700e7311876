"""Values by number: while records are counted and sorted, columns of few different values are numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Values:
    """A missing value is a missing entry, and not one of the dictionary."""

    place: NDArray[np.int32]  # (numbers,): where each value is in the dictionary, -1 for a missing one
    dictionary: pa.Array

    @classmethod
    def of(cls, numbers: NDArray[Any], values: pa.Array) -> Values:
        """values[i] has the number numbers[i]."""
        present = np.asarray(values.is_valid())
        place = np.full(int(numbers.max(initial=-1)) + 1, -1, np.int32)
        place[numbers[present]] = np.arange(int(present.sum()), dtype=np.int32)
        return cls(place, values.drop_null())

    @property
    def type(self) -> pa.DataType:
        return pa.dictionary(pa.int32(), self.dictionary.type)

    def at(self, numbers: pa.Array) -> pa.DictionaryArray:
        index = self.place[numbers.to_numpy()]
        missing = index < 0
        return pa.DictionaryArray.from_arrays(pa.array(index, mask=missing if missing.any() else None), self.dictionary)


@dataclass(frozen=True, eq=False)
class Applied:
    """What stands behind the tables `release` and `assigned`: number_c is a number of `shown`, code_c one of `raw`."""

    columns: tuple[str, ...]  # the quasi-identifiers, c = 0, 1, …
    others: tuple[str, ...]  # the other columns, other_0, other_1, …
    shown: tuple[Values, ...]
    raw: tuple[Values, ...] = ()  # empty where the published value follows from the raw one

    @property
    def numbers(self) -> list[str]:
        return [f"number_{c}" for c in range(len(self.columns))]

    @property
    def kept(self) -> list[str]:
        return [f"other_{i}" for i in range(len(self.others))]
