"""Releases of a table to choose from: the exact frontier of k; where more is promised, the best release for one k after the other.

What a point shows is decided by the same recoding that a release at that point applies.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.text import texts
from shoal.errors import Infeasible, RecipeError
from shoal.loss import LOSSES
from shoal.methods.keys import seconds_of
from shoal.methods.method import Progress
from shoal.methods.registry import method_from
from shoal.methods.tables.frontier import find_frontier, looks_of
from shoal.methods.tables.problem import table_recoding
from shoal.recoding.tables.levels import LevelRecoding
from shoal.release.editing.basis import search_basis
from shoal.release.engines import open_engine, spark_session
from shoal.release.kinds.tables.head import head_of
from shoal.release.make import load_task, problem_of
from shoal.release.plan import make_plan
from shoal.release.searching.promised import number_of, recipe_with
from shoal.release.searching.records import RECORDS, cell_of
from shoal.report.rungs import rungs
from shoal.report.steward.choices import Cell, Choice, Choices, Preview, Price, Reason, reason_words
from shoal.report.tables.frontier import level_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.data.frequency import FrequencySet
    from shoal.methods.method import Decision, Listener
    from shoal.release.editing.document import RecipeDocument
    from shoal.release.task import Task

SECONDS = 60.0  # for the search; what was found until then is shown
_NUMBERS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
_OTHERS = 400  # releases that are no better than some point, drawn faintly
_LOOKED_AT = 60  # records from the first on: some of them may be left out
_MOST = 150  # points with a preview


def table_choices(
    document: RecipeDocument, listener: Listener = lambda _: None, *, seconds: float = SECONDS
) -> Choices:
    """Every release that is best for its k, with what it shows."""
    recipe = document.recipe()
    with spark_session(recipe, listener=listener) as session:
        listener(Progress("load", "reading the data"))
        plan = make_plan(recipe, session=session)
        with open_engine(recipe, session=session, listener=listener) as engine:
            task = load_task(plan, engine, session=session, purpose="search")
            shower = _Shower(task)
            only_k = all(guarantee.name == "k-anonymity" for guarantee in recipe.guarantees)
            found = (
                _front(task, shower, seconds, listener) if only_k else _steps(document, task, shower, seconds, listener)
            )
            reasons, prices = _why(task, shower, listener)
    return replace(found, reasons=reasons, prices=prices, basis=search_basis(document.values, method=False))


@dataclass(frozen=True, eq=False)
class _Shower:
    """What the first records of a table show in a release."""

    task: Task

    @cached_property
    def frequency(self) -> FrequencySet:
        """Of the quasi-identifiers."""
        return self.task.engine.frequency_set(self.task.problem.hierarchies, self.task.problem.sensitive)

    @cached_property
    def head(self) -> pa.Table:
        """The first records, as the data hold them."""
        return head_of(self.task.plan.source, self.task.plan.schema, _LOOKED_AT)

    @cached_property
    def codes(self) -> np.ndarray:
        """(records, columns): leaf codes of the first records."""
        hierarchies = self.task.problem.hierarchies
        columns = [[tree.code(value) for value in texts(self.head.column(name))] for name, tree in hierarchies.items()]
        return np.array(columns, np.int32).T.reshape(self.head.num_rows, len(columns))

    @cached_property
    def words(self) -> dict[str, list[str]]:
        """Of each column its levels in words."""
        columns = self.task.plan.recipe.columns
        return {
            name: [
                level_words(level, tree.height, rung.example)
                for level, rung in enumerate(
                    rungs(tree, tree.height, tree.root or "", stated=columns[name].states_its_values)
                )
            ]
            for name, tree in self.task.problem.hierarchies.items()
        }

    def choice(self, k: int, decision: Decision, method: str, *, proved: bool = True) -> Choice:
        """The release of a decision."""
        recoding = table_recoding(decision)
        if not isinstance(recoding, LevelRecoding):
            raise RecipeError("Only releases with one level for each column can be chosen here.")
        recoded = recoding.over(self.frequency)
        sizes = recoded.class_sizes
        levels = tuple(
            (name, self.words[name][level]) for name, level in zip(recoding.columns, recoding.levels, strict=True)
        )
        return Choice(
            k,
            float(decision.loss),
            decision.suppressed,
            recoded.rows - decision.suppressed,
            int(sizes.min()) if len(sizes) else None,
            len(sizes),
            levels,
            self._preview(recoding, recoded.values, sizes),
            method,
            proved,
        )

    def _preview(self, recoding: LevelRecoding, values: np.ndarray, sizes: np.ndarray) -> Preview:
        """values: (classes, columns) group numbers of the classes that are published; sizes: (classes,)."""
        published = self.task.plan.schema.published
        place = {name: c for c, name in enumerate(recoding.columns)}
        groups = np.stack(
            [recoding.hierarchies[c].groups[level][self.codes[:, c]] for c, level in enumerate(recoding.levels)],
            axis=1,
        ).reshape(len(self.codes), len(place))
        labels = [recoding.labels(c) for c in range(len(place))]
        others = {name: texts(self.head.column(name)) for name in published if name not in place}
        rows: list[tuple[Cell, ...]] = []
        same: list[int] = []
        for record, group in enumerate(groups):
            size = int(sizes[(values == group).all(axis=1)].sum())
            if not size:
                continue  # left out
            if len(rows) == RECORDS:
                break
            cells = []
            for name in published:
                if name not in place:
                    cells.append(cell_of(others[name][record], blurred=False))
                    continue
                c = place[name]
                label = labels[c][int(group[c])]
                leaf = recoding.hierarchies[c].labels[int(self.codes[record, c])]
                cells.append(cell_of(leaf if label is None else label, blurred=label != leaf))
            rows.append(tuple(cells))
            same.append(size)
        return Preview(tuple(published), tuple(rows), tuple(same))


def _front(task: Task, shower: _Shower, seconds: float, listener: Listener) -> Choices:
    """The exact frontier; the method of the same name makes the release of a point again."""
    recipe, problem = task.plan.recipe, task.problem
    looks = looks_of(task.engine, problem, listener)
    budget = seconds_of(recipe.method.options.get("budget")) or seconds
    found = find_frontier(looks, problem, budget, listener)
    points = [point for point in found.points if point.k > 1]
    if len(points) > _MOST:
        points = [points[int(at)] for at in np.unique(np.linspace(0, len(points) - 1, _MOST))]
    choices = []
    for at, point in enumerate(points):
        if at % 8 == 0:
            listener(Progress("preview", "looking at what each release shows", at / len(points)))
        started = time.monotonic()
        decision = looks.decision(
            problem, looks(point.levels), optimal=point.proved, bound=point.bound, started=started
        )
        choices.append(shower.choice(point.k, decision, "frontier", proved=point.proved))
    others = sorted({(look.k, float(look.loss)) for look in looks.seen.values() if look.k > 1})
    front = {(choice.k, choice.loss) for choice in choices}
    step = max(1, len(others) // _OTHERS)
    loss = LOSSES[found.loss_name]
    return Choices(
        tuple(choices),
        found.rows,
        len(shower.frequency.counts) / found.rows if found.rows else None,
        loss.title,
        loss.share,
        others=tuple(other for other in others[::step] if other not in front),
        notes=()
        if found.complete
        else ("The time was up before all releases were looked at; there may be better ones.",),
    )


def _steps(document: RecipeDocument, task: Task, shower: _Shower, seconds: float, listener: Listener) -> Choices:
    """More is promised than k, so each k is searched by itself, with all promises."""
    until = time.monotonic() + seconds
    own = number_of(task.plan.recipe.guarantees)
    numbers = [own, *(n for n in _NUMBERS if n != own and n <= task.records)]
    points: list[Choice] = []
    refused, notes = [], []
    for at, number in enumerate(numbers):
        left = until - time.monotonic()
        if at and left <= 0:
            notes.append(f"The time was up before these were tried: {', '.join(f'{n:,}' for n in numbers[at:])}.")
            break
        try:
            decision = _decided(document, task, number, _telling(listener, number, at / len(numbers)), max(left, 5.0))
        except Infeasible as reason:
            refused.append((number, str(reason)))
            continue
        points.append(shower.choice(number, decision, "optimal", proved=decision.optimal))
    loss = LOSSES[task.problem.loss.name]
    return Choices(
        tuple(sorted(points, key=lambda point: point.k)),
        task.records,
        len(shower.frequency.counts) / task.records if task.records else None,
        loss.title,
        loss.share,
        notes=tuple(notes),
        refused=tuple(sorted(refused)),
    ).trimmed(own)


def _decided(document: RecipeDocument, task: Task, number: int, listener: Listener, seconds: float) -> Decision:
    plan = replace(task.plan, recipe=recipe_with(document, number))
    trial = replace(task, plan=plan, problem=problem_of(plan, task.hierarchies))
    return trial.decide(listener, method=method_from("optimal"), options={"budget": f"{seconds:.0f}s"})


def _telling(listener: Listener, number: int, done: float) -> Callable[[Progress], None]:
    def tell(event: Progress) -> None:
        listener(replace(event, message=f"groups of {number:,}: {event.message}", done=done))

    return tell


def _why(task: Task, shower: _Shower, listener: Listener) -> tuple[tuple[Reason, ...], tuple[Price, ...]]:
    """Of the recipe's own promise: why each column is blurred, and what leaving people out would buy."""
    listener(Progress("why", "asking why"))
    try:
        decision = task.decide(listener, method=method_from("optimal"), options={"budget": "20s"})
    except Infeasible:
        return (), ()
    reasons = tuple(
        Reason(one.column, shower.words[one.column][one.level], reason_words(one.failing, task.records))
        for one in decision.reasons
    )
    own = Price(float(task.plan.recipe.suppression.limit), float(decision.loss), decision.suppressed)
    more = [Price(one.limit, one.loss, one.suppressed) for one in decision.tradeoffs]
    better = [own]
    for price in sorted(more, key=lambda price: price.limit):
        if price.loss < better[-1].loss:
            better.append(price)
    return reasons, tuple(better)
