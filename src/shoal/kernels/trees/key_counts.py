"""Numbers of records by key, in a table of slots that grows: where a key is, or belongs, is found by its bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.sorting import ordered

if TYPE_CHECKING:
    from numpy.typing import NDArray

EMPTY = -1  # keys are not negative


@kernel
def no_counts() -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Keys by slot, counts by slot, and how many keys there are."""
    return np.full(1 << 12, EMPTY, np.int64), np.zeros(1 << 12, np.int64), 0


@kernel
def add(
    keys: NDArray[np.int64], counts: NDArray[np.int64], held: int, key: int, records: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """More records of a key. The table is another one when it had to grow."""
    slot = _slot(keys, key)
    if keys[slot] == EMPTY:
        keys[slot] = key
        held += 1
        if held * 2 > len(keys):
            keys, counts = _larger(keys, counts)
            slot = _slot(keys, key)
    counts[slot] += records
    return keys, counts, held


@kernel
def ascending(keys: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The keys that there are, in ascending order, and their counts."""
    number = 0
    for slot in range(len(keys)):
        number += keys[slot] != EMPTY
    made_keys, made_counts = np.empty(number, np.int64), np.empty(number, np.int64)
    at = 0
    for slot in range(len(keys)):
        if keys[slot] != EMPTY:
            made_keys[at], made_counts[at] = keys[slot], counts[slot]
            at += 1
    order = ordered(made_keys)
    return made_keys[order], made_counts[order]


@kernel
def occurring(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same where every key has its place: those that occur, and their counts."""
    number = 0
    for key in range(len(counts)):
        number += counts[key] != 0
    keys, made = np.empty(number, np.int64), np.empty(number, np.int64)
    at = 0
    for key in range(len(counts)):
        if counts[key] != 0:
            keys[at], made[at] = key, counts[key]
            at += 1
    return keys, made


@kernel
def _slot(keys: NDArray[np.int64], key: int) -> int:
    """Where a key is, or belongs."""
    mask = np.uint64(len(keys) - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = (mixed >> np.uint64(29)) & mask
    while keys[slot] != EMPTY and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return int(slot)


@kernel
def _larger(keys: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    made_keys, made_counts = np.full(4 * len(keys), EMPTY, np.int64), np.zeros(4 * len(keys), np.int64)
    for i in range(len(keys)):
        if keys[i] != EMPTY:
            slot = _slot(made_keys, keys[i])
            made_keys[slot], made_counts[slot] = keys[i], counts[i]
    return made_keys, made_counts
