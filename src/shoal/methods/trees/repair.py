"""Keep labels apart until no fragment breaks the promise: FixStructure of the paper, repeated to the end (ERRATA 000-3).

Combinations are counted by size, the small ones first, because a pair that few records hold breaks every larger combination as
well. All that one pass finds is mended before the next: a breach of values alone cannot be mended; of the others each loses the
relation that the fewest records hold, unless one it has is lost already. Every pass adds a pair that was not kept apart before,
and which labels a record holds never changes, so it ends.

Unlike the paper's check, every known label counts, also one that is part of no relation (ERRATA 000-2), and in strict mode labels
on one path are counted as such (ERRATA 000-5).

Records that are enough, but not diverse, are treated like too few (ERRATA 000-9), with one difference. A combination that too few
records hold, or with too few different values, is held by no more and with no more of them in any finer cut. One of whose values a
single one is too frequent is called *skewed* here: a finer cut may still keep the promise.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.trees.breaches import breaches
from shoal.kernels.trees.supports import relation_supports
from shoal.methods.trees.counting import Counting, Shown, each_of, parts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.methods.trees.ground import Ground, Pair, Promise


@dataclass(frozen=True, eq=False)
class Repair:
    """Relations that are not shown, and combinations that break the promise all the same."""

    apart: frozenset[Pair]
    skewed: NDArray[np.int64]  # (combinations, m): their labels, -1 where there are fewer


@dataclass(frozen=True, eq=False)
class Pass:
    """Combinations of one size that are counted at once."""

    size: int
    masks: NDArray[np.int64]  # the relations that may be known
    pairs: int  # by so many bits a key says which relations hold
    on_path: bool = False  # whether all labels stand on one path: then all relations hold, and none is in the key

    @classmethod
    def of(cls, promise: Promise, *, single: bool) -> list[Pass]:
        """single: whether labels are counted by themselves too."""
        together = [
            cls(size, _masks(size * (size - 1) // 2, promise.n), size * (size - 1) // 2)
            for size in range(1 if single else 2, promise.m + 1)
        ]
        if not promise.strict:
            return together
        # two labels on one path are a relation, which is counted already if one may be known
        smallest = 3 if promise.n else 2
        return [*together, *(cls(size, _masks(0, 0), 0, on_path=True) for size in range(smallest, promise.m + 1))]

    @property
    def always(self) -> int:
        """The relations that always hold, as bits."""
        return (1 << (self.size * (self.size - 1) // 2)) - 1 if self.on_path else 0


def mended(ground: Ground, shown_as: NDArray[np.int32], apart: frozenset[Pair]) -> frozenset[Pair] | None:
    """All pairs to be kept apart so that the promise is kept; None where that is impossible."""
    repair = repaired(ground, shown_as, apart)
    return None if repair is None or len(repair.skewed) else repair.apart


def repaired(
    ground: Ground,
    shown_as: NDArray[np.int32],
    apart: frozenset[Pair],
    *,
    chosen: NDArray[np.int64] | None = None,
    focus: Sequence[int] = (),
    may_part: bool = True,
) -> Repair | None:
    """All pairs to be kept apart so that combinations with a label in focus keep the promise, and what is skewed nevertheless. None
    where that is impossible, in every finer cut as well.

    chosen: the trees that hold a label in focus. Without a focus every combination is looked at.
    """
    chosen = np.arange(len(ground.forest)) if chosen is None else chosen
    promise = ground.promise
    now = Counting(ground, chosen, Shown.of(ground, shown_as, apart, focus))
    labels = now.shown.in_focus
    single = ground.supports[labels]
    if ((single > 0) & (single < promise.k)).any():
        return None
    # that was of all a label could stand for; one that others have stepped out of stands for less
    whole = all((shown_as[ground.span(int(label))] == label).all() for label in labels if label < ground.labels)
    skewed: dict[Pass | None, NDArray[np.int64]] = {}
    skewed[None] = ground.denials.together(shown_as, labels.tolist(), promise.m).reshape(-1, 1)
    passes = Pass.of(promise, single=not whole or promise.bounds.different > 0)
    while True:
        before = apart
        for one in passes:
            while True:
                keys, counts = now.of(one.size, on_path=one.on_path)
                found, masks, records, hopeless = breaches(
                    keys, counts, one.pairs, ground.trees.value_count, one.masks, promise.bounds
                )
                lost = (masks | one.always == 0) | (not may_part)
                if (lost & hopeless).any():
                    return None
                members = now.shown.members(found, one.size)
                skewed[one] = members[lost]
                if lost.all():
                    break
                broken = [
                    (int(records[i]), relations_of(ground, members[i].tolist(), int(masks[i]) | one.always))
                    for i in np.flatnonzero(~lost)
                ]
                apart |= parted(ground, now.shown, broken)
                now = Counting(ground, chosen, Shown.of(ground, shown_as, apart, focus))
        if apart == before:
            return Repair(apart, _joined(list(skewed.values()), promise.m))


def _joined(parts: list[NDArray[np.int64]], width: int) -> NDArray[np.int64]:
    rows = np.full((sum(map(len, parts)), width), -1, np.int64)
    at = 0
    for part in parts:
        rows[at : at + len(part), : part.shape[1]] = part
        at += len(part)
    return rows


def relations_of(ground: Ground, members: Sequence[int], mask: int) -> list[Pair]:
    """The pairs that the bits of a pattern speak of, the upper label first."""
    places = [(i, j) for j in range(len(members)) for i in range(j)]
    relations = []
    for bit, (i, j) in enumerate(places):
        if mask >> bit & 1:
            one, other = members[i], members[j]
            upward = ground.shape.below[ground.class_of[other], ground.class_of[one]]
            relations.append((other, one) if upward else (one, other))
    return relations


def parted(ground: Ground, shown: Shown, broken: list[tuple[int, list[Pair]]]) -> set[Pair]:
    """For each breach a pair that is kept apart: of its relations the one that the fewest records hold."""
    pairs: set[Pair] = set()
    if any(len(relations) > 1 for _, relations in broken):
        parts = each_of(
            lambda part: relation_supports(ground.trees, part, shown.showing), parts_of(np.arange(len(ground.forest)))
        )
        table = np.sum(parts, axis=0)
        number = {int(label): place for place, label in enumerate(shown.labels)}
    for _, relations in sorted(broken):
        if pairs.isdisjoint(relations):
            pairs.add(
                relations[0]
                if len(relations) == 1
                else min(relations, key=lambda pair: (int(table[number[pair[0]], number[pair[1]]]), pair))
            )
    return pairs


def _masks(pairs: int, n: int) -> NDArray[np.int64]:
    """The sets of at most n relations, the small ones first."""
    return np.array([sum(1 << i for i in one) for j in range(n + 1) for one in combinations(range(pairs), j)], np.int64)
