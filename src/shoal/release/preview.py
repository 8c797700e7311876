"""What `shoal plan` shows: the recipe held against the data, nothing decided and nothing written."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shoal.data.schema import Role
from shoal.release.engines import open_engine, recipe_on, spark_session
from shoal.release.guards.linkable import linkable
from shoal.release.guards.reads import refuse_overwriting
from shoal.release.hierarchies import build_hierarchies
from shoal.release.kinds.registry import KINDS
from shoal.release.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shoal.data.schema import Column
    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.release.recipe.recipe import Recipe
    from shoal.release.recipe.sections import EngineName

_WHAT = {  # of a quasi-identifier: see `Kind.treatment`
    Role.IDENTIFYING: "removed",
    Role.SENSITIVE: "published, protected by the promise",
    Role.PLAIN: "published as it is, outside the promise",
}


@dataclass(frozen=True)
class PlannedColumn:
    """What will happen to a column. The figures are of columns that something is promised about."""

    name: str
    role: str
    what: str
    distinct: int | None = None
    missing: int | None = None
    levels: int | None = None


@dataclass(frozen=True)
class Preview:
    """What `shoal plan` shows."""

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
    empty_rows: int = 0  # without any published value: no records

    def to_json(self) -> dict[str, Any]:
        """As `shoal plan --json` prints it."""
        return asdict(self)


def preview(recipe: Path | str | Recipe, *, engine: EngineName | None = None) -> Preview:
    """`engine`: plan for this one, whatever the recipe says."""
    recipe = recipe_on(recipe, engine)
    refuse_overwriting(recipe)
    with spark_session(recipe) as session:
        plan = make_plan(recipe, session=session)
        with open_engine(recipe, session=session) as opened:
            records = opened.load(plan.source, plan.schema)
            hierarchies = build_hierarchies(plan, opened).stated
            unique = tuple(linkable(plan.schema, opened, records))
            columns = [_planned(column, opened, hierarchies, recipe) for column in plan.schema]
            empty = opened.empty_rows
    return Preview(
        plan.source.name,
        records,
        tuple(columns),
        tuple(f"{g.sentence()} ({g.technical()})" for g in recipe.guarantees),
        plan.method.name,
        recipe.engine.name,
        recipe.loss_name,
        KINDS[plan.schema.kind].lattice(hierarchies),
        math.floor(recipe.suppression_limit * records),
        recipe.suppression.limit,
        recipe.output.path if recipe.output else None,
        recipe.unconfirmed,
        (*plan.source.warnings, *unique),
        empty,
    )


def _planned(column: Column, engine: Engine, hierarchies: Mapping[str, Hierarchy], recipe: Recipe) -> PlannedColumn:
    if column.role not in (Role.QUASI, Role.SENSITIVE):
        return PlannedColumn(column.name, column.role.value, _WHAT[column.role])
    what = _WHAT.get(column.role) or KINDS[recipe.schema_.kind].treatment(column, hierarchies, recipe)
    counts = engine.domain(column.name).counts
    levels = hierarchies[column.name].height + 1 if column.name in hierarchies else None
    return PlannedColumn(column.name, column.role.value, what, len(counts), counts.get(None, 0), levels)
