"""Make a release along the one path (`make`), report on it and publish it: from files to files, or from frame to frame."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import replace as with_changes
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.engines.driver.stages import logged
from shoal.errors import RecipeError
from shoal.io.frames import like
from shoal.io.lazy_frames import put_aside
from shoal.io.publishing.drafts import draft_at
from shoal.io.publishing.names import ASSIGNMENT, sidecar_name
from shoal.io.source import from_frame
from shoal.kernels.announcing import compiling_announced
from shoal.methods.method import Progress
from shoal.release.engines import open_engine, recipe_on, session_of, spark_session
from shoal.release.guards.ledger import refuse_open_ledger
from shoal.release.guards.reads import refuse_overwriting
from shoal.release.guards.unconfirmed import refuse_unconfirmed
from shoal.release.kinds.registry import KINDS
from shoal.release.labels import with_labels
from shoal.release.ledger.memory import Memory
from shoal.release.ledger.removing import plan_without, removed_by
from shoal.release.make import load_task, make
from shoal.release.plan import make_plan, tree_schema
from shoal.release.recipe.recipe import Recipe
from shoal.release.result import Frame, Release
from shoal.release.short.roles import Names, Promises, Short, said_shortly

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Engine
    from shoal.io.location import Location
    from shoal.io.publishing.drafts import AnyDraft
    from shoal.methods.method import Listener
    from shoal.release.plan import Plan
    from shoal.release.recipe.sections import EngineName
    from shoal.release.sidecars import Described
    from shoal.release.task import Product


def run(
    recipe: Path | str | Recipe,
    *,
    replace: bool = False,
    engine: EngineName | None = None,
    session: Any = None,
    without: Path | str | None = None,
    listener: Listener = lambda _: None,
) -> Release[None]:
    """Files in, files out. Nothing is at the output path unless the verifier passed what is there.

    Parameters
    ----------
    recipe : path or Recipe
        Names input and output.
    replace : bool
        Whether an earlier release may be replaced.
    engine : {"local", "spark"}, optional
        Run on this one, whatever the recipe says.
    session : optional
        A Spark session to run in; it stays open.
    without : path, optional
        A CSV file with one column, named like an identifying column of the data: the people in it are left out, as if they had
        never been there.
    listener : callable
        Called with a `Progress` at each step.

    Returns
    -------
    Release
        `files` are the published paths, the data first.

    Examples
    --------
    >>> import shoal
    >>> shoal.run("demo/recipe.toml").files[0].name
    'patients.csv'
    """
    started = time.monotonic()
    listener = logged(listener)
    recipe = recipe_on(recipe, engine, session)
    refuse_unconfirmed(recipe)
    if recipe.output is None:
        raise RecipeError("output.path: must be given.")
    leaving = None if without is None else Path(without)
    refuse_overwriting(recipe, leaving)
    refuse_open_ledger(recipe)
    removed = None if leaving is None else removed_by(recipe, leaving)
    destination = recipe.place(recipe.output.path)
    memory = Memory.of(recipe, left_out=removed is not None)
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
        if removed is not None:
            plan = plan_without(plan, removed, draft.scratch)
        with open_engine(
            recipe,
            session=session,
            listener=listener,
            spill=draft.scratch,
            spreadsheet_safe=recipe.output.spreadsheet_safe,
        ) as opened:
            outcome = _make(plan, opened, listener, draft, session, memory)
        ledger = None if memory is None else stack.enter_context(memory.ledger())
        if memory is not None and ledger is not None:
            described, warnings = memory.check(ledger, outcome.described)
            outcome = with_changes(outcome, described=described, warnings=(*warnings, *outcome.warnings))
        listener(Progress("report", "writing the report"))
        sealed = draft.seal(draft.name, outcome.product.written.records)
        sidecars = outcome.described.sidecars(draft.name, sealed, outcome.tables)
        for kind, content in sidecars.items():
            draft.write(sidecar_name(draft.name, kind), content, private="private" in kind)
        files: tuple[Location, ...]
        if memory is None or ledger is None:
            files = draft.publish()
        else:
            files = memory.publish(ledger, draft, outcome.described, sealed, sidecars)
    return outcome.release(started, files=files)


def rehearse(recipe: Path | str | Recipe, *, session: Any = None, listener: Listener = lambda _: None) -> Release:
    """As `run`, and nothing is written: the release that would be published (`release.data`), verified as it is.

    Roles that are only suggested do: nobody gets to see it but whoever decides about them.
    """
    started = time.monotonic()
    listener = logged(listener)
    recipe = recipe_on(recipe, None, session)
    with spark_session(recipe, given=session, listener=listener) as opened_session:
        listener(Progress("load", "reading the data"))
        plan = make_plan(recipe, session=opened_session)
        with open_engine(recipe, session=opened_session, listener=listener) as engine:
            outcome = _make(plan, engine, listener, None, opened_session)
    return outcome.release(started, data=outcome.product.data)


def anonymize(
    frame: Frame,
    recipe: Recipe | dict[str, Any] | Path | str | None = None,
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
    method: str | None = None,
    listener: Listener = lambda _: None,
) -> Release[Frame]:
    """A data frame in, the same kind out (`release.data`), verified as it is.

    By a recipe; or by the roles of all columns and what is promised. The frame says where the work is done: a Spark frame in its
    own session, any other in this process. Nothing is written; of a lazy frame that is large, the rows lie in a private folder for
    temporary files until the call is over.

    Parameters
    ----------
    frame : pandas, Polars, DuckDB, pyarrow or Spark frame
        One row for each person, or one item set, or one tree.
    recipe : Recipe, dict or path, optional
        In its place all that follows.
    quasi : str, list of str, or dict
        What others could know of a person, and is blurred. A dictionary says how: `{"age": shoal.intervals(5, 10, start=0,
        stop=120), "sex": None}`; where it does not, it is proposed.
    sensitive, drop, plain : str or list of str
        Private facts; what names a person; what is published as it is. A column that is nowhere is refused.
    k, l, t, m : numbers
        What is promised: so many look the same, with so many different private facts, …
    guarantees : list of guarantees
        In the place of the numbers, such as `[shoal.KAnonymity(5)]`.
    suppression : float
        The fraction of the records that may be left out.
    method : str
        One of `shoal.methods()`.
    listener : callable
        Called with a `Progress` at each step.

    Returns
    -------
    Release
        `release.recipe` is what was done, and can be saved.

    Examples
    --------
    >>> import polars, shoal
    >>> people = polars.read_csv("demo/patients.csv", infer_schema=False)
    >>> release = shoal.anonymize(
    ...     people,
    ...     quasi=["age", "sex", "postcode"],
    ...     sensitive="diagnosis",
    ...     drop=["name", "schooling", "ward"],
    ...     k=5,
    ...     l=2,
    ... )
    >>> release.verdict.passed
    True
    >>> release.data.columns
    ['age', 'sex', 'postcode', 'diagnosis']
    """
    started = time.monotonic()
    listener = logged(listener)
    short = Short(quasi, sensitive, drop, plain, k, l, t, m, suppression, method, guarantees)
    shortly = said_shortly(recipe, short)
    with put_aside(frame) as rows:
        if shortly:
            source = from_frame(rows, None)
            recipe = short.recipe(source)
        else:
            recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(str(recipe))
            refuse_unconfirmed(recipe)
            source = from_frame(rows, recipe.schema_.sets, trees=tree_schema(recipe))
        session = session_of(source)
        with open_engine(recipe, session=session, listener=listener) as engine:
            outcome = _make(make_plan(recipe, source), engine, listener, None, session)
    return outcome.release(started, data=like(outcome.product.data, frame))


@dataclass(frozen=True, eq=False)
class _Outcome:
    product: Product
    described: Described
    tables: Mapping[str, str]  # of trees, the tables of the classes: file → SHA-256
    warnings: tuple[str, ...]  # of the input
    recipe: Recipe

    def release(self, started: float, *, data: Any = None, files: tuple[Location, ...] = ()) -> Release:
        written = self.product.written
        return Release(
            self.product.verdict,
            self.described,
            self.product.decision,
            written.records + written.suppressed,
            written.records,
            written.suppressed,
            time.monotonic() - started,
            data,
            files,
            self.warnings,
            self.described.empty_rows,
            self.recipe,
        )


def _make(
    plan: Plan,
    engine: Engine,
    listener: Listener,
    draft: AnyDraft | None,
    session: Any,
    memory: Memory | None = None,
) -> _Outcome:
    with compiling_announced(lambda: listener(Progress("compile", "once per machine"))):
        return _make_and_describe(plan, engine, listener, draft, session, memory)


def _make_and_describe(
    plan: Plan, engine: Engine, listener: Listener, draft: AnyDraft | None, session: Any, memory: Memory | None
) -> _Outcome:
    """The one path, and what is said of the release beside it."""
    kind = KINDS[plan.schema.kind]
    task = load_task(plan, engine, session=session)
    decision = task.decide(listener)
    product = make(task, decision, draft, listener)
    floor = kind.floor(task, decision, listener)
    listener(Progress("report", "measuring what was lost, and who could still be found"))
    described = with_changes(kind.describe(task, product, floor), empty_rows=engine.empty_rows, engine=engine.name)
    described = with_changes(described, book=with_labels(described.book, plan.source.notes, engine))
    if memory is not None:
        memory.follow(task, decision)
    records = product.written.records
    tables = {} if draft is None else kind.write_beside(draft, plan, records)
    if draft is not None and product.assignment is not None and session is not None:
        draft.seal(sidecar_name(draft.name, ASSIGNMENT), records)
    return _Outcome(product, described, tables, plan.source.warnings, plan.recipe)
