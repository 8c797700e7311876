"""All combinations of so many labels that stand together in a tree, with which of their pairs are one above the other.

A combination is one number: its labels in ascending order, then the sensitive value of the record, if a promise speaks of one, then
one bit for each pair of labels. They are made label by label: those whose first label is the same, or in the same stretch of
labels, are counted together and then forgotten, so that all there is of one combination is at hand at once and memory is bounded.
Two stretches are counted at a time, each in a thread of its own.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.trees.tally import PART, Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from shoal.verifier.trees.facts import Facts
    from shoal.verifier.trees.tally import Run

THREADS = 2
BITS = 63  # of a key; the sign is left alone
_BLOCK = 1 << 20  # keys made at once
HELD = 1 << 25  # different keys that are held at once, about: 0.5 GB
_KEPT = 1 << 14  # ways to choose, up to which they are kept for the next time


@dataclass(frozen=True, eq=False)
class Rows:
    """What is counted: trees, with the value of a sensitive column where a promise speaks of one. Equal ones are one row."""

    facts: Facts
    tree: NDArray[np.int64]  # (rows,)
    value: NDArray[np.int64]  # (rows,)
    records: NDArray[np.int64]  # (rows,)
    values: int = 1  # how many values there are

    @classmethod
    def of(cls, facts: Facts, value: NDArray[np.int64] | None = None, values: int = 1) -> Rows:
        """value: (records,) the number of each record's value."""
        if value is None:
            trees = np.arange(len(facts.counts), dtype=np.int64)
            return cls(facts, trees, np.zeros(len(trees), np.int64), facts.counts)
        keys, records = np.unique(facts.tree * values + value, return_counts=True)
        return cls(facts, keys // values, keys % values, records.astype(np.int64), values)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """(rows,) the number of labels."""
        if len(self.facts.stretches()) > 1:
            return np.concatenate([part.sizes for part in self.parts()])
        return np.diff(self.facts.known[0])[self.tree]

    def parts(self) -> Iterator[Rows]:
        """The same rows, a stretch of trees after the other; rows are in the order of their trees."""
        for begun, stop in self.facts.stretches():
            first, last = np.searchsorted(self.tree, (begun, stop)).tolist()
            tree, value, records = (one[first:last] for one in (self.tree, self.value, self.records))
            yield Rows(self.facts.part(begun, stop), tree - begun, value, records, self.values)

    def combinations(self, size: int) -> tuple[int, int]:
        """How many combinations of so many labels are to be counted, and how many records have them, all in all."""
        sizes, number = np.unique(self.sizes, return_counts=True)
        records = np.bincount(self.sizes, self.records) if len(self.sizes) else np.zeros(1)
        ways = [(comb(w, size), n, int(records[w])) for w, n in zip(sizes.tolist(), number.tolist(), strict=True)]
        return sum(way * n for way, n, _ in ways), sum(way * n for way, _, n in ways)


@dataclass(frozen=True)
class Keys:
    """How a combination is written as a number."""

    size: int
    labels: int
    values: int
    paired: bool  # whether pairs are written

    @property
    def label_bits(self) -> int:
        return max(1, (self.labels - 1).bit_length())

    @property
    def value_bits(self) -> int:
        return (self.values - 1).bit_length()

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The places of the two labels of each bit, the lowest bit first."""
        return tuple(combinations(range(self.size), 2)) if self.paired else ()

    @property
    def fits(self) -> bool:
        return self.size * self.label_bits + self.value_bits + len(self.pairs) <= BITS

    def known(self, combination: int) -> tuple[int, ...]:
        """The labels of a combination, of which value and pairs are taken off."""
        mask = (1 << self.label_bits) - 1
        return tuple(combination >> self.label_bits * i & mask for i in reversed(range(self.size)))


def count(rows: Rows, keys: Keys, watch: Callable[[float], None]) -> Iterator[Run]:
    """Runs of all keys; what belongs to one combination of labels stands in one run. watch: told the share that is done.

    Of very many trees a stretch is counted after the other, and added up; all of it once for each range of first labels, if there
    may be more different keys than are held at once.
    """
    parts = len(rows.facts.stretches())
    if parts <= 1:
        yield from _count(rows, keys, watch)
        return
    ranges = _ranges(keys, rows.combinations(keys.size)[0])
    for i, first in enumerate(ranges):
        tally = Tally()
        for j, part in enumerate(rows.parts()):
            for found in _count(part, keys, partial(_told, watch, i * parts + j, len(ranges) * parts), first):
                tally.add(*found)
        yield tally.counts()


def _told(watch: Callable[[float], None], done: int, whole: int, share: float) -> None:
    watch((done + share) / whole)


def _ranges(keys: Keys, number: int) -> list[tuple[int, int]]:
    """First labels, from which to which: so that there are about as many different keys of each range as are held at once."""
    more = 1 << len(keys.pairs)
    could_be = [comb(keys.labels - 1 - label, keys.size - 1) * keys.values * more for label in range(keys.labels)]
    passes = -(-min(number, sum(could_be)) // HELD)
    running = np.cumsum(np.array(could_be, np.float64))
    edges = np.searchsorted(running, np.arange(1, passes) * (float(running[-1]) / max(passes, 1)))
    cuts = [0, *np.unique(edges + 1).tolist(), keys.labels]
    return [(low, high) for low, high in pairwise(cuts) if low < high]


def _count(
    rows: Rows, keys: Keys, watch: Callable[[float], None], first: tuple[int, int] | None = None
) -> Iterator[Run]:
    """first: the first labels that are counted, from which to which; None: all."""
    offsets, labels = rows.facts.known
    sizes = rows.sizes
    row = np.repeat(np.arange(len(rows.tree), dtype=np.int64), sizes)
    ends = np.cumsum(sizes)
    place = np.arange(len(row)) - np.repeat(ends - sizes, sizes) + np.repeat(offsets[rows.tree], sizes)
    order = np.argsort(labels[place], kind="stable")
    if first is not None:
        order = order[slice(*np.searchsorted(labels[place[order]], first).tolist())]
    row, place = row[order], place[order]  # by label: which rows have it, and where
    after = offsets[rows.tree[row] + 1] - place - 1  # how many labels of the row come after
    ways = np.array([comb(r, keys.size - 1) for r in range(int(after.max(initial=0)) + 1)], np.int64)[after]
    chooser = _Chooser(keys.size - 1)
    stretches = list(_stretches(labels[place], ways))
    done, whole = [0] * len(stretches), max(int(ways.sum()), 1)

    def counted(number: int) -> Run:
        tally = Tally()
        start, stop = stretches[number]
        by_length = start + np.argsort(after[start:stop], kind="stable")
        lengths = after[by_length]
        edges = np.flatnonzero(np.diff(lengths, prepend=-1))
        for some in np.split(by_length, edges[1:]):
            length = int(after[some[0]]) if len(some) else 0
            if length < keys.size - 1:
                continue
            single = rows.records[row[some]] == 1  # numbers are added up only where there are any
            for alone, mine in ((True, some[single]), (False, some[~single])):
                for made, of in _made(rows, keys, chooser(length), length, row[mine], place[mine]):
                    tally.add(made.ravel(), None if alone else np.repeat(rows.records[of], made.shape[1]))
                    done[number] += made.size
                    watch(sum(done) / whole)
        return tally.counts()

    if len(stretches) == 1:
        yield counted(0)
        return
    with ThreadPoolExecutor(THREADS) as pool:
        waiting: deque[Future[Run]] = deque()
        for number in range(len(stretches)):
            waiting.append(pool.submit(counted, number))
            if len(waiting) > THREADS:  # no further ahead: runs are large
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _stretches(label: NDArray[np.int64], ways: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Parts of the ascending labels, cut between labels, of about as many keys as are put in order at once."""
    starts = np.flatnonzero(np.diff(label, prepend=-1)).tolist()
    running = np.concatenate((np.zeros(1, np.int64), np.cumsum(ways)))
    begun = 0
    for stop in [*starts[1:], len(label)]:
        following = int(np.searchsorted(label, label[stop], "right")) if stop < len(label) else stop
        if stop == len(label) or running[following] - running[begun] > PART:
            if stop > begun:
                yield begun, stop
            begun = stop


class _Chooser:
    """All ways to choose so many of 1, 2, …, length: (ways, number)."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._kept: dict[int, NDArray[np.int32]] = {}

    def __call__(self, length: int) -> NDArray[np.int32]:
        if length in self._kept:
            return self._kept[length]
        chosen = np.zeros((1, 1), np.int32)
        for _ in range(self._number):
            last = chosen[:, -1]
            further = (length - last).astype(np.int64)
            of = np.repeat(np.arange(len(chosen)), further)
            step = np.arange(len(of)) - np.repeat(np.cumsum(further) - further, further) + 1
            chosen = np.column_stack((chosen[of], (last[of] + step).astype(np.int32)))
        chosen = np.ascontiguousarray(chosen[:, 1:])
        if len(chosen) <= _KEPT:
            self._kept[length] = chosen
        return chosen


def _made(
    rows: Rows,
    keys: Keys,
    chosen: NDArray[np.int32],
    length: int,
    row: NDArray[np.int64],
    place: NDArray[np.int64],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """(rows, keys), and the rows: of those whose first label stands at `place` and has `length` labels after it."""
    _, labels = rows.facts.known
    ways = len(chosen)
    at_once = max(1, _BLOCK // max(ways, length + 1))
    for begun in range(0, len(row), at_once):
        of, first = row[begun : begun + at_once], place[begun : begun + at_once]
        known = labels[first[:, None] + np.arange(length + 1)]  # (rows, 1 + length)
        related, skipped = _bits(rows, keys, of, length)
        for cut in range(0, max(ways, 1), _BLOCK):
            some = chosen[cut : cut + _BLOCK]
            made = np.repeat(known[:, :1], len(some), axis=1)
            for i in range(keys.size - 1):
                made <<= keys.label_bits
                made |= known[:, some[:, i]]
            made <<= keys.value_bits
            made |= rows.value[of][:, None]
            made <<= len(keys.pairs)
            for bit, (x, y) in enumerate(keys.pairs):
                upper = some[:, x - 1].astype(np.int64) if x else np.zeros(len(some), np.int64)
                left = length - upper
                at = left * (left - 1) // 2 + some[:, y - 1] - upper - 1 - skipped
                made |= related[:, at].astype(np.int64) << bit
            yield made, of


def _bits(rows: Rows, keys: Keys, row: NDArray[np.int64], length: int) -> tuple[NDArray[np.uint8], int]:
    """(rows, bits) of the pairs among the last labels, without the first so many of them, which are not needed."""
    if not keys.pairs:
        return np.zeros((len(row), 0), np.uint8), 0
    first, bits = rows.facts.pairs
    # of two labels the first is that with `length` labels after it
    skipped = length * (length - 1) // 2 if keys.size == 2 else 0
    at = first[rows.tree[row]][:, None] + np.arange(skipped, length * (length + 1) // 2)
    return (bits[at >> 3] >> (at & 7).astype(np.uint8)) & 1, skipped
