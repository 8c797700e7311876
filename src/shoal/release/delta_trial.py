"""One table on which `rum-bound` or `tum-bound` is tried with one delta after the other, each as far as a verdict.

A release is made as by `run`, and let go. Its draft lies where that of a release would, so that nothing of it stays when the
process is killed: the next run there clears it away. What was handed over as a data frame is never written.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from shoal.errors import Infeasible, InternalError
from shoal.io.drafts import draft_at
from shoal.io.location import beside, name_of
from shoal.io.names import ASSIGNMENT, sidecar_name
from shoal.loss import MIXED_LOSSES
from shoal.loss.loss import normalized_weights
from shoal.loss.mixed import ItemsNCP, ItemsUL, MixedRelease, TableNCP
from shoal.methods.method import Progress
from shoal.methods.registry import method_from
from shoal.recoding.mixed import MixedRecoding
from shoal.release.deltas import between, text_of
from shoal.release.engines import open_engine
from shoal.release.judge import judge
from shoal.report.frontier_mixed import DeltaPoint

if TYPE_CHECKING:
    from shoal.engines.engine import Engine
    from shoal.io.location import Location
    from shoal.io.publish import Draft
    from shoal.io.store_draft import StoreDraft
    from shoal.methods.method import Decision, Listener, Problem
    from shoal.release.plan import Hierarchies, Plan
    from shoal.verify.verdict import Verdict

_HALVES = 2
BOUNDED = {"rum-bound": "values", "tum-bound": "items"}  # method → the side that delta is the most of


@dataclass(frozen=True, eq=False)
class Found:
    """One delta, exactly."""

    point: DeltaPoint
    table_loss: Fraction = Fraction(0)
    item_loss: Fraction = Fraction(0)

    def beats(self, other: Found) -> bool:
        mine, its = (self.table_loss, self.item_loss), (other.table_loss, other.item_loss)
        return mine != its and mine[0] <= its[0] and mine[1] <= its[1]


def ranked(found: list[Found]) -> list[DeltaPoint]:
    """The points, with what is said of each against the others."""
    made = []
    passed = [one for one in found if one.point.outcome == "pass"]
    for one in found:
        if one.point.outcome == "pass":
            same = next(o for o in passed if (o.table_loss, o.item_loss) == (one.table_loss, one.item_loss))
            first = None if same is one else same.point.delta
            made.append(replace(one.point, dominated=any(o.beats(one) for o in passed), same_as=first))
        else:
            made.append(one.point)
    return made


class Trial:
    """One table on which a method is tried with one delta after the other. The data are read once for all decisions."""

    def __init__(
        self,
        plan: Plan,
        engine: Engine,
        hierarchies: Hierarchies,
        problem: Problem,
        records: int,
        place: Location | None,
        session: Any,
        listener: Listener,
    ) -> None:
        self._plan, self._engine, self._hierarchies, self._problem = plan, engine, hierarchies, problem
        self._records, self._session, self._listener = records, session, listener
        self._place = None if place is None else _beside(place)
        self._weights = normalized_weights([n for n in problem.hierarchies if n not in problem.sets], problem.weights)
        first = plan.recipe.loss.name
        both = [ItemsNCP.name, ItemsUL.name]
        self.losses = tuple(sorted(both, key=lambda name: name != first))  # that of the recipe first
        self.warnings: list[str] = []
        self.found: list[Found] = []
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
            if until is not None and self.found and time.monotonic() >= until:
                self.left_out = len(deltas) - number
                break
            self.found.append(self._of(delta, number / len(deltas)))

    def refine(self) -> None:
        """Between the largest delta without a release and the next one with it there may be more: the two halves are looked at."""
        for _ in range(_HALVES):
            ends = [_half_way(one, other) for one, other in pairwise(self.found)]
            middle = next((one for one in ends if one is not None), None)
            if self.left_out or middle is None:
                return
            self.found.append(self._of(middle, 1.0))
            self.found.sort(key=lambda one: float(one.point.delta))

    def _baseline(self, name: str) -> MixedRelease:
        method = method_from(name)
        options = {key: value for key, value in self._plan.recipe.method.options.items() if key in method.keys}
        return _release_of(method.decide(self._engine, self._problem, self._listener, **options))

    def _of(self, exact: Fraction, done: float) -> Found:
        delta = text_of(exact)

        def tell(event: Progress) -> None:
            self._listener(replace(event, message=f"delta = {delta}: {event.message}", done=done))

        started = time.monotonic()
        tell(Progress("search", "deciding"))
        options = {**self._plan.recipe.method.options, "delta": float(delta)}
        try:
            decision = self._plan.method.decide(self._engine, self._problem, tell, **options)
        except Infeasible as answer:
            return Found(DeltaPoint(delta, "none", time.monotonic() - started, str(answer)))
        release = _release_of(decision)
        tell(Progress("verify", "making the release and checking it"))
        verdict = self._verdict(decision, tell)
        self.warnings += verdict.warnings
        failed = "; ".join(f"{check.name}: {check.detail}" for check in verdict.checks if not check.passed)
        values, items = self._lost(release)
        point = DeltaPoint(
            delta,
            "pass" if verdict.passed else "fail",
            time.monotonic() - started,
            "" if verdict.passed else f"the verifier did not pass the release. {failed}",
            float(values),
            {name: float(self._measured(name, release)) for name in self.losses},
            verdict.classes,
            verdict.smallest_class,
            int(release.recoded.class_sizes.max()),
        )
        return Found(point, values, items)

    def _lost(self, release: MixedRelease) -> tuple[Fraction, Fraction]:
        """On the side of the single values, and on that of the items by the loss of the recipe."""
        return self._measured(TableNCP.name, release), self._measured(self.losses[0], release)

    def _measured(self, name: str, release: MixedRelease) -> Fraction:
        return MIXED_LOSSES[name]().of(release, self._weights)

    def _verdict(self, decision: Decision, listener: Listener) -> Verdict:
        """Make the release as `run` does and let the verifier read it. Each has an engine of its own: nothing of one release can
        stay for the next."""
        recipe, session = self._plan.recipe, self._session
        with ExitStack() as stack:
            draft = None if self._place is None else draft_at(self._place, replace=True, session=session)
            if draft is not None:
                stack.enter_context(draft)
            engine = stack.enter_context(
                open_engine(
                    recipe,
                    session=session,
                    listener=listener,
                    spill=None if draft is None else draft.scratch,
                    spreadsheet_safe=bool(recipe.output and recipe.output.spreadsheet_safe),
                )
            )
            engine.load(self._plan.source, self._plan.schema)
            written = engine.apply(decision.recoding)
            if written.suppressed != decision.suppressed or written.records + written.suppressed != self._records:
                raise InternalError("The engine suppressed other records than were decided.")
            release, told = (engine.frame(), engine.assignment()) if draft is None else _written(engine, draft)
            verdict = judge(
                self._plan, self._hierarchies, release, told, self._records, session=session, listener=listener
            )
            if verdict.passed and verdict.records != written.records:
                raise InternalError(
                    f"The draft holds {verdict.records:,} records where {written.records:,} were written."
                )
            return verdict


def _half_way(one: Found, other: Found) -> Fraction | None:
    """From a delta without a release to the next with one."""
    if one.point.outcome != "none" or other.point.outcome == "none":
        return None
    return between(Fraction(one.point.delta), Fraction(other.point.delta))


def _beside(place: Location) -> Location:
    """A name of its own beside the output: what stands there is not touched."""
    name = f"frontier-of-{name_of(place)}"
    return place.with_name(name) if isinstance(place, Path) else beside(place, name)


def _written(engine: Engine, draft: Draft | StoreDraft) -> tuple[Location, Location | None]:
    """The draft of the data and of who shows what, as the verifier reads them."""
    place = draft.path(draft.name)
    engine.write(cast("Path", place))  # a URI only where the engine is Spark
    name = sidecar_name(draft.name, ASSIGNMENT)
    if not engine.write_assignment(cast("Path", draft.unannounced(name))):
        return place, None
    return place, draft.path(name, private=True)


def _release_of(decision: Decision) -> MixedRelease:
    if not isinstance(decision.recoding, MixedRecoding):
        raise InternalError("A recoding of something else was taken for one of single values beside sets of items.")
    return MixedRelease.of(decision.recoding)
