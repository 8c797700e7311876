"""Keep labels apart until no fragment breaks the promise: FixStructure of the paper, repeated to the end (ERRATA 000-3).

Combinations are counted by size, the small ones first, because a pair that few records hold breaks every larger combination as
well. All that one pass finds is mended before the next: a breach of values alone cannot be mended; of the others each loses the
relation that the fewest records hold, unless one it has is lost already. Every pass adds a pair that was not kept apart before,
and which labels a record holds never changes, so it ends.

Unlike the paper's check, every known label counts, also one that is part of no relation (ERRATA 000-2), and in strict mode labels
on one path are counted as such (ERRATA 000-5).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.tree_fragments import (
    Showing,
    breaches,
    combinations_held,
    fragments,
    path_sets,
    relation_supports,
)
from shoal.recoding.trees import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from shoal.methods.trees.ground import Ground, Pair

MOST = 4_000_000_000  # combinations that one pass counts; more would take an hour and more memory than a machine has
THREADS = 2
_FEW = 4096  # trees that are not worth a second thread


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
        """Without a focus every label is in it."""
        there = np.zeros(ground.labels, np.bool_)
        there[shown_as[shown_as != LEFT_OUT]] = True
        first = [label for label in focus if there[label]]
        there[first] = False
        labels = np.array([*first, *np.flatnonzero(there)], np.int64)
        number = np.full(ground.labels + 1, -1, np.int32)  # the last one stands for what is left out
        number[labels] = np.arange(len(labels), dtype=np.int32)
        pairs = number[np.array(sorted(apart), np.int64).reshape(-1, 2)].astype(np.int64)
        pairs = pairs[(pairs >= 0).all(axis=1)]
        lower = np.zeros(len(labels), np.bool_)
        lower[pairs[:, 1]] = True
        keys = np.sort(pairs[:, 0] * len(labels) + pairs[:, 1])
        return cls(labels, Showing(number[shown_as], keys, lower), len(first) if focus else len(labels))

    @property
    def in_focus(self) -> NDArray[np.int64]:
        return self.labels[: self.focus]

    def members(self, combination: int, size: int) -> list[int]:
        made = []
        for _ in range(size):
            combination, digit = divmod(combination, len(self.labels))
            made.append(int(self.labels[digit]))
        return made[::-1]


def mended(
    ground: Ground,
    shown_as: NDArray[np.int32],
    apart: frozenset[Pair],
    *,
    chosen: NDArray[np.int64] | None = None,
    focus: Sequence[int] = (),
    may_part: bool = True,
) -> frozenset[Pair] | None:
    """All pairs to be kept apart so that combinations with a label in focus keep the promise; None where that is impossible.

    chosen: the trees that hold a label in focus. Without a focus every combination is looked at.
    """
    everywhere = np.arange(len(ground.forest))
    chosen = everywhere if chosen is None else chosen
    promise = ground.promise
    single = ground.supports[Shown.of(ground, shown_as, apart, focus).in_focus]
    if ((single > 0) & (single < promise.k)).any():
        return None
    while True:
        before = apart
        for size in range(2, promise.m + 1):
            while True:
                shown = Shown.of(ground, shown_as, apart, focus)
                keys, counts = _counted(fragments, ground, chosen, shown, size)
                pairs = size * (size - 1) // 2
                found, masks, records = breaches(keys, counts, pairs, _masks(pairs, promise.n), promise.k)
                if not len(found):
                    break
                if not may_part or (masks == 0).any():
                    return None
                broken = [
                    (int(number), relations_of(ground, shown.members(int(one), size), int(mask)))
                    for one, mask, number in zip(found, masks, records, strict=True)
                ]
                apart |= _parted(ground, shown, everywhere, broken)
        for size in range(2, promise.m + 1) if promise.strict else ():
            while True:
                shown = Shown.of(ground, shown_as, apart, focus)
                keys, counts = _counted(path_sets, ground, chosen, shown, size)
                rare = np.flatnonzero(counts < promise.k)
                if not len(rare):
                    break
                if not may_part:
                    return None
                every = (1 << (size * (size - 1) // 2)) - 1
                broken = [
                    (int(counts[i]), relations_of(ground, shown.members(int(keys[i]), size), every)) for i in rare
                ]
                apart |= _parted(ground, shown, everywhere, broken)
        if apart == before:
            return apart


def relations_of(ground: Ground, members: Sequence[int], mask: int) -> list[Pair]:
    """The pairs that the bits of a pattern speak of, the upper label first."""
    places = [(i, j) for j in range(len(members)) for i in range(j)]
    made = []
    for bit, (i, j) in enumerate(places):
        if mask >> bit & 1:
            one, other = members[i], members[j]
            upward = ground.shape.below[ground.class_of[other], ground.class_of[one]]
            made.append((other, one) if upward else (one, other))
    return made


def _parted(
    ground: Ground, shown: Shown, everywhere: NDArray[np.int64], broken: list[tuple[int, list[Pair]]]
) -> set[Pair]:
    """For each breach a pair that is kept apart: of its relations the one that the fewest records hold."""
    made: set[Pair] = set()
    if any(len(relations) > 1 for _, relations in broken):
        table = relation_supports(ground.trees, everywhere, shown.showing)
        number = {int(label): place for place, label in enumerate(shown.labels)}
    for _, relations in sorted(broken):
        if made.isdisjoint(relations):
            made.add(
                relations[0]
                if len(relations) == 1
                else min(relations, key=lambda pair: (int(table[number[pair[0]], number[pair[1]]]), pair))
            )
    return made


def _masks(pairs: int, n: int) -> NDArray[np.int64]:
    """The sets of at most n relations, the small ones first."""
    return np.array([sum(1 << i for i in one) for j in range(n + 1) for one in combinations(range(pairs), j)], np.int64)


def _counted(
    kernel: Callable[..., tuple[NDArray[np.int64], NDArray[np.int64]]],
    ground: Ground,
    chosen: NDArray[np.int64],
    shown: Shown,
    size: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Counts of these trees, in several threads, added up."""
    bits = size * (size - 1) // 2
    if len(shown.labels) ** size >= 1 << (62 - bits) or combinations_held(ground.trees, chosen, size) > MOST:
        raise TooMany
    if len(chosen) < _FEW:
        return kernel(ground.trees, chosen, shown.showing, shown.focus, size)
    with ThreadPoolExecutor(THREADS) as pool:
        parts = list(
            pool.map(
                lambda part: kernel(ground.trees, part, shown.showing, shown.focus, size),
                np.array_split(chosen, THREADS),
            )
        )
    return added(parts)


def added(
    parts: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Counts of several parts of the trees as one: keys ascending."""
    keys = np.concatenate([keys for keys, _ in parts])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], np.concatenate([counts for _, counts in parts])[order]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.zeros(0, np.int64)
    return keys[first], np.add.reduceat(counts, first) if len(first) else counts
