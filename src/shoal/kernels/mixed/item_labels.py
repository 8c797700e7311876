"""Labels of the items of one class while they are merged: the records that show each, and what a merge costs.

A label is named after its first item. Labels that there still are form a chain in ascending order, and so do the items of a label:
whoever goes through them meets none that is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.record_bits import number, ones

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Labels(NamedTuple):
    """What is shown now. Entries of items that are not the first of their label are out of date."""

    label_of: NDArray[np.int32]  # (items,)
    family: NDArray[np.int32]  # (items,): labels of different families are never merged
    bits: NDArray[np.uint64]  # (items, words): the records that show it
    records: NDArray[np.int64]  # (items,): their number
    held: NDArray[np.int64]  # (items,): items of all records that the label hides
    width: NDArray[np.int64]  # (items,): items that it stands for
    after: NDArray[np.int32]  # (items,): the next label; as many as there are items when there is none
    before: NDArray[np.int32]  # (items,): the one before; -1 when there is none
    more: NDArray[np.int32]  # (items,): another item of the same label; -1 when there is none
    end: NDArray[np.int32]  # (items,): the last of these


@kernel
def labels_of(bits: NDArray[np.uint64], held: NDArray[np.int64], family: NDArray[np.int32]) -> Labels:
    """Every item as it is."""
    count = len(held)
    every = np.arange(count).astype(np.int32)
    records = np.empty(count, np.int64)
    for item in range(count):
        records[item] = number(bits[item])
    return Labels(
        every,
        family,
        bits.copy(),
        records,
        held.copy(),
        np.ones(count, np.int64),
        every + np.int32(1),
        every - np.int32(1),
        np.full(count, -1, np.int32),
        every.copy(),
    )


@kernel
def merge_price(held: NDArray[np.int64], width: NDArray[np.int64], one: int, two: int) -> int:
    """What a merge costs more. The arrays come one by one: taken out of `Labels` inside a loop, they cost more than the price."""
    price: int = (held[one] + held[two]) * (width[one] + width[two])
    if width[one] > 1:
        price -= held[one] * width[one]
    if width[two] > 1:
        price -= held[two] * width[two]
    return price


@kernel
def merge_labels(labels: Labels, one: int, two: int) -> None:
    """one < two: the lower gives its name."""
    label_of, _, bits, records, held, width, after, before, more, end = labels
    total = 0
    for w in range(bits.shape[1]):
        bits[one, w] |= bits[two, w]
        total += ones(bits[one, w])
    records[one] = total
    held[one] += held[two]
    width[one] += width[two]
    item = two
    while item >= 0:
        label_of[item] = one
        item = more[item]
    more[end[one]] = two
    end[one] = end[two]
    after[before[two]] = after[two]  # there is one before: the lower label of the two at least
    if after[two] < len(after):
        before[after[two]] = before[two]


@kernel
def shown_now(label_of: NDArray[np.int32], combination: NDArray[np.int32], made: NDArray[np.int32]) -> int:
    """The labels that a combination has become, ascending, into the beginning of `made`; returns how many there are."""
    have = 0
    for item in combination:
        label = label_of[item]
        at = have
        while at > 0 and made[at - 1] > label:
            at -= 1
        if at > 0 and made[at - 1] == label:
            continue
        for i in range(have, at, -1):
            made[i] = made[i - 1]
        made[at] = label
        have += 1
    return have


@kernel
def share(bits: NDArray[np.uint64], combination: NDArray[np.int32], shared: NDArray[np.uint64]) -> int:
    """The records that show all of these labels, into `shared`; returns how many there are."""
    records = 0
    for w in range(len(shared)):
        word = ~np.uint64(0)
        for label in combination:
            word &= bits[label, w]
        shared[w] = word
        records += ones(word)
    return records


@kernel
def share_merged(
    bits: NDArray[np.uint64], combination: NDArray[np.int32], one: int, two: int, shared: NDArray[np.uint64]
) -> int:
    """The same when two labels show as one."""
    records = 0
    for w in range(len(shared)):
        both = bits[one, w] | bits[two, w]
        word = ~np.uint64(0)
        for label in combination:
            word &= both if label in (np.int32(one), np.int32(two)) else bits[label, w]
        shared[w] = word
        records += ones(word)
    return records
