"""Several small numbers in one: rows carry one or two 64-bit words in place of eight columns.

The first column lies in the highest bits, so that the order of the words is the order of the columns. Words are never negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pyspark.sql import Column

_BITS = 63


@dataclass(frozen=True)
class Words:
    """Small numbers of several columns, packed into as few numbers of 64 bits as will hold them."""

    prefix: str  # of the words' names
    word: tuple[int, ...]  # of each column: which word
    shift: tuple[int, ...]  # and where in it
    bits: tuple[int, ...]
    width: int

    @classmethod
    def of(cls, prefix: str, sizes: Sequence[int]) -> Words:
        """For columns whose numbers are 0 … size-1."""
        bits = [max(1, (size - 1).bit_length()) for size in sizes]
        rows: list[list[int]] = [[]]
        for column, need in enumerate(bits):
            if sum(bits[other] for other in rows[-1]) + need > _BITS:
                rows.append([])
            rows[-1].append(column)
        word, shift = [0] * len(bits), [0] * len(bits)
        for number, columns in enumerate(rows):
            for place, column in enumerate(columns):
                word[column], shift[column] = number, sum(bits[other] for other in columns[place + 1 :])
        return cls(prefix, tuple(word), tuple(shift), tuple(bits), len(rows))

    @property
    def names(self) -> list[str]:
        return [f"{self.prefix}{number}" for number in range(self.width)]

    def packed(self, numbers: Sequence[Column]) -> list[Column]:
        """The words of the columns' numbers."""
        words = [sql.lit(0).cast("long")] * self.width
        for number, word, shift in zip(numbers, self.word, self.shift, strict=True):
            words[word] = words[word].bitwiseOR(sql.shiftleft(number.cast("long"), shift))
        return [word.alias(name) for word, name in zip(words, self.names, strict=True)]

    def number(self, column: int) -> Column:
        """The number of one column, out of the words."""
        moved = sql.shiftright(sql.col(self.names[self.word[column]]), self.shift[column])
        return moved.bitwiseAND(sql.lit((1 << self.bits[column]) - 1).cast("long")).cast("int")

    def first_then(self, hash_: Column) -> Column:
        """One number that is in the order of the first word, and where that is the same, of the highest bits of a hash."""
        used = sum(bits for bits, word in zip(self.bits, self.word, strict=True) if word == 0)
        first = sql.shiftleft(sql.col(self.names[0]), _BITS - used)
        return first if used == _BITS else first.bitwiseOR(sql.shiftrightunsigned(hash_, used + 1))

    def pack(self, numbers: NDArray[np.int32]) -> dict[str, NDArray[np.int64]]:
        """The same for an array. numbers: (rows, columns)"""
        words = np.zeros((self.width, len(numbers)), np.int64)
        for column, (word, shift) in enumerate(zip(self.word, self.shift, strict=True)):
            words[word] |= numbers[:, column].astype(np.int64) << shift
        return dict(zip(self.names, words, strict=True))
