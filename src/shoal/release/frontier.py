"""The frontier of a recipe: of a table what each k costs; of single values beside sets of items what each delta does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, RecipeError
from shoal.io.source import from_frame
from shoal.loss import LOSSES
from shoal.methods.keys import seconds_of
from shoal.methods.method import Progress
from shoal.methods.tables.frontier import find_frontier, looks_of
from shoal.release.engines import open_engine, spark_session
from shoal.release.frontier_mixed import MixedFrontierResult, mixed_frontier
from shoal.release.plan import build_hierarchies, make_plan, problem_of
from shoal.release.recipe import Recipe
from shoal.release.recipe_sets import refuse_sets
from shoal.report.charts.frontier import frontier as draw
from shoal.report.frontier import FrontierFacts, FrontierPoint, level_words, next_steps, table_html
from shoal.report.rungs import rungs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.method import Listener
    from shoal.methods.tables.frontier import Frontier


@dataclass(frozen=True, eq=False)
class FrontierResult:
    """Every release that is best for its k, with what the next step costs. `found` has the exact fractions."""

    found: Frontier
    facts: FrontierFacts
    warnings: tuple[str, ...]
    seconds: float

    @property
    def points(self) -> tuple[Any, ...]:
        return self.found.points

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """For every point what the next larger k costs, in words."""
        return next_steps(self.facts)

    @cached_property
    def picture(self) -> str:
        """The frontier as SVG."""
        return draw(self.facts)

    def to_json(self) -> dict[str, Any]:
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


def frontier(
    data: Any,
    recipe: Recipe | dict[str, Any] | Path | str | None = None,
    *,
    budget: str | float | None = None,
    points: int | None = None,
    deltas: Sequence[float] | None = None,
    listener: Listener = lambda _: None,
) -> FrontierResult | MixedFrontierResult:
    """Every release that is best for its k, whatever k the recipe asks for.

    Of single values beside sets of items: what each delta of `rum-bound` or `tum-bound` loses on both sides, each a release that
    was verified and let go. `points`: how many deltas are tried, 9 without it; or `deltas`: which.

    `data`: a data frame, with the recipe beside it; or the recipe alone, which names its input.
    """
    started = time.monotonic()
    frame = None if recipe is None else data
    recipe = data if recipe is None else recipe
    recipe = Recipe.of(recipe) if isinstance(recipe, Recipe | dict) else Recipe.load(recipe)
    if recipe.schema_.kind == "mixed":
        return mixed_frontier(
            recipe,
            None if frame is None else from_frame(frame, recipe.schema_.sets),
            budget=seconds_of(budget),
            points=points,
            deltas=deltas,
            listener=listener,
        )
    source = None if frame is None else from_frame(frame, None)
    refuse_sets(recipe, "The frontier")
    if points is not None or deltas is not None:
        raise RecipeError(
            "`points` and `deltas` are for single values beside sets of items; of a table every k is told."
        )
    seconds = seconds_of(budget if budget is not None else recipe.method.options.get("budget"))
    with spark_session(recipe, frame=source, listener=listener) as session:
        listener(Progress("load", "reading the data"))
        plan = make_plan(recipe, source, session=session)
        with open_engine(recipe, session=session, listener=listener) as engine:
            if not engine.load(plan.source, plan.schema):
                raise DataError(f"There are no records in {plan.source.name}; there is nothing to compare.")
            hierarchies = build_hierarchies(plan, engine)
            problem = problem_of(plan, hierarchies)
            found = find_frontier(looks_of(engine, problem, listener), problem, seconds, listener)
    return FrontierResult(
        found, _facts(found, recipe, hierarchies.quasi), _warnings(recipe), time.monotonic() - started
    )


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


def _warnings(recipe: Recipe) -> tuple[str, ...]:
    others = [g.technical() for g in recipe.guarantees if g.name != "k-anonymity"]
    if not others:
        return ()
    return (
        f"The recipe also promises {' and '.join(others)}. The frontier looks at k alone; a release that keeps all promises may "
        f"lose more than the point for its k.",
    )
