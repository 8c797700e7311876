"""The frontier of a table: every release that is best for its k, and what the next k costs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError
from shoal.guarantees.l_diversity import LDiversity
from shoal.io.source import from_frame
from shoal.loss import LOSSES
from shoal.methods.keys import seconds_of
from shoal.methods.method import Progress
from shoal.methods.tables.frontier import find_diverse, find_frontier, looks_of
from shoal.release.engines import open_engine, spark_session
from shoal.release.make import load_task
from shoal.release.plan import make_plan
from shoal.report.rungs import rungs
from shoal.report.tables.charts.diverse_frontier import diverse_frontier as draw_diverse
from shoal.report.tables.charts.frontier import frontier as draw
from shoal.report.tables.frontier import FrontierFacts, FrontierPoint, level_words, next_steps, table_html

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.method import Listener
    from shoal.methods.tables.frontier import Frontier
    from shoal.methods.tables.lattice.diverse import DiverseFront, DiversePoint
    from shoal.release.recipe.recipe import Recipe


@dataclass(frozen=True, eq=False)
class FrontierResult:
    """Every release that is best for its k, with what the next step costs. `found` has the exact fractions.

    Examples
    --------
    >>> import shoal
    >>> front = shoal.frontier("demo/recipe.toml")
    >>> front.points[0].loss
    Fraction(0, 1)
    """

    found: Frontier
    facts: FrontierFacts
    warnings: tuple[str, ...]
    seconds: float
    diverse: DiverseFront | None = None  # of k, l and loss, where the recipe promises distinct l-diversity
    asked_l: int = 1  # of the recipe

    @property
    def points(self) -> tuple[Any, ...]:
        """Ascending by k, with exact losses."""
        return self.found.points

    @property
    def reaching(self) -> DiversePoint | None:
        """Of the frontier of k and l: the release of least loss that keeps both promises of the recipe."""
        return None if self.diverse is None else self.diverse.reaching(self.facts.asked_k, self.asked_l)

    @property
    def passed(self) -> bool:
        """It is searched, and no release is made: nothing can fail."""
        return True

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """For every point what the next larger k costs, in words."""
        return next_steps(self.facts)

    @cached_property
    def picture(self) -> str:
        """The frontier as SVG; with l-diversity one line for each l."""
        return (
            draw(self.facts) if self.diverse is None else draw_diverse(self.facts, _lines(self.diverse), self.asked_l)
        )

    def to_json(self) -> dict[str, Any]:
        """As `shoal frontier --json` prints it."""
        columns = self.found.columns
        return {
            "points": [
                {
                    "k": point.k,
                    "loss": float(point.loss),
                    "levels": dict(zip(columns, point.levels, strict=True)),
                    "suppressed": point.suppressed,
                    "classes": point.classes,
                    "smallest_class": point.smallest_class,
                    "ties": [
                        {"levels": dict(zip(columns, tie.levels, strict=True)), "suppressed": tie.suppressed}
                        for tie in point.ties
                    ],
                    "bound": point.bound,
                    "proved": point.proved,
                    "next_step": step,
                }
                for point, step in zip(self.found.points, self.steps, strict=True)
            ],
            "today": {"k": self.facts.today_k, "loss": self.facts.today_loss},
            "loss_name": self.found.loss_name,
            "records_in": self.found.rows,
            "limit": self.found.limit,
            "evaluated": self.found.evaluated,
            "lattice": self.found.lattice,
            "complete": self.found.complete,
            "diverse": None if self.diverse is None else _diverse_json(self.diverse, columns),
            "warnings": list(self.warnings),
            "seconds": round(self.seconds, 3),
        }

    def __repr__(self) -> str:
        first, last = self.found.points[0], self.found.points[-1]
        sure = "complete" if self.found.complete else "cut short"
        return (
            f"FrontierResult({len(self.found.points)} points from k = {first.k:,} to {last.k:,}, {self.found.loss_name} loss "
            f"{self.facts.lost(float(first.loss))} to {self.facts.lost(float(last.loss))}, {sure})"
        )

    def _repr_html_(self) -> str:
        return f"{self.picture}{table_html(self.facts)}"


def _lines(diverse: DiverseFront) -> dict[int, list[tuple[int, float]]]:
    """For each l the k and loss of what has at least this l, both rising."""
    lines: dict[int, list[tuple[int, float]]] = {}
    for l in sorted({point.l for point in diverse.points}):  # noqa: E741
        line: list[tuple[int, float]] = []
        for point in sorted((p for p in diverse.points if p.l >= l), key=lambda p: (p.loss, -p.k)):
            if not line or point.k > line[-1][0]:
                line.append((point.k, float(point.loss)))
        lines[l] = line
    return lines


def _diverse_json(diverse: DiverseFront, columns: tuple[str, ...]) -> dict[str, Any]:
    return {
        "column": diverse.column,
        "points": [
            {
                "k": point.k,
                "l": point.l,
                "loss": float(point.loss),
                "levels": dict(zip(columns, point.levels, strict=True)),
                "suppressed": point.suppressed,
                "classes": point.classes,
            }
            for point in diverse.points
        ],
        "complete": diverse.complete,
    }


def table_frontier(
    recipe: Recipe,
    frame: Any = None,
    *,
    budget: str | float | None,
    points: int | None,
    deltas: Sequence[float] | None,
    listener: Listener,
) -> FrontierResult:
    """frame: a data frame; None: the recipe's input."""
    started = time.monotonic()
    if points is not None or deltas is not None:
        raise RecipeError("`points` and `deltas` are for mixed tables; of a table every k is shown.")
    source = None if frame is None else from_frame(frame, None)
    seconds = seconds_of(budget if budget is not None else recipe.method.options.get("budget"))
    with spark_session(recipe, frame=source, listener=listener) as session:
        listener(Progress("load", "reading the data"))
        plan = make_plan(recipe, source, session=session)
        with open_engine(recipe, session=session, listener=listener) as engine:
            task = load_task(plan, engine, session=session, purpose="compare")
            promise = _distinct(recipe)
            looks = looks_of(engine, task.problem, listener, promise.column if promise else None)
            found = find_frontier(looks, task.problem, seconds, listener)
            diverse = None
            if promise:
                left = None if seconds is None else max(0.0, seconds - found.seconds)
                diverse = find_diverse(looks, task.problem, promise.column, left, listener)
    facts = _facts(found, recipe, task.hierarchies.quasi)
    warnings = _warnings(recipe, promise if diverse else None)
    asked = int(promise.l) if promise else 1
    return FrontierResult(found, facts, warnings, time.monotonic() - started, diverse, asked)


def _distinct(recipe: Recipe) -> LDiversity | None:
    """The promise of distinct l-diversity, if there is one; two of them have no l in common."""
    distinct = [g for g in recipe.guarantees if isinstance(g, LDiversity) and g.variant == "distinct"]
    return distinct[0] if len(distinct) == 1 else None


def _facts(found: Frontier, recipe: Recipe, trees: Mapping[str, Hierarchy]) -> FrontierFacts:
    loss = LOSSES[found.loss_name]
    words = {name: _words(recipe, name, tree) for name, tree in trees.items()}
    return FrontierFacts(
        tuple(
            FrontierPoint(
                point.k,
                float(point.loss),
                tuple(
                    (name, level, words[name][level]) for name, level in zip(found.columns, point.levels, strict=True)
                ),
                point.suppressed,
                point.classes,
                len(point.ties),
                point.bound,
                point.proved,
            )
            for point in found.points
        ),
        found.rows,
        found.limit,
        *found.today,
        recipe.smallest_class,
        loss.title,
        loss.share,
        found.complete,
        found.evaluated,
        found.lattice,
    )


def _words(recipe: Recipe, name: str, tree: Hierarchy) -> list[str]:
    """Each level of a column in words, with an example where the recipe says it and not the data."""
    ladder = rungs(tree, tree.height, tree.root or "", stated=recipe.columns[name].states_its_values)
    return [level_words(level, tree.height, rung.example) for level, rung in enumerate(ladder)]


_ONE_LEVEL = ("optimal", "incognito", "poka", "frontier")  # methods that choose among the points of the frontier


def _warnings(recipe: Recipe, promise: LDiversity | None) -> tuple[str, ...]:
    """promise: the one that is looked at beside k."""
    others = [g.technical() for g in recipe.guarantees if g.name != "k-anonymity" and g is not promise]
    return (
        *_other_method(recipe.method.name),
        *_other_promises(others, "k alone" if promise is None else "k and l alone"),
    )


def _other_method(name: str) -> tuple[str, ...]:
    if name in _ONE_LEVEL:
        return ()
    return (
        f"The frontier shows releases with one level per column, as `optimal` makes them. The recipe's method is `{name}`, which "
        "blurs records by themselves and may lose less for the same k: `shoal compare` tells how much.",
    )


def _other_promises(others: list[str], seen: str) -> tuple[str, ...]:
    if not others:
        return ()
    return (
        f"The recipe also promises {' and '.join(others)}. The frontier looks at {seen}; a release that keeps all promises may "
        f"lose more than the point for its k.",
    )
