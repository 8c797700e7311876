"""Small numbers of several columns, packed into as few numbers of 64 bits as will hold them: in SQL.

Words are in the order of the numbers they hold. Grouping and sorting by one number takes a third of the time that eight take, and
what is moved about is a quarter as wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

_MOST = 1 << 63  # a word is below it


@dataclass(frozen=True)
class Words:
    """Of columns whose numbers are 0 … size-1.

    >>> words = Words((3, 5))
    >>> words.packed(["a", "b"])
    ['(a)::BIGINT * 5 + (b)::BIGINT * 1 AS w0']
    >>> words.number(0), words.number(1)
    ('(w0 // 5 % 3)::INTEGER', '(w0 // 1 % 5)::INTEGER')
    """

    sizes: tuple[int, ...]

    @property
    def names(self) -> list[str]:
        return [f"w{number}" for number in range(len(self._columns))]

    def packed(self, numbers: Sequence[str]) -> list[str]:
        """The words. numbers: the SQL of each column's number; a word without one of its numbers is NULL."""
        sums = (
            " + ".join(f"({numbers[c]})::BIGINT * {self._factor(c)}" for c in columns) or "0::BIGINT"
            for columns in self._columns
        )
        return [f"{sum_} AS {name}" for sum_, name in zip(sums, self.names, strict=True)]

    def number(self, column: int) -> str:
        """The number of one column, out of its word."""
        (word,) = (name for name, columns in zip(self.names, self._columns, strict=True) if column in columns)
        return f"({word} // {self._factor(column)} % {self.sizes[column]})::INTEGER"

    @property
    def _columns(self) -> list[list[int]]:
        """Of each word the columns it holds, the first of which counts most."""
        rows: list[list[int]] = [[]]
        for column, size in enumerate(self.sizes):
            if prod(self.sizes[other] for other in rows[-1]) * size > _MOST:
                rows.append([])
            rows[-1].append(column)
        return rows

    def _factor(self, column: int) -> int:
        (columns,) = (columns for columns in self._columns if column in columns)
        return prod(self.sizes[other] for other in columns if other > column)
