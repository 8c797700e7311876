"""A table without one of its columns, counted from the combinations that occur."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.tables.combinations import class_sizes
from shoal.attacks.without import Without, best_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LARGEST = 60_000_000  # cells looked at, over all columns: some seconds; beyond it nothing is said


def without_each(
    codes: NDArray[np.int32], counts: NDArray[np.int64], columns: Sequence[str], k: int
) -> tuple[Without, ...]:
    """codes: (tuples, columns); counts: (tuples,) records with that tuple. Of one column alone there is nothing to leave out."""
    if len(columns) < 2 or not len(codes) or codes.size * len(columns) > LARGEST:
        return ()
    dense = [np.unique(codes[:, c], return_inverse=True) for c in range(len(columns))]
    values, packed = [len(met) for met, _ in dense], [inverse.astype(np.int64) for _, inverse in dense]
    each = []
    for column, name in enumerate(columns):
        rest = [c for c in range(len(columns)) if c != column]
        sizes = class_sizes([packed[c] for c in rest], [values[c] for c in rest], counts)
        each.append(Without.of(name, sizes, k))
    return best_first(each)
