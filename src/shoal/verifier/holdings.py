"""How often each class, or each tree, holds each value of a sensitive column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Holdings:
    """How often each class holds each value of a sensitive column: one entry per pair that occurs, sorted by class."""

    classes: NDArray[np.int64]  # (entries,)
    values: NDArray[np.int64]  # (entries,) number of the value
    counts: NDArray[np.int64]  # (entries,)
    # Of the values, by number. The text is None when the value is *hidden*: missing (NaN, blank), a code, or `*`. It may stand
    # for any value; each guarantee takes the reading that is worst for the release.
    texts: tuple[str | None, ...]
    column: str

    def counted_as(self, code: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """(classes, codes, counts) when value number i counts as `code[i]`: entries of equal code are added up."""
        return merged(self.classes, code[self.values], self.counts)


def merged(
    classes: NDArray[np.int64], codes: NDArray[np.int64], counts: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Entries sorted by (class, code), the counts of equal pairs added up."""
    order = np.lexsort((codes, classes))
    classes, codes, counts = classes[order], codes[order], counts[order]
    if len(classes) == 0:
        return classes, codes, counts
    starts = np.flatnonzero(np.r_[True, (classes[1:] != classes[:-1]) | (codes[1:] != codes[:-1])])
    return classes[starts], codes[starts], np.add.reduceat(counts, starts)
