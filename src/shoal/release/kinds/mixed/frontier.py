"""The frontier of single values against items: what each delta of `rum-bound` or `tum-bound` loses on both sides.

Every point is a release that was made, verified and let go (`delta_trial`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError
from shoal.io.source import from_frame
from shoal.loss import MIXED_LOSSES
from shoal.methods.keys import seconds_of
from shoal.methods.method import Progress
from shoal.methods.mixed.options import delta_of
from shoal.release.engines import open_engine, spark_session
from shoal.release.guards.reads import refuse_overwriting
from shoal.release.guards.unconfirmed import unconfirmed_warnings
from shoal.release.kinds.mixed.delta_trial import BOUNDED, Trial, ranked
from shoal.release.kinds.mixed.deltas import POINTS, asked_for, grid, text_of, with_own
from shoal.release.make import load_task
from shoal.release.plan import make_plan
from shoal.report.mixed.charts import frontier as draw
from shoal.report.mixed.frontier import DeltaFacts, ItemLoss, table_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.methods.method import Listener
    from shoal.release.recipe.recipe import Recipe
    from shoal.report.mixed.frontier import DeltaPoint


@dataclass(frozen=True, eq=False)
class MixedFrontierResult:
    """What each delta loses, on both sides. Nothing was published, and the releases are gone.

    Examples
    --------
    >>> import polars, shoal
    >>> both = polars.DataFrame({"sex": ["f", "m"] * 6, "items": [["a", "b"], ["a"], ["b"]] * 4})
    >>> front = shoal.frontier(both, quasi=["sex", "items"], k=2, m=1, deltas=[0.5])
    >>> len(front.points)
    1
    """

    facts: DeltaFacts
    warnings: tuple[str, ...]
    seconds: float

    @property
    def points(self) -> tuple[DeltaPoint, ...]:
        """One for each delta, ascending."""
        return self.facts.points

    @property
    def front(self) -> tuple[DeltaPoint, ...]:
        """The releases to pick from: no other loses no more on either side, and less on one."""
        return self.facts.front

    @property
    def passed(self) -> bool:
        """Whether there was a release, and the verifier passed every one."""
        outcomes = {point.outcome for point in self.points}
        return "pass" in outcomes and "fail" not in outcomes

    @cached_property
    def picture(self) -> str:
        """The frontier as SVG."""
        return draw(self.facts)

    def to_json(self) -> dict[str, Any]:
        """As `shoal frontier --json` prints it."""
        facts = self.facts
        return {
            "verdict": "pass" if self.passed else "fail",
            "method": facts.method,
            "points": [
                {
                    "delta": float(point.delta),
                    "line": point.line,
                    "verdict": None if point.outcome == "none" else point.outcome,
                    "reason": point.reason or None,
                    "table_loss": None if point.outcome == "none" else point.table_loss,
                    "item_losses": dict(point.item_losses),
                    "classes": point.classes,
                    "smallest_class": point.smallest_class,
                    "largest_class": point.largest_class,
                    "dominated": point.dominated,
                    "same_as": None if point.same_as is None else float(point.same_as),
                    "seconds": round(point.seconds, 3),
                }
                for point in facts.points
            ],
            "front": [float(point.delta) for point in facts.front],
            "asked": float(facts.asked),
            "loss_name": facts.chosen_loss.name,
            "records_in": facts.records,
            "left_out": facts.left_out,
            "warnings": list(self.warnings),
            "seconds": round(self.seconds, 3),
        }

    def __repr__(self) -> str:
        facts = self.facts
        points = [f"{p.line}: {p.table_loss:.4f} of values, {facts.item_loss(p):.4f} of items" for p in facts.front]
        return f"MixedFrontierResult({facts.method}, {len(self.points)} deltas; {'; '.join(points) or 'no release'})"

    def _repr_html_(self) -> str:
        return f"{self.picture}{table_html(self.facts)}"


def mixed_frontier(
    recipe: Recipe,
    frame: Any = None,
    *,
    budget: str | float | None,
    points: int | None,
    deltas: Sequence[float] | None,
    listener: Listener,
) -> MixedFrontierResult:
    """frame: a data frame; None: the recipe's input. budget: after it no further delta is begun."""
    started = time.monotonic()
    source = None if frame is None else from_frame(frame, recipe.schema_.sets)
    seconds = seconds_of(budget)
    if recipe.method_name not in BOUNDED:
        raise RecipeError(
            f"method.name: '{recipe.method_name}' has no delta, and the frontier is drawn over it. Use 'rum-bound' or 'tum-bound'."
        )
    if source is None:  # drafts are written beside the output
        refuse_overwriting(recipe)
    own = delta_of(recipe.method.options)
    chosen = asked_for(points, deltas)
    with spark_session(recipe, frame=source, listener=listener) as session:
        listener(Progress("load", "reading the data"))
        plan = make_plan(recipe, source, session=session)
        with open_engine(recipe, session=session, listener=listener) as engine:
            task = load_task(plan, engine, session=session, purpose="compare")
            trial = Trial(task, plan.output if source is None else None, listener)
            tried = chosen or with_own(grid(*trial.ends(), points or POINTS), own)
            trial.all(tried, None if seconds is None else started + seconds)
            if not chosen:
                trial.refine()
    exact = sorted(trial.points, key=lambda one: float(one.point.delta))
    facts = DeltaFacts(
        tuple(ranked(exact)),
        task.records,
        recipe.method_name,
        "values" if BOUNDED[recipe.method_name] == "values" else "items",
        tuple(g.technical() for g in recipe.guarantees),
        tuple(ItemLoss(name, MIXED_LOSSES[name].title) for name in trial.losses),
        text_of(own),
        trial.left_out,
    )
    return MixedFrontierResult(
        facts, tuple(dict.fromkeys([*unconfirmed_warnings(recipe), *trial.warnings])), time.monotonic() - started
    )
