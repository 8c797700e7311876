"""Methods side by side on the same data: each decides; its release is made in memory, verified, measured and let go."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from shoal.engines.driver.stages import logged
from shoal.errors import Infeasible, InternalError, NotAnonymous, RecipeError, did_you_mean
from shoal.io.lazy_frames import takes_lazy_frames
from shoal.io.source import from_frame
from shoal.kernels.announcing import compiling_announced
from shoal.loss import KINDS as LOSSES
from shoal.methods.keys import seconds_of
from shoal.methods.method import Progress
from shoal.methods.registry import METHODS, method_from
from shoal.release.comparison import Comparison
from shoal.release.engines import open_engine, spark_session
from shoal.release.guards.unconfirmed import unconfirmed_warnings
from shoal.release.kinds.registry import KINDS
from shoal.release.make import failures, load_task, make_apart
from shoal.release.plan import make_plan, tree_schema
from shoal.release.recipe.recipe import Recipe
from shoal.release.short.roles import Names, Promises, Short, said_shortly, source_of
from shoal.report.comparing.facts import ComparedLoss, CompareFacts, MethodFacts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shoal.methods.method import Decision, Listener
    from shoal.release.task import Task

_ROUNDING = 1e-9  # by which a bound in floats may pass the exact loss


@takes_lazy_frames
def compare(
    data: Any,
    recipe: Recipe | dict[str, Any] | Path | str | None = None,
    methods: Sequence[str] | None = None,
    *,
    quasi: Names = None,
    sensitive: Names = None,
    drop: Names = None,
    plain: Names = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741  # the name of the parameter in the literature and in every recipe
    t: float | None = None,
    m: int | None = None,
    guarantees: Promises = None,
    suppression: float | None = None,
    budget: str | float | None = None,
    listener: Listener = lambda _: None,
) -> Comparison:
    """Run several methods on the same data and measure what each would publish, whatever method the recipe names.

    Parameters
    ----------
    data : frame, path or Recipe
        With the recipe or the roles of its columns beside it, as in `anonymize`; or the recipe alone, which names its input.
    recipe : Recipe, dict or path, optional
        Beside a frame.
    methods : list of str, optional
        Names; by default those that are usually compared.
    quasi, sensitive, drop, plain, k, l, t, m, guarantees, suppression
        As in `anonymize`.
    budget : str or float, optional
        The longest time for each method that takes one, such as "30s".
    listener : callable
        Called with a `Progress` at each step.

    Returns
    -------
    Comparison
        Each release was verified and let go.

    Examples
    --------
    >>> import shoal
    >>> compared = shoal.compare("demo/recipe.toml", methods=["optimal", "mondrian"])
    >>> compared.best["ncp"]
    ('mondrian',)
    """
    started = time.monotonic()
    listener = logged(listener)
    short = Short(quasi, sensitive, drop, plain, k, l, t, m, suppression, guarantees=guarantees)
    source = None
    if short.given() and said_shortly(recipe, short):
        source, section = source_of(data)
        recipe = short.recipe(source, section=section)
    framed, recipe = source is None and recipe is not None, data if recipe is None else recipe
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(str(recipe))
    if framed:
        source = from_frame(data, recipe.schema_.sets, trees=tree_schema(recipe))
    kind = recipe.schema_.kind
    names = _known(methods, kind)
    seconds_of(budget)
    with (
        compiling_announced(lambda: listener(Progress("compile", "once per machine"))),
        spark_session(recipe, frame=source, listener=listener) as session,
    ):
        listener(Progress("load", "reading the data"))
        plan = make_plan(recipe, source, session=session)
        with open_engine(recipe, session=session, listener=listener) as engine:
            task = load_task(plan, engine, session=session, purpose="compare")
            trial = _Trial(task, budget, listener, unconfirmed_warnings(recipe))
            facts = [trial.of(name) for name in names]
    promises = tuple(g.technical() for g in recipe.guarantees)
    return Comparison(
        CompareFacts(tuple(facts), trial.losses(), task.records, promises, trial.floor, KINDS[kind].in_classes),
        tuple(dict.fromkeys(trial.warnings)),
        time.monotonic() - started,
    )


def _known(methods: Sequence[str] | None, kind: str) -> tuple[str, ...]:
    known = [name for name, method in METHODS.items() if method.kind == kind]
    if methods is None:
        usual = [*KINDS[kind].compared, *METHODS.added]
        return tuple(name for name in usual if name in known)
    names = tuple(dict.fromkeys([methods] if isinstance(methods, str) else methods))
    strange = [name for name in names if name not in known]
    if strange or not names:
        raise RecipeError(
            *(
                f"The method '{name}' is for other data. Methods: {', '.join(known)}."
                if name in METHODS
                else f"No method is called '{name}'. Methods: {', '.join(known)}.{did_you_mean(name, known)}"
                for name in strange
            ),
            *([] if names else [f"No method is named. Methods: {', '.join(known)}."]),
        )
    return names


@dataclass(eq=False)
class _Trial:
    """The data on which methods are tried one after the other."""

    task: Task
    budget: str | float | None
    listener: Listener
    warnings: list[str]
    floor: float | None = None  # the same for every method that publishes nodes of the hierarchies
    measures: dict[str, ComparedLoss] = field(default_factory=dict)

    def of(self, name: str) -> MethodFacts:
        """From decision to verdict. That a method can find nothing, or is not made for these promises, is an answer too."""
        recipe, method = self.task.plan.recipe, method_from(name)
        options = recipe.method.options if name == recipe.method.name else {}
        if self.budget is not None and "budget" in method.keys:
            options["budget"] = self.budget

        def tell(event: Progress) -> None:
            self.listener(replace(event, message=f"{name}: {event.message}"))

        started = time.monotonic()
        try:
            decision = self.task.decide(tell, method=method, options=options)
        except (Infeasible, RecipeError) as answer:
            return _no_release(name, answer, time.monotonic() - started)
        seconds = time.monotonic() - started
        tell(Progress("verify", "making the release and checking it"))
        try:
            verdict = make_apart(self.task, decision).verdict
        except RecipeError as answer:  # people could be told apart by what it publishes as it is
            return _no_release(name, answer, seconds)
        except NotAnonymous as answer:
            verdict = answer.verdict
        self.warnings += verdict.warnings
        measured = KINDS[recipe.schema_.kind].measure(self.task, decision)
        self.measures.update((loss.name, loss) for loss in measured)
        return MethodFacts(
            name,
            "pass" if verdict.passed else "fail",
            seconds,
            "" if verdict.passed else f"the verifier did not pass the release. {failures(verdict)}",
            {loss.name: value for loss, value in measured.items()},
            verdict.records,
            decision.suppressed,
            verdict.classes,
            verdict.smallest_class,
            decision.optimal,
            verdict.passed and self._has_floor(decision),  # what breaks the promise may lose less than is possible
        )

    def _has_floor(self, decision: Decision) -> bool:
        """Whether it is proved how little a release of this kind can lose."""
        known = max((one for one in (self.floor, decision.floor) if one is not None), default=None)
        kind = KINDS[self.task.plan.recipe.schema_.kind]
        floor = kind.floor(self.task, replace(decision, floor=known), self.listener)
        if floor is None:
            return False
        if floor > float(decision.loss) * (1 + _ROUNDING):
            raise InternalError("A release was found that loses less than was proved possible.")
        self.floor = floor
        return True

    def losses(self) -> tuple[ComparedLoss, ...]:
        """Every loss some release was measured by, the recipe's first."""
        recipe = self.task.plan.recipe
        loss = LOSSES[recipe.schema_.kind][recipe.loss_name]
        chosen = ComparedLoss(recipe.loss_name, loss.title, loss.share)
        return tuple({chosen.name: chosen, **self.measures}.values())


def _no_release(method: str, answer: Exception, seconds: float) -> MethodFacts:
    return MethodFacts(method, "none", seconds, str(answer).removeprefix("method.name: "))
