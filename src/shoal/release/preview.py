"""What `shoal plan` shows: the recipe held against the data, nothing decided and nothing written."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shoal.data.schema import Role
from shoal.engines.local import LocalEngine
from shoal.release.plan import build_hierarchies, make_plan
from shoal.release.recipe import Recipe

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
    loss: str
    lattice: int
    limit: int
    limit_share: float
    output: str | None
    unconfirmed: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def preview(recipe: Path | str | Recipe) -> Preview:
    recipe = recipe if isinstance(recipe, Recipe) else Recipe.load(recipe)
    plan = make_plan(recipe)
    engine = LocalEngine(recipe.engine.memory, recipe.engine.threads)
    try:
        records = engine.load(plan.source, plan.schema)
        trees = build_hierarchies(plan, engine).quasi
        columns = []
        for column in plan.schema:
            what = _WHAT[column.role]
            if column.role in (Role.QUASI, Role.SENSITIVE):
                counts = engine.domain(column.name).counts
                levels = trees[column.name].height + 1 if column.name in trees else None
                columns.append(
                    PlannedColumn(column.name, column.role.value, what, len(counts), counts.get(None, 0), levels)
                )
            else:
                columns.append(PlannedColumn(column.name, column.role.value, what))
    finally:
        engine.close()
    return Preview(
        plan.source.name,
        records,
        tuple(columns),
        tuple(f"{g.sentence()} ({g.technical()})" for g in recipe.guarantees),
        plan.method.name,
        recipe.loss.name,
        math.prod(h.height + 1 for h in trees.values()),
        math.floor(recipe.suppression_limit * records),
        recipe.suppression.limit,
        recipe.output.path if recipe.output else None,
        recipe.unconfirmed,
    )
