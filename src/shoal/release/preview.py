"""What `shoal plan` shows: the recipe held against the data, nothing decided and nothing written."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shoal.data.schema import Role
from shoal.release.engines import open_engine, recipe_on, spark_session
from shoal.release.plan import build_hierarchies, make_plan
from shoal.release.recipe_mixed import loss_for_both
from shoal.release.recipe_sets import set_loss
from shoal.release.recipe_trees import LOSSES_FOR_TREES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shoal.data.schema import Column
    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.release.recipe import Recipe
    from shoal.release.sections import EngineName

_WHAT = {
    Role.IDENTIFYING: "removed",
    Role.QUASI: "blurred as far as the promise needs",
    Role.SENSITIVE: "published, protected by the promise",
    Role.PLAIN: "published as it is, outside the promise",
}


@dataclass(frozen=True)
class PlannedColumn:
    name: str
    role: str
    what: str
    distinct: int | None = None
    missing: int | None = None
    levels: int | None = None


@dataclass(frozen=True)
class Preview:
    source: str
    records: int
    columns: tuple[PlannedColumn, ...]
    promises: tuple[str, ...]
    method: str
    engine: str
    loss: str
    lattice: int
    limit: int
    limit_share: float
    output: str | None
    unconfirmed: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def preview(recipe: Path | str | Recipe, *, engine: EngineName | None = None) -> Preview:
    """`engine`: plan for this one, whatever the recipe says."""
    recipe = recipe_on(recipe, engine)
    with spark_session(recipe) as session:
        plan = make_plan(recipe, session=session)
        with open_engine(recipe, session=session) as opened:
            records = opened.load(plan.source, plan.schema)
            trees = build_hierarchies(plan, opened).stated
            columns = [_planned(column, opened, trees, recipe) for column in plan.schema]
    return Preview(
        plan.source.name,
        records,
        tuple(columns),
        tuple(f"{g.sentence()} ({g.technical()})" for g in recipe.guarantees),
        plan.method.name,
        recipe.engine.name,
        _loss(recipe),
        math.prod(h.height + 1 for h in trees.values()) if plan.schema.kind == "table" else 0,
        math.floor(recipe.suppression_limit * records),
        recipe.suppression.limit,
        recipe.output.path if recipe.output else None,
        recipe.unconfirmed,
        plan.source.warnings,
    )


def _loss(recipe: Recipe) -> str:
    kind = recipe.schema_.kind
    if kind == "mixed":
        return loss_for_both(recipe)
    if kind == "trees":
        return LOSSES_FOR_TREES[0]
    return recipe.loss.name if kind == "table" else set_loss(recipe.guarantees)


def _planned(column: Column, engine: Engine, trees: Mapping[str, Hierarchy], recipe: Recipe) -> PlannedColumn:
    what = _WHAT[column.role]
    if column.kind == "set" and column.role is Role.QUASI:
        what = _what_of_sets(column, trees, recipe)
    if column.kind == "node" and column.role is Role.QUASI:
        below = f"nodes below '{column.parent}'" if column.parent else "nodes below the record"
        what = f"{below}, shown as labels, left out or kept apart as far as the promise needs"
    if column.role not in (Role.QUASI, Role.SENSITIVE):
        return PlannedColumn(column.name, column.role.value, what)
    counts = engine.domain(column.name).counts
    levels = trees[column.name].height + 1 if column.name in trees else None
    return PlannedColumn(column.name, column.role.value, what, len(counts), counts.get(None, 0), levels)


def _what_of_sets(column: Column, trees: Mapping[str, Hierarchy], recipe: Recipe) -> str:
    if recipe.schema_.kind == "sets":
        return "items shown as labels" if column.name in trees else "shown as base sets, with what may differ"
    shown = "labels" if recipe.method.options.get("items") == "hierarchy" else "sets of items"
    kept = len(column.sensitive_items)
    return f"items shown as {shown}" + (
        f", {kept:,} sensitive {'one' if kept == 1 else 'ones'} as they are" if kept else ""
    )
