"""Levels that the recipe states, as an earlier release has them: one for every quasi-identifying column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError, did_you_mean

if TYPE_CHECKING:
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.tables.lattice.lattice import Node


def level_problems(levels: Any) -> list[str]:
    """What is wrong with them whatever the data holds. None: they are not stated."""
    if levels is None:
        return []
    whole = isinstance(levels, Mapping) and all(
        isinstance(level, int) and not isinstance(level, bool) and level >= 0 for level in levels.values()
    )
    return (
        []
        if whole and levels
        else ["`levels` must name a level, a whole number from 0, for each column: { age = 2, sex = 0 }."]
    )


def stated_node(levels: Mapping[str, int], hierarchies: Mapping[str, Hierarchy]) -> Node:
    """The levels in the order of the columns; refused where they are others than the recipe blurs, or higher than there are."""
    problems = [
        f"method.levels: '{name}' is not a quasi-identifying column.{did_you_mean(name, hierarchies)}"
        for name in levels
        if name not in hierarchies
    ]
    problems += [
        f"method.levels: the level of '{name}' must be given too." for name in hierarchies if name not in levels
    ]
    problems += [
        f"method.levels: '{name}' has no level {levels[name]}; its hierarchy ends with {hierarchy.height}."
        for name, hierarchy in hierarchies.items()
        if name in levels and levels[name] > hierarchy.height
    ]
    if problems:
        raise RecipeError(*problems)
    return tuple(levels[name] for name in hierarchies)
