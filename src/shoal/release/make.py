"""The one path data takes, written once: load → decide → apply → write → verify.

`run`, `anonymize`, `compare` and the frontiers all go along it, and all meet the same guards: what comes out was passed by the
verifier.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, InternalError, NotAnonymous
from shoal.io.publishing.drafts import draft_at
from shoal.io.publishing.names import ASSIGNMENT, sidecar_name
from shoal.methods.method import Progress
from shoal.release.engines import open_engine
from shoal.release.guards.formats import refuse_names, refuse_rows
from shoal.release.guards.linkable import refuse_linkable, refuse_linked
from shoal.release.hierarchies import build_hierarchies
from shoal.release.judge import judge
from shoal.release.kinds.registry import KINDS
from shoal.release.task import Product, Task

if TYPE_CHECKING:
    from shoal.engines.engine import Engine
    from shoal.io.location import Location
    from shoal.io.publishing.drafts import AnyDraft
    from shoal.methods.method import Decision, Listener
    from shoal.release.plan import Hierarchies, Plan
    from shoal.verifier.verdict import Verdict


def load_task(plan: Plan, engine: Engine, *, session: Any = None, purpose: str = "publish") -> Task:
    """Load the data and refuse what no release can be made of. purpose: what there is nothing to do with, if there is nothing."""
    records = engine.load(plan.source, plan.schema)
    if not records:
        empty = f" None of its {engine.empty_rows:,} rows has a published value." if engine.empty_rows else ""
        raise DataError(f"There are no records in {plan.source.name}; there is nothing to {purpose}.{empty}")
    refuse_names(plan)
    refuse_rows(plan, records)
    refuse_linkable(plan, engine, records)
    hierarchies = build_hierarchies(plan, engine)
    return Task(plan, engine, records, hierarchies, problem_of(plan, hierarchies), session)


def problem_of(plan: Plan, hierarchies: Hierarchies) -> Any:
    """What the method of the plan has to decide: the `Problem` of its kind of data."""
    return KINDS[plan.schema.kind].problem(plan.recipe, hierarchies)


def make(task: Task, decision: Decision, draft: AnyDraft | None, listener: Listener) -> Product:
    """apply → write → verify, on the engine of the task. draft: where the release is written; without one it stays a frame."""
    return _make(task, task.engine, decision, draft, listener)


def make_apart(
    task: Task, decision: Decision, listener: Listener = lambda _: None, *, place: Location | None = None
) -> Product:
    """As `make`, on an engine of its own, and nothing stays: so one release after the other can be tried.

    place: where the draft lies as long as it is looked at; without one the release stays a frame, and no file can outlive a kill.
    """
    recipe = task.plan.recipe
    with ExitStack() as stack:
        draft = None if place is None else draft_at(place, replace=True, session=task.session)
        if draft is not None:
            stack.enter_context(draft)
        engine = stack.enter_context(
            open_engine(
                recipe,
                session=task.session,
                listener=listener,
                spill=None if draft is None else draft.scratch,
                spreadsheet_safe=bool(recipe.output and recipe.output.spreadsheet_safe),
            )
        )
        engine.load(task.plan.source, task.plan.schema)
        return _make(task, engine, decision, draft, listener)


def failures(verdict: Verdict) -> str:
    """The checks that a release did not pass, each with what was wrong."""
    return "; ".join(f"{check.name}: {check.detail}" for check in verdict.checks if not check.passed)


def _make(task: Task, engine: Engine, decision: Decision, draft: AnyDraft | None, listener: Listener) -> Product:
    listener(Progress("apply", "blurring the records"))
    written = engine.apply(decision.recoding)
    if written.suppressed != decision.suppressed or written.records + written.suppressed != task.records:
        raise InternalError("The engine suppressed other records than were decided; nothing was published.")
    if draft is None:
        data, assignment = engine.frame(), engine.assignment()
    else:
        data, assignment = _write(engine, listener, draft, task.session)
    verdict = judge(
        task.plan,
        data,
        assignment,
        task.records,
        session=task.session,
        rules=KINDS[task.plan.schema.kind].rules(decision),
        scratch=None if draft is None else draft.scratch,
        listener=listener,
    )
    refuse_linked(verdict)
    if not verdict.passed:
        raise NotAnonymous(
            f"The verifier did not pass the draft, and nothing was published. {failures(verdict)}", verdict
        )
    if verdict.records != written.records:  # a loss within the suppression limit would pass as suppression
        raise InternalError(
            f"The draft holds {verdict.records:,} records where {written.records:,} were written; nothing was published."
        )
    return Product(decision, written, verdict, data, assignment)


def _write(engine: Engine, listener: Listener, draft: AnyDraft, session: Any) -> tuple[Location, Location | None]:
    """The draft of the data; and of who shows what, where that cannot be told from the values. The verifier reads both."""
    listener(Progress("write", "writing the draft"))
    place = draft.path(draft.name)
    engine.write(place)  # a URI only where the engine is Spark
    if session is not None and isinstance(place, Path) and not any(place.glob("*.parquet")):
        raise DataError(
            f"What Spark wrote to {draft.name} is not to be seen here: its executors have another file system. Give a path on a "
            f"file system that they share with this process, or a URI such as hdfs://… in `[output] path`. Nothing was published."
        )
    name = sidecar_name(draft.name, ASSIGNMENT)
    if not engine.write_assignment(draft.unannounced(name)):
        return place, None
    return place, draft.path(name, private=True)
