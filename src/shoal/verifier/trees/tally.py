"""Counts by key, from many parts: equal keys are added up. Whole numbers only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PART = 1 << 21  # keys that are put in order at once: 16 MB

Run = tuple["NDArray[np.int64]", "NDArray[np.int64]"]  # keys, ascending and distinct, and how many records each has


class Tally:
    """Takes keys, and gives every key once, with the number of its records."""

    def __init__(self) -> None:
        self._single: list[NDArray[np.int64]] = []  # keys of one record each
        self._several: list[Run] = []  # keys with numbers, in any order
        self._waiting = 0
        self._runs: list[Run] = []

    def add(self, keys: NDArray[np.int64], records: NDArray[np.int64] | None = None) -> None:
        """records: of each key; None when each stands for one."""
        if records is None:
            self._single.append(keys)
        else:
            self._several.append((keys, records))
        self._waiting += len(keys)
        if self._waiting >= PART:
            self._put_in_order()

    def counts(self) -> Run:
        self._put_in_order()
        made = summed(self._runs)
        self._runs = []
        return made

    def _put_in_order(self) -> None:
        parts: list[Run] = []
        if self._single:
            keys, numbers = np.unique(np.concatenate(self._single), return_counts=True)
            parts.append((keys, numbers.astype(np.int64)))
        if self._several:
            parts.append(summed(self._several))
        self._single, self._several, self._waiting = [], [], 0
        if not parts:
            return
        self._runs.append(summed(parts))
        # runs of many parts are made one as they grow, so that what is kept is not far above what differs
        if len(self._runs) > 1 and sum(len(keys) for keys, _ in self._runs[1:]) > max(len(self._runs[0][0]), PART):
            self._runs = [summed(self._runs)]


def summed(runs: list[Run]) -> Run:
    """One run of several; their keys may stand in any order."""
    if not runs:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    keys = np.concatenate([keys for keys, _ in runs])
    numbers = np.concatenate([numbers for _, numbers in runs])
    if len(runs) > 1 or not _ascends(keys):
        order = np.argsort(keys, kind="stable")
        keys, numbers = keys[order], numbers[order]
    if not len(keys):
        return keys, numbers
    starts = np.flatnonzero(np.concatenate((np.ones(1, np.bool_), keys[1:] != keys[:-1])))
    return keys[starts], np.add.reduceat(numbers, starts)


def _ascends(keys: NDArray[np.int64]) -> bool:
    return bool((keys[1:] >= keys[:-1]).all())


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each once, ascending. NumPy's own `unique` hashes them, which takes many times as long."""
    ordered = np.sort(values)
    made: NDArray[np.int64] = ordered[np.concatenate((np.ones(min(1, len(ordered)), np.bool_), np.diff(ordered) != 0))]
    return made
