"""How many of each size there are: what reports draw, from arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.loss.sets.release import Sets


def by_class_size(sizes: NDArray[np.int64]) -> dict[int, int]:
    """Number of records → classes of that size."""
    return counted(sizes, np.ones(len(sizes), np.int64))


def by_items(sets: Sets) -> dict[int, int]:
    """Number of items → records."""
    return counted(sets.sizes, sets.counts)


def by_support(sets: Sets) -> dict[int, int]:
    """Number of records → items that so many hold."""
    holders = np.bincount(sets.items, sets.weights).astype(np.int64)
    return by_class_size(holders[holders > 0])


def counted(values: NDArray[np.int64] | NDArray[np.int32], counts: NDArray[np.int64]) -> dict[int, int]:
    """Value → how often it is there; `counts` says how often each entry counts."""
    distinct, place = np.unique(values, return_inverse=True)
    return dict(zip(distinct.tolist(), np.bincount(place, counts).astype(np.int64).tolist(), strict=True))
