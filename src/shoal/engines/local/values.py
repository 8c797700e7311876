"""Values by number: while records are counted and sorted, columns of few different values are numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.schema import Schema


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
class SetValues:
    """Sets: a cell of the table is a list of numbers."""

    items: pa.Array  # texts

    @property
    def type(self) -> pa.DataType:
        return pa.list_(pa.string())

    def at(self, numbers: pa.Array) -> pa.ListArray:
        offsets = numbers.offsets
        return pa.ListArray.from_arrays(offsets, self.items.take(numbers.values))


@dataclass(frozen=True, eq=False)
class ListValues:
    """Sets by number."""

    lists: pa.ListArray  # (numbers,) of texts

    @property
    def type(self) -> pa.DataType:
        return pa.list_(pa.string())

    def at(self, numbers: pa.Array) -> pa.ListArray:
        return self.lists.take(numbers)


@dataclass(frozen=True, eq=False)
class Applied:
    """What stands behind the tables `release` and `assigned`: number_c is a number of `shown`, code_c one of `raw`."""

    columns: tuple[str, ...]  # what is shown of the quasi-identifiers, c = 0, 1, …
    others: tuple[str, ...]  # the other columns, other_0, other_1, …
    shown: tuple[Values | SetValues | ListValues, ...]
    raw: tuple[Values | SetValues, ...] = ()  # empty where the published value follows from the raw one
    alone: int | None = None  # so many of the columns, the first ones, make a class; None: all

    @property
    def numbers(self) -> list[str]:
        return [f"number_{c}" for c in range(len(self.columns))]

    @property
    def class_numbers(self) -> list[str]:
        """What records of one class have in common."""
        return self.numbers[: self.alone]

    def published(self, schema: Schema) -> list[str]:
        """The columns of the release in their order: what is shown of a column stands where the column stood."""
        beside = [name for name in self.columns if name not in schema.published]  # a set may be shown as several
        return [shown for name in schema.published for shown in (name, *(beside if name == self.columns[0] else ()))]

    @property
    def kept(self) -> list[str]:
        return [f"other_{i}" for i in range(len(self.others))]
