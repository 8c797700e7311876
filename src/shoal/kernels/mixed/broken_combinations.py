"""Combinations of labels that some record shows together and that break a promise. The rarest first, then in ascending order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.record_bits import broken, number, too_alike
from shoal.kernels.sorting import ordered, sort_stretch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.record_bits import Asked


@kernel
def broken_sets(label_of: NDArray[np.int32], bits: NDArray[np.uint64], asked: Asked, size: int) -> NDArray[np.int32]:
    """(n, size): each ascending. label_of: (items,) the first item of the label of each; bits: (items, words), of labels."""
    alive = np.flatnonzero(label_of == np.arange(len(label_of)))
    words = bits.shape[1]
    made, records = np.empty((64, size), np.int32), np.empty(64, np.int64)
    picks = np.zeros(size, np.int64)
    shared = np.empty((size, words), np.uint64)
    found, depth = 0, 0
    while depth >= 0:
        if picks[depth] > len(alive) - (size - depth):
            depth -= 1
            if depth >= 0:
                picks[depth] += 1
            continue
        some = False
        for w in range(words):
            word = bits[alive[picks[depth]], w]
            if depth:
                word &= shared[depth - 1, w]
            shared[depth, w] = word
            some |= word != np.uint64(0)
        if some and depth < size - 1:
            depth += 1
            picks[depth] = picks[depth - 1] + 1
            continue
        if some and broken(shared[depth], asked):
            if found == len(made):
                made, records = _longer(made), _more(records)
            records[found] = number(shared[depth])
            for d in range(size):
                made[found, d] = alive[picks[d]]
            found += 1
        picks[depth] += 1
    return made[ordered(records[:found])]


@kernel
def broken_pairs(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    copies: NDArray[np.int64],
    label_of: NDArray[np.int32],
    bits: NDArray[np.uint64],
    asked: Asked,
) -> NDArray[np.int32]:
    """The same for pairs, by going through the sets that show a label: most pairs of labels do not occur.

    copies: (sets,) records of each.
    """
    count, words = bits.shape
    starts, shown = _shown(offsets, items, label_of)
    begins, places = _places(starts, shown, count)
    made, records = np.empty((64, 2), np.int32), np.empty(64, np.int64)
    together = np.zeros(count, np.int64)
    others = np.empty(count, np.int32)
    shared = np.empty(words, np.uint64)
    found = 0
    for label in range(count):
        met = 0
        for p in range(begins[label], begins[label + 1]):
            one = places[p]
            for i in range(starts[one], starts[one + 1]):
                other = shown[i]
                if other > label:
                    if together[other] == 0:
                        others[met] = other
                        met += 1
                    together[other] += copies[one]
        sort_stretch(others, 0, met)
        for other in others[:met]:
            number, together[other] = together[other], 0
            bad = number < asked.k
            if not bad and len(asked.secrets) > 0:
                for w in range(words):
                    shared[w] = bits[label, w] & bits[other, w]
                bad = too_alike(shared, number, asked)
            if bad:
                if found == len(made):
                    made, records = _longer(made), _more(records)
                made[found, 0], made[found, 1], records[found] = label, other, number
                found += 1
    return made[ordered(records[:found])]


@kernel
def _shown(
    offsets: NDArray[np.int64], items: NDArray[np.int32], label_of: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The distinct labels of each set."""
    starts, shown = np.zeros(len(offsets), np.int64), np.empty(len(items), np.int32)
    met = np.full(len(label_of), -1, np.int64)
    end = 0
    for one in range(len(offsets) - 1):
        for i in range(offsets[one], offsets[one + 1]):
            label = label_of[items[i]]
            if met[label] != one:
                met[label] = one
                shown[end] = label
                end += 1
        starts[one + 1] = end
    return starts, shown[:end]


@kernel
def _places(
    starts: NDArray[np.int64], shown: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each label, from begins[label] on, the sets that show it."""
    begins = np.zeros(count + 1, np.int64)
    for label in shown:
        begins[label + 1] += 1
    for label in range(count):
        begins[label + 1] += begins[label]
    places, ends = np.empty(len(shown), np.int64), begins[:-1].copy()
    for one in range(len(starts) - 1):
        for i in range(starts[one], starts[one + 1]):
            places[ends[shown[i]]] = one
            ends[shown[i]] += 1
    return begins, places


@kernel
def _longer(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    grown = np.empty((2 * len(rows), rows.shape[1]), np.int32)
    for i in range(len(rows)):
        for j in range(rows.shape[1]):
            grown[i, j] = rows[i, j]
    return grown


@kernel
def _more(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    grown = np.empty(2 * len(numbers), np.int64)
    for i in range(len(numbers)):
        grown[i] = numbers[i]
    return grown
