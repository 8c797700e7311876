"""Trees as they are shown now, and what is counted of them: in several threads, each count once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from shoal.kernels.trees.blurring import MOVED, OUT, apart_table
from shoal.kernels.trees.fragments import fragments
from shoal.kernels.trees.path_combinations import path_sets
from shoal.kernels.trees.placing import Showing
from shoal.kernels.trees.small_fragments import fit, small_fragments
from shoal.kernels.trees.supports import combinations_held
from shoal.recoding.trees.rules import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from shoal.methods.trees.ground import Ground, Pair

S = TypeVar("S")
T = TypeVar("T")
Counts = tuple["NDArray[np.int64]", "NDArray[np.int64]"]  # keys, ascending, and how many records hold each

MOST = 4_000_000_000  # combinations that one pass counts; more would take an hour and more memory than a machine has
THREADS = 2
_FEW = 4096  # trees that are not worth a second thread
_FEW_TRIPLES = 1_000  # in a tree; placing its nodes takes as long as counting them


class TooMany(Exception):  # noqa: N818 - an answer to the search, never shown
    """There are more combinations than can be counted, so nothing is known about them."""


@dataclass(frozen=True, eq=False)
class Shown:
    """Labels numbered densely, those in focus first, and what is kept apart, in the form that kernels take."""

    labels: NDArray[np.int64]  # the shown label of each number
    showing: Showing
    focus: int

    @classmethod
    def of(cls, ground: Ground, shown_as: NDArray[np.int32], apart: Iterable[Pair], focus: Sequence[int] = ()) -> Shown:
        """Without a focus every label is in it. Also those that say what a record lacks, where that can be told."""
        shown_as = ground.denials.extended(shown_as)
        total = len(ground.supports)
        there = np.zeros(total, np.bool_)
        there[shown_as[shown_as != LEFT_OUT]] = True
        first = [label for label in focus if there[label]]
        there[first] = False
        labels = np.array([*first, *np.flatnonzero(there)], np.int64)
        number = np.full(total + 1, -1, np.int32)  # the last one stands for what is left out
        number[labels] = np.arange(len(labels), dtype=np.int32)
        pairs = number[np.array(sorted(apart), np.int64).reshape(-1, 2)].astype(np.int64)
        fate = OUT if ground.in_place else MOVED
        table = apart_table(pairs[(pairs >= 0).all(axis=1)], len(labels), fate)
        return cls(labels, Showing(number[shown_as], *table), len(first) if focus else len(labels))

    @property
    def in_focus(self) -> NDArray[np.int64]:
        return self.labels[: self.focus]

    def members(self, combinations: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """(combinations, size): their labels."""
        members = np.empty((len(combinations), size), np.int64)
        for place in reversed(range(size)):
            combinations, digit = np.divmod(combinations, len(self.labels))
            members[:, place] = self.labels[digit]
        return members


@dataclass(frozen=True, eq=False)
class Counting:
    """Of the chosen trees, combinations with a label in focus."""

    ground: Ground
    chosen: NDArray[np.int64]
    shown: Shown
    _made: dict[tuple[int, bool], Counts] = field(default_factory=dict)

    def of(self, size: int, *, on_path: bool) -> Counts:
        """Fragments of a size, or sets of labels on one path."""
        if (size, on_path) not in self._made:
            self._count(size, on_path)
        return self._made[size, on_path]

    def _count(self, size: int, on_path: bool) -> None:
        trees, shown, parts = self.ground.trees, self.shown, parts_of(self.chosen)
        bits = size * (size - 1) // 2
        could_be = len(shown.labels) ** size * trees.value_count
        if could_be >= 1 << (62 - bits) or combinations_held(trees, self.chosen, size) > MOST:
            raise TooMany
        if not on_path and self._with_pairs_and_triples(size):
            counted = each_of(lambda part: small_fragments(trees, part, shown.showing, shown.focus), parts)
            self._made[2, False] = added([(keys, counts) for keys, counts, _, _ in counted])
            self._made[3, False] = added([(keys, counts) for _, _, keys, counts in counted])
            return
        kernel = path_sets if on_path else fragments
        self._made[size, on_path] = added(
            each_of(lambda part: kernel(trees, part, shown.showing, shown.focus, size), parts)
        )

    def _with_pairs_and_triples(self, size: int) -> bool:
        """Whether these are counted at once. Of large trees triples are counted when they are asked for: a pair may be rare."""
        trees, shown = self.ground.trees, self.shown
        if size not in (2, 3) or not fit(len(shown.labels), shown.focus, trees.value_count):
            return False
        few = combinations_held(trees, self.chosen, 3) <= _FEW_TRIPLES * len(self.chosen)
        return size == 3 or (self.ground.promise.m >= 3 and few)


def parts_of(trees: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """One for each thread."""
    return [trees] if len(trees) < _FEW else np.array_split(trees, THREADS)


def each_of(count: Callable[[S], T], parts: Sequence[S]) -> list[T]:
    """What is counted of each part, in as many threads."""
    if len(parts) == 1:
        return [count(parts[0])]
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(count, parts))


def added(parts: Sequence[Counts]) -> Counts:
    """Counts of several parts of the trees as one."""
    if len(parts) == 1:
        return parts[0]
    keys = np.concatenate([keys for keys, _ in parts])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], np.concatenate([counts for _, counts in parts])[order]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)
    return keys[first], np.add.reduceat(counts, first) if len(first) else counts
