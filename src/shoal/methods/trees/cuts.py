"""A cut, and what opening one label of it costs: the step of every search over cuts.

When a label is opened, only combinations with one of its children are new; all others were counted when the cut itself was made.
What was kept apart stays apart, with the children in place of the opened label: a fragment that few records hold is not held by
more of them when it is told in more detail.

If the combinations of values break the promise after an opening, they do so in every cut that is finer still (ERRATA 000-8), so the
opening is never tried below. Where only a sensitive value is too frequent among the records that fit, that is not so (ERRATA
000-9): such a cut is no solution, and is opened further. A combination of it is skewed until one of its labels is opened.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.trees.lost_relations import lost_relations, relations_in
from shoal.methods.trees.counting import Shown, TooMany
from shoal.methods.trees.in_place import left_out_in_place
from shoal.methods.trees.repair import repaired
from shoal.recoding.trees.rules import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.kernels.trees.lost_relations import Relations
    from shoal.methods.trees.ground import Ground, Pair
    from shoal.methods.trees.repair import Repair

SAMPLE = 20_000  # trees by which the search judges lost relations; what is reported is counted over all


@dataclass(frozen=True, eq=False)
class Cut:
    """What every original label is shown as, and what breaks the promise there."""

    shown_as: NDArray[np.int32]  # (original labels,): the shown label, or LEFT_OUT
    opened: frozenset[int]
    apart: frozenset[Pair]
    values: float  # the loss of values, between 0 and 1
    relations: float  # the share of relations lost, in the sample, and what values lose in place
    # (combinations, m): the labels of those that break the promise, -1 where there are fewer
    skewed: NDArray[np.int64]

    @property
    def is_solution(self) -> bool:
        return not len(self.skewed)

    @property
    def loss(self) -> float:
        return (self.values + self.relations) / 2


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps from cut to cut over one ground."""

    ground: Ground
    may_part: bool = True  # whether labels may be kept apart; else a cut that needs it is no solution
    parted: set[Pair] = field(
        default_factory=set
    )  # all that a step kept apart; without any, none would have failed for it

    @cached_property
    def sample(self) -> NDArray[np.int64]:
        trees = len(self.ground.forest)
        return np.arange(0, trees, max(1, -(-trees // SAMPLE)), dtype=np.int64)

    def top(self) -> Cut:
        """Everything left out: valid whenever there are k records, and all together are diverse (ERRATA 000-4)."""
        shown_as = np.full(self.ground.values, LEFT_OUT, np.int32)
        values = float((self.ground.gains[self.ground.labels :] > 0).any())  # 0 where no record has a node
        nothing = np.zeros((0, self.ground.promise.m), np.int64)
        return Cut(shown_as, frozenset(), frozenset(), values, self.lost(shown_as, frozenset()), nothing)

    def openings(self, cut: Cut) -> list[int]:
        """What may be opened next: labels that are shown, and classes that are left out; nothing that no record holds."""
        ground = self.ground
        labels = set(cut.shown_as.tolist()) - {LEFT_OUT}
        tops = {ground.labels + number for number in range(len(ground.shape.names))} - cut.opened
        return sorted(one for one in labels | tops if ground.children[one] and ground.gains[one] > 0)

    def opened(self, cut: Cut, opening: int) -> NDArray[np.int32]:
        shown_as = cut.shown_as.copy()
        for child in self.ground.children[opening]:
            shown_as[self.ground.span(child)] = child
        return shown_as

    def step(self, cut: Cut, opening: int) -> Cut | None:
        """The cut with this label opened, or None where its values break the promise, or too much would have to be counted."""
        ground = self.ground
        shown_as = self.opened(cut, opening)
        children = ground.children[opening]
        apart = frozenset(
            (upper, lower)
            for pair in cut.apart
            for upper in (children if pair[0] == opening else pair[:1])
            for lower in (children if pair[1] == opening else pair[1:])
        )
        denied = sorted(ground.denials.shown(shown_as) - ground.denials.shown(cut.shown_as))
        try:
            repair = self.repaired(shown_as, apart, ground.holders(opening, denied), (*children, *denied))
        except TooMany:
            return None
        if repair is None:
            return None
        values = cut.values - float(ground.gains[opening])
        still = cut.skewed[~(cut.skewed == opening).any(axis=1)]
        skewed = np.concatenate([still, repair.skewed])
        lost = self.lost(shown_as, repair.apart)
        return Cut(shown_as, cut.opened | {opening}, repair.apart, values, lost, skewed)

    def repaired(
        self,
        shown_as: NDArray[np.int32],
        apart: frozenset[Pair],
        chosen: NDArray[np.int64] | None = None,
        focus: Sequence[int] = (),
    ) -> Repair | None:
        """What is kept apart then, by moving it or in place."""
        if self.ground.in_place:
            return left_out_in_place(self.ground, shown_as, apart, chosen, focus)
        repair = repaired(self.ground, shown_as, apart, chosen=chosen, focus=focus, may_part=self.may_part)
        if repair is not None:
            self.parted.update(repair.apart)
        return repair

    def at_best(self, cut: Cut, opening: int) -> float:
        """No less than this is lost after an opening. Relations come back only where a class was left out."""
        values = cut.values - float(self.ground.gains[opening])
        return (values + max(cut.relations - self._back(opening), 0.0)) / 2

    def in_reach(self, cut: Cut, failed: frozenset[int], costs: Mapping[int, float]) -> float:
        """No finer cut loses less than this, if openings that failed fail below too, and the others cost there what they cost."""
        return cut.loss - sum(max(self.gain(one, costs), 0.0) for one in self.openings(cut) if one not in failed)

    def gain(self, opening: int, costs: Mapping[int, float]) -> float:
        """No more than this is gained by an opening and all that could be opened below it; less than 0 where it costs more."""
        return (float(self.ground.all_gains[opening]) + self._back(opening)) / 2 - costs.get(opening, 0.0)

    def _back(self, opening: int) -> float:
        """The share of relations that may come back: a class was left out."""
        return float(self.comes_back[opening - self.ground.labels]) if opening >= self.ground.labels else 0.0

    @cached_property
    def comes_back(self) -> NDArray[np.float64]:
        """(classes,): the share of relations that a class is part of; no more come back when it is shown."""
        ground = self.ground
        classes = range(len(ground.shape.names))
        roots = [ground.children[ground.labels + number][0] for number in classes]
        gains = np.zeros(len(roots))
        for number in classes:
            hidden = np.full(ground.values, LEFT_OUT, np.int32)
            for other in classes:
                if other != number:
                    hidden[ground.span(roots[other])] = roots[other]
            gains[number] = self.lost(hidden, frozenset())
        return gains

    def values(self, shown_as: NDArray[np.int32]) -> float:
        """The loss of values of a cut that no opening led to."""
        return float((self.ground.weights * np.where(shown_as < 0, 1.0, self.ground.levels[shown_as])).sum())

    @cached_property
    def relations(self) -> Relations:
        """Of the sample."""
        return relations_in(self.ground.trees, self.sample)

    def lost(self, shown_as: NDArray[np.int32], apart: frozenset[Pair]) -> float:
        """The share of relations that are lost, in the sample, and what values lose more that are left out in place."""
        shown = Shown.of(self.ground, shown_as, apart)
        levels = np.append(self.ground.levels, np.ones(len(self.ground.supports) - self.ground.labels))
        relations, values = lost_relations(
            self.ground.trees, self.sample, self.relations, shown.showing, levels[shown.labels]
        )
        return float(relations + values)
