"""The one path data takes: load, decide, apply, write a draft, verify the draft, report, publish."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.engines.local import LocalEngine
from shoal.errors import DataError, InternalError, NotAnonymous, RecipeError
from shoal.io.frames import like
from shoal.io.publish import ASSIGNMENT, Draft, sidecar
from shoal.io.source import from_frame
from shoal.methods.method import Progress
from shoal.release.bound import floor_loss
from shoal.release.describe import Described, describe
from shoal.release.judge import judge
from shoal.release.plan import Plan, build_hierarchies, make_plan, problem_of
from shoal.release.recipe import Recipe
from shoal.release.result import Release

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from shoal.engines.engine import Written
    from shoal.methods.method import Decision, Listener
    from shoal.verify.verdict import Verdict


def run(recipe: Path | str | Recipe, *, replace: bool = False, listener: Listener = lambda _: None) -> Release:
    """Files in, files out. Nothing is at the output path unless the verifier passed what is there."""
    started = time.monotonic()
    recipe = recipe if isinstance(recipe, Recipe) else Recipe.load(recipe)
    _refuse_unconfirmed(recipe)
    if recipe.output is None:
        raise RecipeError("output.path: must be given.")
    with Draft(recipe.resolve(recipe.output.path), replace=replace) as draft:
        listener(Progress("load", "reading the data"))
        plan = make_plan(recipe)
        engine = LocalEngine(
            recipe.engine.memory,
            recipe.engine.threads,
            spill=draft.scratch,
            spreadsheet_safe=recipe.output.spreadsheet_safe,
        )
        try:
            made = _make(plan, engine, listener, draft)
        finally:
            engine.close()
        listener(Progress("report", "writing the report"))
        for kind, content in made.described.sidecars(draft.path(draft.destination.name)).items():
            draft.write(sidecar(draft.destination, kind).name, content, private="private" in kind)
        files = draft.publish()
    return made.release(started, files=files)


def anonymize(
    frame: Any, recipe: Recipe | dict[str, Any] | Path | str, *, listener: Listener = lambda _: None
) -> Release:
    """A data frame in, the same kind out (`release.data`), verified in memory."""
    started = time.monotonic()
    recipe = Recipe.load(recipe) if not isinstance(recipe, Recipe | dict) else Recipe.of(recipe)
    _refuse_unconfirmed(recipe)
    plan = make_plan(recipe, from_frame(frame))
    engine = LocalEngine(recipe.engine.memory, recipe.engine.threads)
    try:
        made = _make(plan, engine, listener, None)
    finally:
        engine.close()
    return made.release(started, data=like(made.table, frame))


@dataclass(frozen=True, eq=False)
class _Made:
    decision: Decision
    written: Written
    verdict: Verdict
    described: Described
    table: pa.Table | None

    def release(self, started: float, *, data: Any = None, files: tuple[Path, ...] = ()) -> Release:
        return Release(
            self.verdict,
            self.described,
            self.decision,
            self.written.records + self.written.suppressed,
            self.written.records,
            self.written.suppressed,
            time.monotonic() - started,
            data,
            files,
        )


def _make(plan: Plan, engine: LocalEngine, listener: Listener, draft: Draft | None) -> _Made:
    """load → decide → apply → write → verify. Returns only what the verifier passed."""
    recipe = plan.recipe
    records = engine.load(plan.source, plan.schema)
    if not records:
        raise DataError(f"There are no records in {plan.source.name}; there is nothing to publish.")
    hierarchies = build_hierarchies(plan, engine)
    problem = problem_of(plan, hierarchies)
    decision = plan.method.decide(engine, problem, listener, **recipe.method.options)
    listener(Progress("apply", "blurring the records"))
    written = engine.apply(decision.recoding)
    if written.suppressed != decision.suppressed or written.records + written.suppressed != records:
        raise InternalError("The engine suppressed other records than were decided; nothing was published.")
    release, assignment = _write(engine, listener, draft) if draft else (engine.frame(), engine.assignment())
    listener(Progress("verify", "checking what was written, as a stranger would"))
    verdict = judge(plan, hierarchies, release, assignment, records)
    if not verdict.passed:
        failed = "; ".join(f"{check.name}: {check.detail}" for check in verdict.checks if not check.passed)
        raise NotAnonymous(f"The verifier did not pass the draft, and nothing was published. {failed}", verdict)
    if verdict.records != written.records:  # a loss within the suppression limit would pass as suppression
        raise InternalError(
            f"The draft holds {verdict.records:,} records where {written.records:,} were written; nothing was published."
        )
    floor = floor_loss(engine, problem, decision, listener)
    described = describe(plan, engine, hierarchies, decision, written, verdict, floor=floor)
    return _Made(decision, written, verdict, described, None if draft else release)


def _write(engine: LocalEngine, listener: Listener, draft: Draft) -> tuple[Path, Path | None]:
    """The draft of the data; and of who shows what, where that cannot be told from the values. The verifier reads both."""
    listener(Progress("write", "writing the draft"))
    file = draft.path(draft.destination.name)
    engine.write(file)
    name = sidecar(draft.destination, ASSIGNMENT).name
    if not engine.write_assignment(draft.unannounced(name)):
        return file, None
    return file, draft.path(name, private=True)


def _refuse_unconfirmed(recipe: Recipe) -> None:
    if recipe.unconfirmed:
        raise RecipeError(
            f"Roles that are only suggested: {', '.join(recipe.unconfirmed)}. Check each line of the "
            f"recipe, then delete `suggested = true` from it. A wrong role publishes what should be hidden."
        )
