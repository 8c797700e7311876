"""How many records fit what an attacker may know of a person in a mixed table: all values, and some items.

Records that have the same values are a class. The attacker knows which class the person is in, and the most telling of their items
within it: none, one, two, three, or all of them, as in `shoal.attacks.sets.crowds`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.sets.crowds import BUDGET, MOST, Fitting, knowing, knowing_all

if TYPE_CHECKING:
    from numpy.typing import NDArray


def knowing_both(
    classes: NDArray[np.int64],
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    counts: NDArray[np.int64],
    most: int = MOST,
    *,
    budget: int = BUDGET,
) -> list[Fitting | None]:
    """For an attacker who knows 0, 1, 2, … items, up to `most`. None where there are too many combinations to count.

    classes: (sets,), numbered from 0; the same class and items may be there more than once. counts: (sets,) records of each.
    """
    alone = _class_sizes(classes, counts)
    crowds: list[Fitting | None] = [Fitting(alone, counts)]
    among_all = knowing(offsets, _within_class(classes, offsets, items), counts, most, budget=budget)
    # whoever has no items is known by the values alone
    crowds += [None if one is None else Fitting(np.minimum(one.fits, alone), counts) for one in among_all]
    return crowds


def knowing_both_all(
    classes: NDArray[np.int64], offsets: NDArray[np.int64], items: NDArray[np.int32], counts: NDArray[np.int64]
) -> Fitting:
    """For an attacker who knows all values, and exactly which items a person has."""
    sizes = np.diff(offsets) + 1
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    held = np.empty(int(starts[-1]), np.int32)  # the class of each set before its items
    first = np.zeros(len(held), np.bool_)
    first[starts[:-1]] = True
    held[first], held[~first] = classes, items
    return knowing_all(starts, held, counts)


def _class_sizes(classes: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(sets,): records of the class of each."""
    sizes = np.bincount(classes, counts, 1).astype(np.int64)
    size_of: NDArray[np.int64] = sizes[classes]
    return size_of


def _within_class(
    classes: NDArray[np.int64], offsets: NDArray[np.int64], items: NDArray[np.int32]
) -> NDArray[np.int32]:
    """A number for each item of a class, so that the same item of two classes is not the same. Ascending where items are."""
    width = np.int64(items.max(initial=0)) + 1
    keys = np.repeat(classes, np.diff(offsets)) * width + items
    _, numbers = np.unique(keys, return_inverse=True)
    within: NDArray[np.int32] = numbers.reshape(-1).astype(np.int32)
    return within
