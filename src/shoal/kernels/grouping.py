"""Group packed tuples: the inner loop of every lattice search.

A tuple of codes is packed into bit fields of one or more 64-bit words (a field never straddles two words), so a table with
24 columns of 25,000 values each is grouped by the same code as one with eight small columns. Grouping is a hash table with
open addressing that compares whole keys: no two different tuples are ever merged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD_BITS = 64


@dataclass(frozen=True, eq=False)
class Layout:
    """Where each column's field lies inside a packed key."""

    words: NDArray[np.int64]  # (columns,) index of the word
    shifts: NDArray[np.uint64]  # (columns,)
    masks: NDArray[np.uint64]  # (columns,) not shifted
    width: int  # words per key

    @classmethod
    def for_domains(cls, sizes: list[int]) -> Layout:
        """A field for each column that can hold the codes 0 … size-1."""
        words, shifts, masks = [], [], []
        word = used = 0
        for size in sizes:
            bits = max(1, (size - 1).bit_length())
            if used + bits > WORD_BITS:
                word, used = word + 1, 0
            words.append(word)
            shifts.append(used)
            masks.append((1 << bits) - 1)
            used += bits
        return cls(np.array(words, np.int64), np.array(shifts, np.uint64), np.array(masks, np.uint64), word + 1)

    def pack(self, codes: NDArray[np.int32]) -> NDArray[np.uint64]:
        """codes: (tuples, columns) → keys: (tuples, words)"""
        keys = np.zeros((len(codes), self.width), np.uint64)
        for column, (word, shift) in enumerate(zip(self.words, self.shifts, strict=True)):
            keys[:, word] |= codes[:, column].astype(np.uint64) << shift
        return keys

    def unpack(self, keys: NDArray[np.uint64], column: int) -> NDArray[np.int64]:
        """The codes of one column: (keys,)"""
        field: NDArray[np.uint64] = (keys[:, self.words[column]] >> self.shifts[column]) & self.masks[column]
        return field.astype(np.int64)


Move = tuple["NDArray[np.int64]", "NDArray[np.uint64]", "NDArray[np.uint64]", "NDArray[np.int64]", "NDArray[np.uint64]"]
"""Columns to replace: their words, shifts and masks, where each one's map starts, and all maps one after the other."""

_NONE = np.empty(0, np.uint64)
STAY: Move = (np.empty(0, np.int64), _NONE, _NONE, np.empty(0, np.int64), _NONE)


class Grouper:
    """Groups keys, and keeps its working memory from call to call: fresh pages cost more than the grouping itself."""

    def __init__(self, width: int) -> None:
        self._slots = np.empty(0, np.int32)
        self._keys = np.empty((0, width), np.uint64)
        self._counts = np.empty(0, np.int64)

    def __call__(
        self, keys: NDArray[np.uint64], counts: NDArray[np.int64], move: Move = STAY, *, members: bool = True
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]:
        """Replace the fields of `move` and add up the counts of keys that became equal. keys: (n, words); counts: (n,)

        Returns the new keys (m, words) and their counts (m,), in order of first appearance; and, if `members`, for every
        old key the number of its new one (n,).
        """
        n = len(keys)
        size = 1 << max(4, (2 * n - 1).bit_length())
        if len(self._slots) < size:
            self._slots = np.empty(size, np.int32)
        if len(self._counts) < n:
            self._keys = np.empty((n, keys.shape[1]), np.uint64)
            self._counts = np.empty(n, np.int64)
        slots = self._slots[:size]
        slots.fill(-1)
        group_of = np.empty(n if members else 0, np.int32)
        found = regroup(keys, counts, *move, slots, self._keys, self._counts, group_of)
        return self._keys[:found].copy(), self._counts[:found].copy(), group_of


@kernel
def regroup(
    keys: NDArray[np.uint64],
    counts: NDArray[np.int64],
    words: NDArray[np.int64],
    shifts: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    starts: NDArray[np.int64],
    maps: NDArray[np.uint64],
    slots: NDArray[np.int32],
    new_keys: NDArray[np.uint64],
    new_counts: NDArray[np.int64],
    group_of: NDArray[np.int32],
) -> int:
    """Fill new_keys, new_counts and (unless it is empty) group_of; returns the number of groups.

    maps[starts[j] + old code] = new code of moved column j. slots: -1 throughout, a power of two of them, more than the keys.
    """
    n, width = keys.shape
    moved = len(words)
    size = len(slots)
    members = len(group_of) > 0
    key = np.empty(width, np.uint64)
    found = 0
    for i in range(n):
        for w in range(width):
            key[w] = keys[i, w]
        for j in range(moved):
            word = key[words[j]]
            code = (word >> shifts[j]) & masks[j]
            new = maps[starts[j] + np.int64(code)]
            key[words[j]] = (word & ~(masks[j] << shifts[j])) | (new << shifts[j])
        mixed = np.uint64(0)
        for w in range(width):  # splitmix64's finalizer, word by word
            mixed ^= key[w]
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mixed ^= mixed >> np.uint64(31)
        slot = np.int64(mixed & np.uint64(size - 1))
        while True:
            group = slots[slot]
            if group < 0:
                group = slots[slot] = found
                for w in range(width):
                    new_keys[found, w] = key[w]
                new_counts[found] = counts[i]
                found += 1
                break
            same = True
            for w in range(width):
                if new_keys[group, w] != key[w]:
                    same = False
                    break
            if same:
                new_counts[group] += counts[i]
                break
            slot = (slot + 1) & (size - 1)
        if members:
            group_of[i] = group
    return found


def group_sum(
    keys: NDArray[np.uint64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]:
    """Add up the counts of equal keys. keys: (n, words)"""
    return Grouper(keys.shape[1])(keys, counts)
