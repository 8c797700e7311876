"""Leave labels out in place until no fragment that is shown breaks the promise: the counterpart of `repair.py` where nothing moves.

Below a, b is left out, in every record. Only labels of classes without children are. (Paper 000 moves nodes instead, which tells by
their place who had the hidden relation: ERRATA 000-11.) As in `repair.py`, combinations are counted by size, and each breach loses
the relation that the fewest records hold.

Two things differ. A record may no longer show b at all, so combinations of values that kept the promise may break it: these are
counted again with b in focus, and b is then hidden in more places, until enough records show it, or none. And where a breach has no
relation that can be hidden, the cut is no solution.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.trees.breaches import breaches
from shoal.kernels.trees.supports import relation_supports
from shoal.methods.trees.counting import Counting, Shown, each_of, parts_of
from shoal.methods.trees.repair import Pass, Repair, relations_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.methods.trees.ground import Ground, Pair


ROUNDS = 2  # of counting and hiding that a step of a search is worth; what needs more has hardly ever lost less


def left_out_in_place(
    ground: Ground,
    shown_as: NDArray[np.int32],
    apart: frozenset[Pair],
    chosen: NDArray[np.int64] | None = None,
    focus: Sequence[int] = (),
) -> Repair | None:
    """All pairs of which the lower label is to be left out below the upper one, so that combinations with a label in focus keep the
    promise; None where that is impossible. Parameters as of `repaired`."""
    promise = ground.promise
    watched, trees = list(focus), np.arange(len(ground.forest)) if chosen is None else chosen
    rounds = 0
    while True:
        now = Counting(ground, trees, Shown.of(ground, shown_as, apart, watched))
        single = ground.supports[now.shown.in_focus]
        if ((single > 0) & (single < promise.k)).any():
            return None
        broken: list[tuple[int, list[int], list[Pair]]] = []
        for one in Pass.of(promise, single=bool(apart) or any(not _whole(ground, shown_as, at) for at in watched)):
            keys, counts = now.of(one.size, on_path=one.on_path)
            found, masks, records, _ = breaches(keys, counts, one.pairs, 1, one.masks, promise.bounds)
            members = now.shown.members(found, one.size).tolist()
            broken = [
                (int(records[i]), members[i], relations_of(ground, members[i], int(masks[i]) | one.always))
                for i in range(len(found))
            ]
            if broken:
                break
        if not broken:
            return Repair(apart, np.zeros((0, promise.m), np.int64))
        rounds += 1
        if focus and rounds > ROUNDS:
            return None
        pairs = hidden(ground, now.shown, apart, broken, as_shown=True)
        if pairs is None:
            return None
        apart |= pairs
        if watched:
            fresh = {lower for _, lower in pairs} - set(watched)
            watched += sorted(fresh)
            trees = np.union1d(trees, np.concatenate([trees[:0], *(ground.holders(label) for label in fresh)]))


def _whole(ground: Ground, shown_as: NDArray[np.int32], label: int) -> bool:
    """Whether a label stands for all it could stand for, so that its records were counted beforehand."""
    return label >= ground.labels or bool((shown_as[ground.span(label)] == label).all())


def hidden(
    ground: Ground,
    shown: Shown,
    apart: frozenset[Pair],
    broken: list[tuple[int, list[int], list[Pair]]],
    *,
    as_shown: bool = False,
) -> frozenset[Pair] | None:
    """For each breach a pair: of its relations the one that the fewest records show; else one more place of a label of it that is
    left out somewhere. None: there is neither. as_shown: all relations of breaches are shown, so none has to be looked up."""
    number = {int(label): place for place, label in enumerate(shown.labels)}
    lowers = {lower for _, lower in apart}
    pairs: set[Pair] = set()

    @cache
    def table() -> NDArray[np.int64]:
        parts = parts_of(np.arange(len(ground.forest)))
        counts: NDArray[np.int64] = np.sum(
            each_of(lambda part: relation_supports(ground.trees, part, shown.showing), parts), axis=0
        )
        return counts

    def held(pair: Pair) -> int:
        return int(table()[number[pair[0]], number[pair[1]]])

    for _, members, relations in sorted(broken):
        options = [pair for pair in relations if ground.hideable[pair[1]] and (as_shown or held(pair))]
        if not options:
            options = [
                (int(shown.labels[upper]), label)
                for label in members
                if label in lowers
                for upper in np.flatnonzero(table()[:, number[label]])
            ]
        if not options:
            return None
        if pairs.isdisjoint(options):
            pairs.add(options[0] if len(options) == 1 else min(options, key=lambda pair: (held(pair), pair)))
    return frozenset(pairs)
