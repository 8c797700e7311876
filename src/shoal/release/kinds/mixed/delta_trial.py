"""One table on which `rum-bound` or `tum-bound` is tried with one delta after the other, each as far as a verdict.

A release is made along the one path (`make`), and let go. Its draft lies where that of a release would, so that nothing of it
stays when the process is killed: the next run there clears it away. What was handed over as a data frame is never written.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import Infeasible, InternalError, NotAnonymous, RecipeError
from shoal.io.location import beside, name_of
from shoal.loss import MIXED_LOSSES
from shoal.loss.loss import normalized_weights
from shoal.loss.mixed.release import ItemsNCP, ItemsUL, MixedRelease, TableNCP
from shoal.methods.method import Progress
from shoal.methods.registry import method_from
from shoal.recoding.mixed.clusters import MixedRecoding
from shoal.release.kinds.mixed.deltas import between, text_of
from shoal.release.make import failures, make_apart
from shoal.report.mixed.frontier import DeltaPoint

if TYPE_CHECKING:
    from shoal.io.location import Location
    from shoal.methods.method import Decision, Listener
    from shoal.release.task import Task

_HALVES = 2
BOUNDED = {"rum-bound": "values", "tum-bound": "items"}  # method → the side that delta is the most of


@dataclass(frozen=True, eq=False)
class ExactPoint:
    """One delta, exactly."""

    point: DeltaPoint
    table_loss: Fraction = Fraction(0)
    item_loss: Fraction = Fraction(0)

    def beats(self, other: ExactPoint) -> bool:
        """Loses no more on either side, and less on one."""
        mine, its = (self.table_loss, self.item_loss), (other.table_loss, other.item_loss)
        return mine != its and mine[0] <= its[0] and mine[1] <= its[1]


def ranked(exact: list[ExactPoint]) -> list[DeltaPoint]:
    """The points, with what is said of each against the others."""
    points = []
    passed = [one for one in exact if one.point.outcome == "pass"]
    for one in exact:
        if one.point.outcome == "pass":
            same = next(o for o in passed if (o.table_loss, o.item_loss) == (one.table_loss, one.item_loss))
            first = None if same is one else same.point.delta
            points.append(replace(one.point, dominated=any(o.beats(one) for o in passed), same_as=first))
        else:
            points.append(one.point)
    return points


class Trial:
    """One table on which a method is tried with one delta after the other. The data are read once for all decisions."""

    def __init__(self, task: Task, place: Location | None, listener: Listener) -> None:
        """place: of the release; without one, drafts are frames."""
        self._task, self._plan, self._listener = task, task.plan, listener
        self._place = None if place is None else _beside(place)
        problem = task.problem
        self._weights = normalized_weights([n for n in problem.hierarchies if n not in problem.sets], problem.weights)
        first = task.plan.recipe.loss.name
        both = [ItemsNCP.name, ItemsUL.name]
        self.losses = tuple(sorted(both, key=lambda name: name != first))  # that of the recipe first
        self.warnings: list[str] = []
        self.points: list[ExactPoint] = []
        self.left_out = 0  # deltas that were not tried

    def ends(self) -> tuple[Fraction, Fraction]:
        """The least delta that can be kept, and one above which nothing changes."""
        self._listener(Progress("search", "looking for the least delta"))
        values, items = self._lost(self._baseline("rfirst"))
        if BOUNDED[self._plan.method.name] == "values":
            return values, Fraction(1)
        # merged into one class, the items lose this; where even the first classes lose less, only a trial tells
        least = self._lost(self._baseline("tfirst"))[1]
        return (least if least < items else Fraction(0)), items

    def all(self, deltas: list[Fraction], until: float | None) -> None:
        """Of each delta, the release or why there is none. Once the time is up no other is begun."""
        for number, delta in enumerate(deltas):
            if until is not None and self.points and time.monotonic() >= until:
                self.left_out = len(deltas) - number
                break
            self.points.append(self._of(delta, number / len(deltas)))

    def refine(self) -> None:
        """Between the largest delta without a release and the next one with it there may be more: the two halves are looked at."""
        for _ in range(_HALVES):
            ends = [_half_way(one, other) for one, other in pairwise(self.points)]
            middle = next((one for one in ends if one is not None), None)
            if self.left_out or middle is None:
                return
            self.points.append(self._of(middle, 1.0))
            self.points.sort(key=lambda one: float(one.point.delta))

    def _baseline(self, name: str) -> MixedRelease:
        method = method_from(name)
        options = {key: value for key, value in self._plan.recipe.method.options.items() if key in method.keys}
        return _release_of(self._task.decide(self._listener, method=method, options=options))

    def _of(self, exact: Fraction, done: float) -> ExactPoint:
        delta = text_of(exact)

        def tell(event: Progress) -> None:
            self._listener(replace(event, message=f"delta = {delta}: {event.message}", done=done))

        started = time.monotonic()
        tell(Progress("search", "deciding"))
        options = {**self._plan.recipe.method.options, "delta": float(delta)}
        try:
            decision = self._task.decide(tell, options=options)
        except Infeasible as answer:
            return _no_release(delta, answer, started)
        release = _release_of(decision)
        tell(Progress("verify", "making the release and checking it"))
        try:
            verdict = make_apart(self._task, decision, tell, place=self._place).verdict
        except RecipeError as answer:  # people could be told apart by what it publishes as it is
            return _no_release(delta, answer, started)
        except NotAnonymous as answer:
            verdict = answer.verdict
        self.warnings += verdict.warnings
        values, items = self._lost(release)
        point = DeltaPoint(
            delta,
            "pass" if verdict.passed else "fail",
            time.monotonic() - started,
            "" if verdict.passed else f"the verifier did not pass the release. {failures(verdict)}",
            float(values),
            {name: float(self._measured(name, release)) for name in self.losses},
            verdict.classes,
            verdict.smallest_class,
            int(release.recoded.class_sizes.max()),
        )
        return ExactPoint(point, values, items)

    def _lost(self, release: MixedRelease) -> tuple[Fraction, Fraction]:
        """On the side of the single values, and on that of the items by the loss of the recipe."""
        return self._measured(TableNCP.name, release), self._measured(self.losses[0], release)

    def _measured(self, name: str, release: MixedRelease) -> Fraction:
        return MIXED_LOSSES[name]().of(release, self._weights)


def _no_release(delta: str, answer: Exception, started: float) -> ExactPoint:
    return ExactPoint(DeltaPoint(delta, "none", time.monotonic() - started, str(answer)))


def _half_way(one: ExactPoint, other: ExactPoint) -> Fraction | None:
    """From a delta without a release to the next with one."""
    if one.point.outcome != "none" or other.point.outcome == "none":
        return None
    return between(Fraction(one.point.delta), Fraction(other.point.delta))


def _beside(place: Location) -> Location:
    """A name of its own beside the output: what stands there is not touched."""
    name = f"frontier-of-{name_of(place)}"
    return place.with_name(name) if isinstance(place, Path) else beside(place, name)


def _release_of(decision: Decision) -> MixedRelease:
    if not isinstance(decision.recoding, MixedRecoding):
        raise InternalError("A recoding of something else was taken for one of a mixed table.")
    return MixedRelease.of(decision.recoding)
