"""The one path data takes: load, decide, apply, write a draft, verify the draft, report, publish."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from shoal.errors import DataError, InternalError, NotAnonymous, RecipeError
from shoal.io.drafts import draft_at
from shoal.io.folder import part_files, sha256_of
from shoal.io.frames import like
from shoal.io.names import ASSIGNMENT, TABLES, sidecar_name
from shoal.io.publish import Draft
from shoal.io.source import from_frame
from shoal.io.trees.flat import write_tables
from shoal.io.trees.flat_check import check_tables
from shoal.methods.method import Progress
from shoal.recoding.trees import TreeRecoding
from shoal.release.bound import floor_loss
from shoal.release.describe import describe
from shoal.release.describe_mixed import describe_mixed
from shoal.release.describe_sets import describe_sets
from shoal.release.describe_trees import describe_trees
from shoal.release.engines import open_engine, recipe_on, session_of, spark_session
from shoal.release.judge import judge
from shoal.release.plan import Plan, build_hierarchies, make_plan, problem_of, tree_schema
from shoal.release.recipe import Recipe
from shoal.release.result import Release

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Engine, Written
    from shoal.io.location import Location
    from shoal.io.store_draft import StoreDraft
    from shoal.methods.method import Decision, Listener
    from shoal.release.described import Described
    from shoal.release.sections import EngineName
    from shoal.verify.verdict import Verdict


def run(
    recipe: Path | str | Recipe,
    *,
    replace: bool = False,
    engine: EngineName | None = None,
    session: Any = None,
    listener: Listener = lambda _: None,
) -> Release:
    """Files in, files out. Nothing is at the output path unless the verifier passed what is there.

    `engine`: run on this one, whatever the recipe says. `session`: a Spark session to run in; it stays open.
    """
    started = time.monotonic()
    recipe = recipe_on(recipe, engine, session)
    _refuse_unconfirmed(recipe)
    if recipe.output is None:
        raise RecipeError("output.path: must be given.")
    destination = recipe.place(recipe.output.path)
    with ExitStack() as stack:
        starting = spark_session(recipe, given=session, listener=listener)
        if isinstance(
            destination, str
        ):  # a URI can be looked at in a session only; all else is refused before Spark starts
            session = stack.enter_context(starting)
        draft = draft_at(destination, replace=replace, session=session)
        stack.enter_context(draft)
        if isinstance(destination, Path):
            session = stack.enter_context(starting)
        listener(Progress("load", "reading the data"))
        plan = make_plan(recipe, session=session, scratch=draft.scratch)
        with open_engine(
            recipe,
            session=session,
            listener=listener,
            spill=draft.scratch,
            spreadsheet_safe=recipe.output.spreadsheet_safe,
        ) as opened:
            made = _make(plan, opened, listener, draft, session)
        listener(Progress("report", "writing the report"))
        sealed = draft.seal(draft.name, made.written.records)
        for kind, content in made.described.sidecars(draft.name, sealed, made.tables).items():
            draft.write(sidecar_name(draft.name, kind), content, private="private" in kind)
        files = draft.publish()
    return made.release(started, files=files)


def anonymize(
    frame: Any, recipe: Recipe | dict[str, Any] | Path | str, *, listener: Listener = lambda _: None
) -> Release:
    """A data frame in, the same kind out (`release.data`), verified as it is.

    The frame says where the work is done: a Spark frame in its own session, any other in this process.
    """
    started = time.monotonic()
    recipe = Recipe.load(recipe) if not isinstance(recipe, Recipe | dict) else Recipe.of(recipe)
    _refuse_unconfirmed(recipe)
    source = from_frame(frame, recipe.schema_.sets, trees=tree_schema(recipe))
    session = session_of(source)
    with open_engine(recipe, session=session, listener=listener) as engine:
        made = _make(make_plan(recipe, source), engine, listener, None, session)
    return made.release(started, data=like(made.frame, frame))


@dataclass(frozen=True, eq=False)
class _Made:
    decision: Decision
    written: Written
    verdict: Verdict
    described: Described
    frame: Any  # of the engine, when nothing was written
    tables: Mapping[str, str]  # of trees, the tables of the classes: file → SHA-256
    warnings: tuple[str, ...]  # of the input

    def release(self, started: float, *, data: Any = None, files: tuple[Location, ...] = ()) -> Release:
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
            self.warnings,
        )


def _make(
    plan: Plan, engine: Engine, listener: Listener, draft: Draft | StoreDraft | None, session: Any = None
) -> _Made:
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
    release, assignment = _write(engine, listener, draft, session) if draft else (engine.frame(), engine.assignment())
    verdict = judge(
        plan,
        hierarchies,
        release,
        assignment,
        records,
        session=session,
        rules=decision.recoding.to_json() if isinstance(decision.recoding, TreeRecoding) else None,
        scratch=draft.scratch if draft else None,
        listener=listener,
    )
    if not verdict.passed:
        failed = "; ".join(f"{check.name}: {check.detail}" for check in verdict.checks if not check.passed)
        raise NotAnonymous(f"The verifier did not pass the draft, and nothing was published. {failed}", verdict)
    if verdict.records != written.records:  # a loss within the suppression limit would pass as suppression
        raise InternalError(
            f"The draft holds {verdict.records:,} records where {written.records:,} were written; nothing was published."
        )
    floor = floor_loss(engine, problem, decision, listener) if plan.schema.kind == "table" else None
    listener(Progress("report", "measuring what was lost, and who could still be found"))
    if plan.schema.kind == "sets":
        described = describe_sets(plan, engine, decision, written, verdict)
    elif plan.schema.kind == "mixed":
        described = describe_mixed(plan, engine, hierarchies, decision, written, verdict)
    elif plan.schema.kind == "trees":
        described = describe_trees(plan, engine, hierarchies, decision, written, verdict)
    else:
        described = describe(plan, engine, hierarchies, decision, written, verdict, floor=floor)
    tables = {}
    if isinstance(draft, Draft) and recipe.output is not None and recipe.output.tables:
        tables = _write_tables(draft, plan, written.records)
    if draft and assignment is not None and session is not None:
        draft.seal(sidecar_name(draft.name, ASSIGNMENT), written.records)
    return _Made(decision, written, verdict, described, None if draft else release, tables, plan.source.warnings)


def _write(
    engine: Engine, listener: Listener, draft: Draft | StoreDraft, session: Any
) -> tuple[Location, Location | None]:
    """The draft of the data; and of who shows what, where that cannot be told from the values. The verifier reads both."""
    listener(Progress("write", "writing the draft"))
    place = draft.path(draft.name)
    engine.write(cast("Path", place))  # a URI only where the engine is Spark
    if session is not None and isinstance(place, Path) and not any(place.glob("*.parquet")):
        raise DataError(
            f"What Spark wrote to {draft.name} is not to be seen here: its executors have another file system. Give a path on a "
            f"file system that they share with this process, or a URI such as hdfs://… in `[output] path`. Nothing was published."
        )
    name = sidecar_name(draft.name, ASSIGNMENT)
    if not engine.write_assignment(cast("Path", draft.unannounced(name))):
        return place, None
    return place, draft.path(name, private=True)


def _write_tables(draft: Draft, plan: Plan, records: int) -> dict[str, str]:
    """Beside the verified release, which they must agree with: they are as public. Their names and SHA-256."""
    name = sidecar_name(draft.name, TABLES)
    release, folder = draft.path(draft.name), draft.path(name)
    write_tables(release, plan.schema.shape, folder)
    check_tables(release, plan.schema.shape, folder)
    draft.seal(name, records)
    return {f"{name}/{file.name}": sha256_of(file) for file in part_files(folder)}


def _refuse_unconfirmed(recipe: Recipe) -> None:
    if recipe.unconfirmed:
        raise RecipeError(
            f"Roles that are only suggested: {', '.join(recipe.unconfirmed)}. Check each line of the "
            f"recipe, then delete `suggested = true` from it. A wrong role publishes what should be hidden."
        )
