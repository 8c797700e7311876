"""Methods side by side on the same data: each decides; its release is made in memory, verified, measured and let go."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, Infeasible, InternalError, RecipeError, did_you_mean
from shoal.io.source import from_frame
from shoal.loss import FIGURES, LOSSES
from shoal.methods.keys import seconds_of
from shoal.methods.method import Progress
from shoal.methods.registry import METHODS, method_from
from shoal.recoding.groups import GroupRecoding
from shoal.release.bound import floor_loss
from shoal.release.comparison import Comparison
from shoal.release.engines import open_engine, spark_session
from shoal.release.judge import judge
from shoal.release.losses import losses_of
from shoal.release.plan import build_hierarchies, make_plan, problem_of
from shoal.release.recipe import Recipe
from shoal.release.recipe_sets import refuse_sets
from shoal.report.compare import ComparedLoss, CompareFacts, MethodFacts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shoal.engines.engine import Engine
    from shoal.methods.method import Decision, Listener, Problem
    from shoal.release.plan import Hierarchies, Plan
    from shoal.verify.verdict import Verdict

_ROUNDING = 1e-9  # by which a bound in floats may pass the exact loss
COMPARED = ("optimal", "mstk", "mondrian", "incognito", "cluster", "auto")  # unless others are asked for


def compare(
    data: Any,
    recipe: Recipe | dict[str, Any] | Path | str | None = None,
    methods: Sequence[str] | None = None,
    *,
    budget: str | float | None = None,
    listener: Listener = lambda _: None,
) -> Comparison:
    """Run several methods on the same data and measure what each would publish, whatever method the recipe names.

    `data`: a data frame, with the recipe beside it; or the recipe alone, which names its input. `budget`: the longest time for
    each method that takes one.
    """
    started = time.monotonic()
    if recipe is None:
        recipe, source = data, None
    else:
        source = from_frame(data, None)
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(recipe)
    refuse_sets(recipe, "A comparison of methods")
    names = _known(methods)
    seconds_of(budget)
    with spark_session(recipe, frame=source, listener=listener) as session:
        listener(Progress("load", "reading the data"))
        plan = make_plan(recipe, source, session=session)
        with open_engine(recipe, session=session, listener=listener) as engine:
            records = engine.load(plan.source, plan.schema)
            if not records:
                raise DataError(f"There are no records in {plan.source.name}; there is nothing to compare.")
            trees = build_hierarchies(plan, engine)
            trial = _Trial(plan, engine, trees, problem_of(plan, trees), budget, listener, _warnings(recipe), session)
            told = [trial.of(name) for name in names]
    promises = tuple(g.technical() for g in recipe.guarantees)
    return Comparison(
        CompareFacts(tuple(told), _losses(recipe, told), records, promises, trial.floor),
        tuple(dict.fromkeys(trial.warnings)),
        time.monotonic() - started,
    )


def _known(methods: Sequence[str] | None) -> tuple[str, ...]:
    known = list(METHODS)
    if methods is None:
        return tuple(name for name in COMPARED if name in known)
    names = tuple(dict.fromkeys([methods] if isinstance(methods, str) else methods))
    strange = [name for name in names if name not in known]
    if strange or not names:
        raise RecipeError(
            *(
                f"No method is called '{name}'. Methods: {', '.join(known)}.{did_you_mean(name, known)}"
                for name in strange
            ),
            *([] if names else [f"No method is named. Methods: {', '.join(known)}."]),
        )
    return names


@dataclass(eq=False)
class _Trial:
    """One table on which methods are tried one after the other."""

    plan: Plan
    engine: Engine
    hierarchies: Hierarchies
    problem: Problem
    budget: str | float | None
    listener: Listener
    warnings: list[str]
    session: Any  # of Spark, or None
    floor: float | None = None  # the same for every method that publishes nodes of the hierarchies; computed once

    def of(self, name: str) -> MethodFacts:
        """From decision to verdict. That a method can find nothing, or is not made for these promises, is an answer too."""
        recipe, method = self.plan.recipe, method_from(name)
        options = recipe.method.options if name == recipe.method.name else {}
        if self.budget is not None and "budget" in method.keys:
            options["budget"] = self.budget

        def tell(event: Progress) -> None:
            self.listener(replace(event, message=f"{name}: {event.message}"))

        started = time.monotonic()
        try:
            decision = method.decide(self.engine, self.problem, tell, **options)
        except (Infeasible, RecipeError) as answer:
            reason = str(answer).removeprefix("method.name: ")
            return MethodFacts(name, "none", time.monotonic() - started, reason)
        seconds = time.monotonic() - started
        tell(Progress("verify", "making the release and checking it"))
        verdict = self._verdict(decision)
        self.warnings += verdict.warnings
        frequency = self.engine.frequency_set(self.problem.hierarchies, self.problem.sensitive)
        recoded = decision.table_recoding.over(frequency)
        failed = "; ".join(f"{check.name}: {check.detail}" for check in verdict.checks if not check.passed)
        return MethodFacts(
            name,
            "pass" if verdict.passed else "fail",
            seconds,
            "" if verdict.passed else f"the verifier did not pass the release. {failed}",
            losses_of(recoded, decision.table_recoding.columns, recipe.loss, recipe.smallest_class),
            verdict.records,
            decision.suppressed,
            verdict.classes,
            verdict.smallest_class,
            decision.optimal,
            self._has_floor(decision),
        )

    def _verdict(self, decision: Decision) -> Verdict:
        """Make the release and let the verifier read it, in memory: a file that nobody asked for could outlive a kill.

        Each has an engine of its own: nothing of one release can stay for the next.
        """
        with open_engine(self.plan.recipe, session=self.session) as engine:
            records = engine.load(self.plan.source, self.plan.schema)
            written = engine.apply(decision.recoding)
            if written.suppressed != decision.suppressed or written.records + written.suppressed != records:
                raise InternalError("The engine suppressed other records than were decided.")
            release, assignment = engine.frame(), engine.assignment()
            return judge(self.plan, self.hierarchies, release, assignment, records, session=self.session)

    def _has_floor(self, decision: Decision) -> bool:
        """Whether it is proved how little a release of this kind can lose."""
        recoding = decision.recoding
        if isinstance(recoding, GroupRecoding) and not recoding.along_hierarchies:
            return False
        if self.floor is None:
            self.floor = floor_loss(self.engine, self.problem, decision, self.listener)
        if self.floor is not None and self.floor > float(decision.loss) * (1 + _ROUNDING):
            raise InternalError("A release was found that loses less than was proved possible.")
        return self.floor is not None


def _warnings(recipe: Recipe) -> list[str]:
    if not recipe.unconfirmed:
        return []
    return [
        f"Roles that are only suggested: {', '.join(recipe.unconfirmed)}. A release needs them to be confirmed first."
    ]


def _losses(recipe: Recipe, told: list[MethodFacts]) -> tuple[ComparedLoss, ...]:
    """Every loss some release was measured by, the recipe's first."""
    measured = dict.fromkeys([recipe.loss.name, *(name for facts in told for name in facts.losses)])
    kinds = {**LOSSES, **FIGURES}
    return tuple(ComparedLoss(name, kinds[name].title, kinds[name].share) for name in measured)
