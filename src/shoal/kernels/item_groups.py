"""Show the items of one class as sets of items, merged until combinations of at most m labels break no promise.

Items begin as they are. Combinations of 1, 2, …, m labels are counted, those that break the promise are taken one after the other,
rarest first, and each gets the merge of two labels that mends it and is the cheapest for every broken combination that it mends. A
label of u > 1 items costs u for every item of a record that it hides (item NCP, times the number of items there are).

A label is kept as the bits of the records that show it, so the records of a combination are an intersection. It is named after its
first item. Merging never makes a combination rarer, so one sweep is enough for k; a sensitive value may become too frequent by it
(ERRATA 001-12), so with those the sweeps go on until one finds nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

from shoal.kernels.broken_combinations import broken_pairs, broken_sets
from shoal.kernels.item_bits import broken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.item_bits import Asked

TRIED = 8  # merges that mend a combination, the cheapest of them, which are compared by what else they mend
LOOKED = 64  # broken combinations that are looked at for that


class Labels(NamedTuple):
    """What is shown now. Entries of items that are not the first of their label are out of date."""

    label_of: NDArray[np.int32]  # (items,)
    family: NDArray[np.int32]  # (items,): labels of different families are never merged
    bits: NDArray[np.uint64]  # (items, words)
    held: NDArray[np.int64]  # (items,): items of all records that the label hides
    width: NDArray[np.int64]  # (items,): items that it stands for


class Merge(NamedTuple):
    """Two labels, shown as one."""

    one: int  # the lower, which gives its name
    two: int
    union: NDArray[np.uint64]  # the records that show it


@njit(cache=True, nogil=True)
def item_groups(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    bits: NDArray[np.uint64],
    held: NDArray[np.int64],
    family: NDArray[np.int32],
    asked: Asked,
    tried: int,
    looked: int,
) -> tuple[bool, NDArray[np.int32]]:
    """Whether the promise can be kept; and (items,) the first item of the label of each.

    offsets, items: sets of items numbered from 0, each item in at least one; bits: (items, words) the records that hold each; held:
    (items,) their number.
    """
    count = len(held)
    label_of = np.arange(count).astype(np.int32)
    labels = Labels(label_of, family, bits.copy(), held.copy(), np.ones(count, np.int64))
    again = True
    while again:
        again = False
        for size in range(1, asked.m + 1):
            while True:
                if size == 2:
                    found = broken_pairs(offsets, items, label_of, labels.bits, asked)
                else:
                    found = broken_sets(label_of, labels.bits, asked, size)
                if len(found) == 0:
                    break
                again = len(asked.secrets) > 0
                for place in range(len(found)):
                    if not _mend(labels, asked, found, place, tried, looked):
                        return False, label_of
    return True, label_of


@njit(cache=True, nogil=True)
def _mend(labels: Labels, asked: Asked, found: NDArray[np.int32], place: int, tried: int, looked: int) -> bool:
    """Merge labels so that a combination does not break the promise any more. Whether something could be done."""
    mine = _now(labels, found[place])
    words = labels.bits.shape[1]
    shared = np.empty(words, np.uint64)
    none = Merge(-1, -1, np.empty(words, np.uint64))
    _share(labels, mine, none, shared)
    if not broken(shared, asked):
        return True
    best = np.full((tried, 3), -1, np.int64)  # price, and the two labels
    have, mends = 0, False
    for label in mine:
        for other in range(len(labels.label_of)):
            if other == label or labels.label_of[other] != other or labels.family[other] != labels.family[label]:
                continue
            one, two = min(label, other), max(label, other)
            price = _price(labels, one, two)
            if (
                mends
                and have == tried
                and (price, one, two) > (best[have - 1, 0], best[have - 1, 1], best[have - 1, 2])
            ):
                continue
            _share(labels, mine, _merged(labels, one, two), shared)
            helps = not broken(shared, asked)
            if helps and not mends:
                have, mends = 0, True  # those that only go in that direction are not needed
            if helps == mends:
                have = _insert(best, have, price, one, two, tried if mends else 1)
    if have == 0:
        return False
    chosen, price, also = 0, best[0, 0], 0
    if have > 1:
        for b in range(have):
            merge = _merged(labels, best[b, 1], best[b, 2])
            mended = _mended(labels, asked, found, place, looked, merge)
            if b == 0 or best[b, 0] * also < price * mended:
                chosen, price, also = b, best[b, 0], mended
    _apply(labels, _merged(labels, best[chosen, 1], best[chosen, 2]))
    return True


@njit(cache=True, nogil=True)
def _price(labels: Labels, one: int, two: int) -> int:
    """What a merge costs more."""
    held, width = labels.held, labels.width
    price: int = (held[one] + held[two]) * (width[one] + width[two])
    for label in (one, two):
        if width[label] > 1:
            price -= held[label] * width[label]
    return price


@njit(cache=True, nogil=True)
def _merged(labels: Labels, one: int, two: int) -> Merge:
    return Merge(one, two, labels.bits[one] | labels.bits[two])


@njit(cache=True, nogil=True)
def _apply(labels: Labels, merge: Merge) -> None:
    one, two = merge.one, merge.two
    labels.bits[one] = merge.union
    labels.held[one] += labels.held[two]
    labels.width[one] += labels.width[two]
    for item in range(len(labels.label_of)):
        if labels.label_of[item] == two:
            labels.label_of[item] = one


@njit(cache=True, nogil=True)
def _mended(labels: Labels, asked: Asked, found: NDArray[np.int32], place: int, looked: int, merge: Merge) -> int:
    """How many of the broken combinations from here on a merge mends."""
    shared = np.empty(len(merge.union), np.uint64)
    none = Merge(-1, -1, merge.union)
    mended = 0
    for p in range(place, min(place + looked, len(found))):
        now = _now(labels, found[p])
        touched = False
        for label in now:
            touched |= label in (merge.one, merge.two)
        if not touched:
            continue
        _share(labels, now, none, shared)
        if broken(shared, asked):
            _share(labels, now, merge, shared)
            mended += not broken(shared, asked)
    return mended


@njit(cache=True, nogil=True)
def _share(labels: Labels, combination: NDArray[np.int32], merge: Merge, shared: NDArray[np.uint64]) -> None:
    """The records that show a combination, when two labels show as one."""
    shared[:] = ~np.uint64(0)
    for label in combination:
        if label in (merge.one, merge.two):
            shared &= merge.union
        else:
            shared &= labels.bits[label]


@njit(cache=True, nogil=True)
def _now(labels: Labels, combination: NDArray[np.int32]) -> NDArray[np.int32]:
    """The labels that a combination has become."""
    made = np.empty(len(combination), np.int32)
    for i in range(len(combination)):
        made[i] = labels.label_of[combination[i]]
    return np.unique(made)


@njit(cache=True, nogil=True)
def _insert(best: NDArray[np.int64], have: int, price: int, one: int, two: int, most: int) -> int:
    """Keep the cheapest, in order; returns how many there are."""
    at = have
    while at > 0 and (price, one, two) < (best[at - 1, 0], best[at - 1, 1], best[at - 1, 2]):
        at -= 1
    if at > 0 and best[at - 1, 0] == price and best[at - 1, 1] == one and best[at - 1, 2] == two:
        return have  # from another label of the combination
    if at >= most:
        return have
    have = min(have + 1, most)
    for i in range(have - 1, at, -1):
        best[i] = best[i - 1]
    best[at, 0], best[at, 1], best[at, 2] = price, one, two
    return have
