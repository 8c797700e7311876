"""How many records fit what an attacker may know of a person in sets of items: one item, two, three, or all of them.

The attacker knows that the person is in the data, and knows the most telling of their items: of all combinations of up to so
many that the person holds, the one that fewest records hold. Whoever has fewer items than that is known by all they have. Somebody
who knows *all* items knows that there are no others, and looks for records with exactly these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError

if TYPE_CHECKING:
    from numpy.typing import NDArray

BUDGET = 15_000_000  # combinations that are counted, of one size: some two seconds, and half a gigabyte
MOST = 3  # items known


@dataclass(frozen=True, eq=False)
class Fitting:
    """Of some sets: how many records fit what is known of each, and how many records each stands for."""

    fits: NDArray[np.int64]  # (sets,)
    records: NDArray[np.int64]  # (sets,)

    @property
    def least(self) -> int:
        """The highest chance is 1 in this many; 0 when there are no records."""
        return int(self.fits.min(initial=np.iinfo(np.int64).max)) if len(self.fits) else 0

    @property
    def average(self) -> float:
        """Mean over the records of the chance to take the right one."""
        total = int(self.records.sum())
        return float((self.records / self.fits).sum() / total) if total else 0.0

    @property
    def unique(self) -> int:
        return self.below(2)

    def below(self, k: int) -> int:
        """Records that fewer than k records fit."""
        return int(self.records[self.fits < k].sum())

    @cached_property
    def by_size(self) -> dict[int, int]:
        """Number of records that fit → records of which that is so."""
        distinct, place = np.unique(self.fits, return_inverse=True)
        return dict(zip(distinct.tolist(), np.bincount(place, self.records).astype(np.int64).tolist(), strict=True))


def knowing(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    counts: NDArray[np.int64],
    most: int = MOST,
    *,
    budget: int = BUDGET,
) -> list[Fitting | None]:
    """For an attacker who knows 1, 2, … items, up to `most` (3 at most). None where there are too many combinations to count.

    Sets may be there more than once; items: ascending and distinct in each; counts: (sets,) records of each.
    """
    if not 1 <= most <= MOST:
        raise InternalError(f"Combinations of up to {MOST} known items are counted; {most} were asked for.")
    width = int(items.max(initial=-1)) + 1
    sizes, rows = np.diff(offsets), np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    supports = np.bincount(items, counts[rows], width).astype(np.int64)
    fits = rarest(offsets, items, supports, int(counts.sum()))
    crowds: list[Fitting | None] = [Fitting(fits.copy(), counts)]
    for size in range(2, most + 1):
        many = int(_chosen(sizes, size).sum())
        if crowds[-1] is None or many > budget or width**size >= 2**62:
            crowds.append(None)
            continue
        if many:
            _lower(fits, offsets, items, counts, size, width, many)
        crowds.append(Fitting(fits.copy(), counts))
    return crowds


def rarest(
    offsets: NDArray[np.int64], items: NDArray[np.int32], supports: NDArray[np.int64], everyone: int
) -> NDArray[np.int64]:
    """(sets,): records that hold the rarest item of each. supports: (items,) records that hold each; everyone: all records."""
    # a set without items is known by nothing, which fits every record
    fits = np.full(len(offsets) - 1, everyone, np.int64)
    np.minimum.at(fits, np.repeat(np.arange(len(fits)), np.diff(offsets)), supports[items])
    return fits


def knowing_all(offsets: NDArray[np.int64], items: NDArray[np.int32], counts: NDArray[np.int64]) -> Fitting:
    """For an attacker who knows exactly which items a person has."""
    held: dict[bytes, int] = {}
    keys = [items[a:b].tobytes() for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
    for key, count in zip(keys, counts.tolist(), strict=True):
        held[key] = held.get(key, 0) + count
    return Fitting(np.array([held[key] for key in keys], np.int64), counts)


def _lower(
    fits: NDArray[np.int64],
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    counts: NDArray[np.int64],
    size: int,
    width: int,
    many: int,
) -> None:
    """Take into account what combinations of one size tell."""
    from shoal.kernels.sets.known_items import combination_keys

    keys, owners = combination_keys(offsets, items, size, width, many)
    order = np.argsort(keys)
    keys, owners = keys[order], owners[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    support = np.add.reduceat(counts[owners], starts)
    np.minimum.at(fits, owners, np.repeat(support, np.diff(np.append(starts, len(keys)))))


def _chosen(sizes: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """(sets,): combinations of that size in each."""
    pairs = sizes * (sizes - 1) // 2
    return pairs if size == 2 else pairs * (sizes - 2) // 3
