"""The hierarchies that a recipe asks for, built over the values that an engine has loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.hidden import is_hidden
from shoal.errors import HierarchyError, RecipeError
from shoal.guarantees import TCloseness
from shoal.hierarchies.build import build
from shoal.hierarchies.decimals import parse
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.release.guards.standing import standing
from shoal.release.guards.unclear import refuse_unclear, refuse_unknown
from shoal.release.plan import Hierarchies

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shoal.engines.engine import Engine
    from shoal.release.plan import Plan
    from shoal.release.recipe.recipe import Recipe


def build_hierarchies(plan: Plan, engine: Engine) -> Hierarchies:
    """The hierarchy of every quasi-identifier, and of sensitive columns that need one. Mistakes are reported together."""
    recipe = plan.recipe
    counted = {recipe.loss.column, *(g.sensitive for g in recipe.guarantees)} - {None, *plan.schema.quasi}
    quasi: dict[str, Hierarchy] = {}
    sensitive: dict[str, Hierarchy | None] = {}
    faults: list[str] = []
    grouping = (*plan.schema.sets, *plan.schema.nodes)
    unstated = [name for name in grouping if recipe.columns[name].hierarchy is None]
    for name in recipe.columns:
        if name not in plan.schema.quasi and name not in counted:
            continue
        counts = engine.domain(name).counts
        refuse_unclear(plan.schema, name, counts, recipe.missing)
        if name in counted and not needs_hierarchy(recipe, name, counts):
            sensitive[name] = None
            continue
        if name in unstated or (
            name in plan.schema.nodes and not counts
        ):  # of a class that no record has, nothing is asked
            quasi[name] = flat(counts)
            continue
        try:
            hierarchy = hierarchy_of(recipe, name, counts)
        except HierarchyError as mistake:
            where = standing(plan, name, counts)
            faults += [f"columns.{name}.hierarchy: {fault}{where}" for fault in mistake.faults]
            continue
        if name in plan.schema.quasi:
            quasi[name] = hierarchy
        else:
            sensitive[name] = hierarchy
    if faults:
        raise HierarchyError(*faults)
    refuse_unknown(plan.schema, quasi)
    return Hierarchies(quasi, sensitive, frozenset(unstated))


def flat(items: Iterable[str | None]) -> Hierarchy:
    """Of items or nodes that need no hierarchy: each stands for itself, or for all."""
    known = sorted(item for item in items if item is not None)
    top = "*"
    while top in known:
        top += "*"
    return Hierarchy.from_paths([(item, top) for item in known] or [(top,)])


def hierarchy_of(recipe: Recipe, name: str, values: Iterable[str | None]) -> Hierarchy:
    """The hierarchy of a column that has these values."""
    if name not in recipe.schema_.quasi:  # what a reader takes for hidden is as if it were missing
        values = {None if is_hidden(value) else value for value in values}
    # sorted: nothing about the release may depend on the order in which an engine met the values
    domain = sorted(values, key=lambda value: (value is None, value))
    return build(recipe.columns[name].hierarchy, domain, base=recipe.folder)


def needs_hierarchy(recipe: Recipe, name: str, counts: Mapping[str | None, int]) -> bool:
    """Whether a guarantee measures distances between the values of a sensitive column along its hierarchy."""
    distances = {g.distance for g in recipe.guarantees if isinstance(g, TCloseness) and g.sensitive == name}
    if "hierarchical" in distances:
        return True
    if "ordered" not in distances or all(parse(value or "") is not None for value in counts if not is_hidden(value)):
        return False  # numbers have an order of their own
    if recipe.columns[name].hierarchy is None:
        raise RecipeError(
            f"guarantee: t-closeness of '{name}' with ordered distance needs numbers, or a hierarchy of that column whose "
            f'values are in order: {{ order = ["low", "middle", "high"], sizes = [3] }}.'
        )
    return True
