"""Item sets in the order of their Gray codes, from sorted lists: no bitmap is ever made.

Item i of a set is bit i of a bitmap, left to right, and the bitmap is read as a Gray code. At the first bit in which two codes
differ, the one with the 1 is the later when an even number of 1s stands before it, and the earlier otherwise. In sorted lists
that bit is the smaller item at the first place where they differ, and as many 1s stand before it as there are places before. So
lists are compared place by place: at even places the larger item comes first and the end of a list before any item, at odd
places the smaller item comes first and the end of a list after all.

Several places fit into one word of 64 bits. All sets are sorted by their first word, and then only those whose words were equal
by the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD = 64


def gray_order(offsets: NDArray[np.int64], items: NDArray[np.int32], universe: int) -> NDArray[np.int64]:
    """(sets,): the sets in their order; equal sets in the order of their numbers.

    offsets: (sets + 1,); items: ascending and distinct inside each set, all below `universe`.
    """
    lengths = np.diff(offsets)
    width = places_per_word(universe)
    order = np.arange(len(lengths))
    # where[i]: the place in `order` of the i-th set that is not yet told apart; tied: equal for sets that were equal so far
    where, tied = order.copy(), np.zeros(len(order), np.int64)
    for word in range(max(1, -(-int(lengths.max(initial=0)) // width))):
        sets = order[where]
        keys = gray_words(offsets, items, sets, word * width, universe)
        by = np.argsort(keys, kind="stable") if word == 0 else np.lexsort((keys, tied))
        order[where], keys, tied = sets[by], keys[by], tied[by]
        new = np.ones(len(keys) + 1, bool)
        new[1:-1] = (keys[1:] != keys[:-1]) | (tied[1:] != tied[:-1])
        # a set that ends before the last place so far is equal to those it is tied with; one that ends with it may be shorter
        more = ~(new[1:] & new[:-1]) & (lengths[order[where]] >= (word + 1) * width)
        where, tied = where[more], np.cumsum(new[:-1])[more]
        if not len(where):
            break
    return order


def places_per_word(universe: int) -> int:
    return _WORD // max(1, universe.bit_length())


@kernel
def gray_words(
    offsets: NDArray[np.int64], items: NDArray[np.int32], sets: NDArray[np.int64], first: int, universe: int
) -> NDArray[np.uint64]:
    """(sets,): as many places as fit into a word, from place `first` on, so that words compare as the lists do there."""
    bits = 0
    while universe >> bits:
        bits += 1
    bits = max(bits, 1)
    width = 64 // bits
    words = np.empty(len(sets), np.uint64)
    for i in range(len(sets)):
        start, end = offsets[sets[i]], offsets[sets[i] + 1]
        word = np.uint64(0)
        for place in range(first, first + width):
            at = start + place
            if place % 2 == 0:
                value = universe - items[at] if at < end else 0
            else:
                value = items[at] if at < end else universe
            word = (word << np.uint64(bits)) | np.uint64(value)
        words[i] = word
    return words
