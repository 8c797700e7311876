"""Releases for one k after the other, by the recipe's own method: each is made in memory, verified, measured and let go."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.errors import Infeasible, NotAnonymous, RecipeError
from shoal.loss import KINDS as LOSSES
from shoal.methods.method import Progress
from shoal.release.editing.basis import search_basis
from shoal.release.engines import open_engine, spark_session
from shoal.release.make import load_task, make_apart, problem_of
from shoal.release.plan import make_plan
from shoal.release.searching.promised import letter_of, number_of, recipe_with
from shoal.release.searching.records import spread
from shoal.report.steward.choices import Choice, Choices, Preview

if TYPE_CHECKING:
    from shoal.engines.engine import Engine
    from shoal.io.source import Source
    from shoal.methods.method import Listener
    from shoal.release.editing.document import RecipeDocument
    from shoal.release.task import Product, Task

NUMBERS = (2, 3, 5, 10, 20, 50, 100)
SECONDS = 90.0  # no other release is begun that would end later; that of the recipe is made first, whatever it takes


def sweep(
    document: RecipeDocument,
    listener: Listener = lambda _: None,
    *,
    seconds: float = SECONDS,
    source: Source | None = None,
) -> Choices:
    """Of sets of items, mixed tables and trees, which have no exact frontier of k. source: in place of the recipe's input."""
    until = time.monotonic() + seconds
    recipe = document.recipe()
    own = number_of(recipe.guarantees)
    numbers = [own, *sorted({*NUMBERS} - {own})]
    points: list[Choice] = []
    refused: list[tuple[int, str]] = []
    notes: list[str] = []
    last = 0.0  # seconds that the last one took: another that would not end in time is not begun
    with spark_session(recipe, frame=source, listener=listener) as session:
        listener(Progress("load", "reading the data"))
        plan = make_plan(recipe, source, session=session)
        with open_engine(recipe, session=session, listener=listener) as engine:
            task = load_task(plan, engine, session=session, purpose="search")
            for at, number in enumerate(numbers):
                if at and time.monotonic() + last >= until:
                    left = ", ".join(f"{n:,}" for n in numbers[at:])
                    notes.append(f"The time was up before these were tried: {left}.")
                    break
                begun = time.monotonic()
                try:
                    points.append(_tried(document, task, number, at / len(numbers), listener))
                except (Infeasible, NotAnonymous, RecipeError) as reason:
                    refused.append((number, str(reason)))
                last = time.monotonic() - begun
            title, share = _loss_of(plan.schema.kind, recipe.loss_name)
    return Choices(
        tuple(sorted(points, key=lambda point: point.k)),
        task.records,
        None,
        title,
        share,
        letter_of(recipe.guarantees),
        notes=tuple(notes),
        refused=tuple(sorted(refused)),
        basis=search_basis(document.values, method=True),
    ).trimmed(own)


def _tried(document: RecipeDocument, task: Task, number: int, done: float, listener: Listener) -> Choice:
    recipe = recipe_with(document, number)
    plan = replace(task.plan, recipe=recipe)
    trial = replace(task, plan=plan, problem=problem_of(plan, task.hierarchies))
    letter = letter_of(recipe.guarantees)

    def tell(event: Progress) -> None:
        listener(replace(event, message=f"{letter} = {number:,}: {event.message}", done=done))

    tell(Progress("search", "deciding"))
    decision = trial.decide(tell)
    product = make_apart(trial, decision, tell)
    return Choice(
        number,
        float(decision.loss),
        decision.suppressed,
        product.written.records,
        *_groups(task, product),
        preview=_preview(trial, product),
    )


def _groups(task: Task, product: Product) -> tuple[int | None, int | None]:
    """The smallest group of people who look the same and the number of groups, where single values make such groups."""
    verdict = product.verdict
    return (verdict.smallest_class, verdict.classes) if task.plan.schema.quasi_values else (None, None)


def _preview(task: Task, product: Product) -> Preview:
    import pyarrow as pa

    if not isinstance(product.data, pa.Table):
        return Preview()  # on a cluster: nothing of it is brought here
    schema = task.plan.schema
    domains = {name: _texts(task.engine, name) for name in schema.names(Role.QUASI)}
    return spread(product.data, domains, schema.quasi_values)


def _texts(engine: Engine, name: str) -> frozenset[str]:
    return frozenset(value for value in engine.domain(name).counts if value is not None)


def _loss_of(kind: str, name: str) -> tuple[str, bool]:
    loss = next(losses[name] for of, losses in LOSSES.items() if of == kind)
    return loss.title, loss.share
