"""Numbers of records by key, in a table of slots that grows: where a key is, or belongs, is found by its bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

EMPTY = -1  # keys are not negative


@njit(cache=True, nogil=True)
def no_counts() -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Keys by slot, counts by slot, and how many keys there are."""
    return np.full(1 << 12, EMPTY, np.int64), np.zeros(1 << 12, np.int64), 0


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def ascending(keys: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The keys that there are, in ascending order, and their counts."""
    there = np.flatnonzero(keys != EMPTY)
    order = there[np.argsort(keys[there])]
    return keys[order], counts[order]


@njit(cache=True, nogil=True)
def _slot(keys: NDArray[np.int64], key: int) -> int:
    """Where a key is, or belongs."""
    mask = np.uint64(len(keys) - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = (mixed >> np.uint64(29)) & mask
    while keys[slot] != EMPTY and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return int(slot)


@njit(cache=True, nogil=True)
def _larger(keys: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    made_keys, made_counts = np.full(4 * len(keys), EMPTY, np.int64), np.zeros(4 * len(keys), np.int64)
    for i in range(len(keys)):
        if keys[i] != EMPTY:
            slot = _slot(made_keys, keys[i])
            made_keys[slot], made_counts[slot] = keys[i], counts[i]
    return made_keys, made_counts
