"""How many baskets hold both of two items, for all pairs that occur together.

Items are taken in ascending order. All baskets that hold the item have by then been filled with their smaller items, so one walk
over them counts every pair of which it is the larger, in a row of counters as short as the list of items; then the item is put into
those baskets. (Occurrence deliver, as in LCM: Uno, Kiyomi and Arimura 2004.) Neither a hash table nor a table of all pairs is
needed, baskets need not be sorted, and pairs come out in order. A combination of more items is the same walk once more over the
baskets that were met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.sorting import sort_stretch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TOGETHER = 16  # baskets whose sizes are fetched before the first is walked over: one by one, each would be waited for
_BLOCK = 16  # counters that are looked at together
_FEW = 64  # in so few baskets, times this, that it is less than the item's number: note the counters that were touched


class Pairs(NamedTuple):
    """Pairs by their larger item, then by the smaller."""

    starts: NDArray[np.int64]  # (items + 1,): where the pairs of each larger item begin
    smaller: NDArray[np.int32]  # (pairs,)
    baskets: NDArray[np.int32]  # (pairs,): that hold both

    @classmethod
    def none(cls) -> Pairs:
        return cls(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32))

    def of(self, items: int) -> Pairs:
        """The same, of more items."""
        return self._replace(starts=np.pad(self.starts, (0, items + 1 - len(self.starts)), "edge"))

    @property
    def larger(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))


def pair_supports(offsets: NDArray[np.int64], items: NDArray[np.int32], before: Pairs) -> Pairs:
    """Add these baskets to those counted before; there may be 2³¹ of them in all.

    offsets: (baskets + 1,) where each basket begins; items: in any order, once or several times; those below 0 are left out,
    and there are no larger ones than `before` is of.
    These baskets and items together: fewer than 2³¹.
    """
    # Baskets are met in no order, and waiting for memory is most of the time. So they take as few bytes as possible, and the large
    # arrays are made here: NumPy asks for large pages, compiled code does not.
    size = len(offsets) - 1 + len(items)
    narrow = len(before.starts) <= 0xFFFF
    filled: NDArray[np.uint16] | NDArray[np.int32] = np.zeros(size, np.uint16) if narrow else np.zeros(size, np.int32)
    room = len(before.smaller) + max(len(before.smaller) // 8, 1 << 16)
    starts, smaller, baskets = _deliver(
        *_baskets_of_items(offsets, items, len(before.starts) - 1),
        filled,
        *before,
        np.empty(room, np.int32),
        np.empty(room, np.int32),
    )
    return Pairs(starts, smaller, baskets)


@kernel
def _baskets_of_items(
    offsets: NDArray[np.int64], items: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """For each item, from `starts` to `ends`, its baskets: each by where it will stand when it is filled, after its size."""
    starts = np.zeros(count + 1, np.int64)
    for item in items:
        if item >= 0:
            starts[item + 1] += 1
    for item in range(count):
        starts[item + 1] += starts[item]
    ends = starts[:-1].copy()
    found = np.empty(starts[-1], np.int32)
    for basket in range(len(offsets) - 1):
        place = offsets[basket] - offsets[0] + basket
        for at in range(offsets[basket], offsets[basket + 1]):
            item = items[at]
            if item < 0:
                continue
            end = ends[item]
            if end == starts[item] or found[end - 1] != place:  # an item counts once in a basket
                found[end] = place
                ends[item] = end + 1
    return starts, ends, found


@kernel
def _deliver(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    found: NDArray[np.int32],
    filled: NDArray[np.uint16] | NDArray[np.int32],
    old_starts: NDArray[np.int64],
    old_smaller: NDArray[np.int32],
    old_baskets: NDArray[np.int32],
    smaller: NDArray[np.int32],
    baskets: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """filled: for each basket its size so far, then its items so far; zeros. smaller, baskets: room for what is made."""
    made_starts = np.zeros(len(ends) + 1, np.int64)
    counts = np.zeros((len(ends) // _BLOCK + 1) * _BLOCK, np.int32)
    touched = np.empty(len(ends), np.int32)
    sizes = np.empty(_TOGETHER, np.int32)
    made = 0
    for item in range(len(ends)):
        few = (ends[item] - starts[item]) * _FEW < item
        met = 0
        for at in range(old_starts[item], old_starts[item + 1]):
            counts[old_smaller[at]] = old_baskets[at]
            touched[met] = old_smaller[at]
            met += 1
        for begin in range(starts[item], ends[item], _TOGETHER):
            together = min(_TOGETHER, ends[item] - begin)
            for i in range(together):
                sizes[i] = filled[found[begin + i]]
            for i in range(together):
                place, size = found[begin + i], sizes[i]
                if few:
                    for at in range(place + 1, place + 1 + size):
                        other = filled[at]
                        if counts[other] == 0:
                            touched[met] = other
                            met += 1
                        counts[other] += 1
                else:
                    for at in range(place + 1, place + 1 + size):
                        counts[filled[at]] += 1
                filled[place] = size + 1
                filled[place + 1 + size] = item
        needed = made + (met if few else item)
        if needed > len(smaller):
            smaller, baskets = _longer(smaller, made, needed), _longer(baskets, made, needed)
        if few:
            sort_stretch(touched, 0, met)
            for i in range(met):
                smaller[made], baskets[made] = touched[i], counts[touched[i]]
                counts[touched[i]] = 0
                made += 1
        else:
            for block in range(0, item, _BLOCK):
                bits = np.int32(0)
                for other in range(block, block + _BLOCK):
                    bits |= counts[other]
                if bits:
                    for other in range(block, block + _BLOCK):
                        if counts[other]:
                            smaller[made], baskets[made] = other, counts[other]
                            counts[other] = 0
                            made += 1
        made_starts[item + 1] = made
    return made_starts, smaller[:made], baskets[:made]


@kernel
def _longer(array: NDArray[np.int32], used: int, needed: int) -> NDArray[np.int32]:
    grown = np.empty(max(needed, 2 * len(array)), np.int32)
    for i in range(used):
        grown[i] = array[i]
    return grown
