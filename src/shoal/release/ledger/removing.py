"""People who asked to be removed: the release is made as if they had never been in the data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.data.paths import FieldPath
from shoal.data.schema import Role
from shoal.errors import RecipeError
from shoal.io.without import Removed, read_removed, source_without
from shoal.release.plan import tree_schema

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.release.plan import Plan
    from shoal.release.recipe.recipe import Recipe

_NO_LEDGER = (
    "People were left out, and the recipe has no `[ledger]`: whether the difference from an earlier release shows who they are was "
    "not looked at."
)


def removed_by(recipe: Recipe, path: Path) -> Removed:
    """Who is to be left out. Refused where they cannot be told from others, before anything is read."""
    removed = read_removed(path)
    spec = recipe.columns.get(removed.column)
    if spec is None or spec.role is not Role.IDENTIFYING:
        named = ", ".join(f"'{name}'" for name, one in recipe.columns.items() if one.role is Role.IDENTIFYING)
        raise RecipeError(
            f"{path.name}: its column must be named like an identifying column of the data"
            + (f", one of {named}." if named else "; the recipe has none.")
        )
    if recipe.engine.name != "local":
        raise RecipeError('People are left out on the engine "local" only. On Spark, take them out of the data first.')
    if recipe.input is not None and recipe.input.url:
        raise RecipeError("People are left out of files. Of a database, leave them out by `[input] query`.")
    if recipe.schema_.nodes and not (recipe.ledger and recipe.ledger.person == removed.column):
        raise RecipeError(
            f"{path.name}: of trees, name the column '{removed.column}' also in `[ledger] person`; other identifying columns are "
            "not read."
        )
    if any(one.written for one in recipe.columns.values()):
        raise RecipeError(
            "People cannot be left out where a column says how it is written; take them out of the data first."
        )
    return removed


def plan_without(plan: Plan, removed: Removed, scratch: Path | None) -> Plan:
    """The same plan for the records that are left."""
    schema = plan.schema
    column = next(one for one in schema if one.name == removed.column)
    trees = tree_schema(plan.recipe)
    place = None if trees is None else FieldPath.of(column.place)
    source, number = source_without(plan.source, removed, place, schema.sets, trees, scratch)
    told = (
        f"{number:,} {'record' if number == 1 else 'records'} of people in {removed.file} {'was' if number == 1 else 'were'} left "
        "out. The verifier held the release against the records that are left, as they were read for this run."
    )
    warnings = (told, *(() if plan.recipe.ledger is not None else (_NO_LEDGER,)), *plan.source.warnings)
    return replace(plan, source=replace(source, warnings=warnings, notes=plan.source.notes))
