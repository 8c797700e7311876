"""Which sets of numbers are equal, of more of them than are held at once.

Sets are put in order by a hash, and each is compared with the one before it that has the same: what is answered never rests on the
hash. Very many sets are put aside by their hash, and looked at one bucket after the other; equal sets are in one bucket.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError
from shoal.verifier.files.aside import Aside

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MEMBERS = 1 << 22  # of sets that are told apart at once, about
_SETS = 1 << 18  # that are put into numbers, or compared, at once
_BUCKETS = 256  # at most: each has a file


class Sets:
    """Takes sets, a stretch of them after the other, and numbers them."""

    def __init__(self, about: int, folder: Path | None = None) -> None:
        """about: how many members there will be. folder: private, for what is put aside."""
        number = min(max(-(-about // MEMBERS), 1), _BUCKETS)
        self._buckets = [(Aside(folder), _Listed(), _Listed()) for _ in range(number)]  # members, sizes, names
        self._named = 0
        self._stretches: list[NDArray[np.int64]] = []  # of each set the name under which it was put aside

    def add(self, edges: NDArray[np.int64], members: NDArray[np.int32]) -> None:
        """Set i is members[edges[i]:edges[i + 1]], ascending; edges begin with 0."""
        here = same_sets(edges, members)
        shown = shown_first(here)  # of equal ones one is enough, or all could be in one bucket
        self._stretches.append(here + self._named)
        bucket = (hashes_of(edges, members)[shown] >> np.uint64(17)) % np.uint64(len(self._buckets))
        sizes = np.diff(edges)
        for number, (aside, listed, names) in enumerate(self._buckets):
            mine = np.flatnonzero(bucket == number)
            some = shown[mine]
            aside.add(members[places(edges[some], sizes[some])].astype(np.int32))
            listed.add(sizes[some])
            names.add(mine + self._named)
        self._named += len(shown)

    @property
    def stretches(self) -> int:
        """How many were added."""
        return len(self._stretches)

    def numbers(self) -> list[NDArray[np.int64]]:
        """By stretch, of each set: equal sets have equal numbers, 0, 1, … as they first come."""
        first = np.full(self._named, -1, np.int64)  # of each name the first under which the same set was put aside
        for aside, listed, names in self._buckets:
            sizes, mine = listed.all(), names.all()
            number = same_sets(np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes))), aside[:])
            first[mine] = mine[shown_first(number)[number]] if len(mine) else mine
            aside.close()
        if (first < 0).any():
            raise InternalError("A set that was put aside is in no bucket. Nothing is verified.")
        rank = np.cumsum(first == np.arange(len(first))) - 1
        return [rank[first[names]] for names in self._stretches]


class _Listed:
    def __init__(self) -> None:
        self._parts: list[NDArray[np.int64]] = []

    def add(self, numbers: NDArray[np.int64]) -> None:
        self._parts.append(numbers)

    def all(self) -> NDArray[np.int64]:
        return np.concatenate([np.zeros(0, np.int64), *self._parts])


def shown_first(number: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of each number where it first stands; numbers are 0, 1, … as they come."""
    before = np.maximum.accumulate(np.concatenate((np.full(1, -1, np.int64), number)))[:-1]
    return np.flatnonzero(number > before)


def places(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """start, start + 1, …, so many from each start."""
    made: NDArray[np.int64] = np.arange(int(sizes.sum())) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    return made


def hashes_of(edges: NDArray[np.int64], members: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.uint64]:
    """(sets,): equal sets have equal ones, and others rarely the same."""
    made = np.empty(len(edges) - 1, np.uint64)
    for begun in range(0, len(made), _SETS):
        some = edges[begun : begun + _SETS + 1]
        running = np.cumsum(_mixed(members[some[0] : some[-1]]), dtype=np.uint64)
        running = np.concatenate((np.zeros(1, np.uint64), running))
        made[begun : begun + _SETS] = running[some[1:] - some[0]] - running[some[:-1] - some[0]]
    return made


def same_sets(edges: NDArray[np.int64], members: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.int64]:
    """(sets,): equal sets have equal numbers, 0, 1, … as they first come. Set i is members[edges[i]:edges[i + 1]], ascending.

    Where two that have the same hash differ, all are told apart by their bytes, which takes more memory.
    """
    hashes = hashes_of(edges, members)
    order = np.argsort(hashes, kind="stable")
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = hashes[order[1:]] != hashes[order[:-1]]
    again = np.flatnonzero(~fresh)
    for begun in range(0, len(again), _SETS):
        at = again[begun : begun + _SETS]
        if not _all_equal(edges, members, order[at - 1], order[at]):
            return _by_bytes(edges, members)
    group = np.cumsum(fresh) - 1
    first = order[fresh]  # of each group; the sort is stable
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    made = np.empty(len(order), np.int64)
    made[order] = number[group]
    return made


def _mixed(numbers: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.uint64]:
    """Numbers that look drawn by chance, so that sums of different ones differ (the end of splitmix64)."""
    mixed = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _all_equal(
    edges: NDArray[np.int64],
    members: NDArray[np.int32] | NDArray[np.int64],
    one: NDArray[np.int64],
    two: NDArray[np.int64],
) -> bool:
    """Whether each of the first sets is the same as the second one beside it."""
    sizes = edges[one + 1] - edges[one]
    if not np.array_equal(sizes, edges[two + 1] - edges[two]):
        return False
    step = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.array_equal(members[np.repeat(edges[one], sizes) + step], members[np.repeat(edges[two], sizes) + step])


def _by_bytes(edges: NDArray[np.int64], members: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.int64]:
    raw = np.ascontiguousarray(members, np.int64).tobytes()
    numbers: dict[bytes, int] = {}
    made = [numbers.setdefault(raw[start:stop], len(numbers)) for start, stop in pairwise((edges * 8).tolist())]
    return np.array(made, np.int64)
