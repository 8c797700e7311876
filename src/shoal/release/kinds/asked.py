"""What is asked of data when its risk is assessed, whatever its kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shoal.guarantees.t_closeness import TCloseness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.release.attacking.register import Register
    from shoal.release.recipe.recipe import Recipe


@dataclass(frozen=True)
class Asked:
    """k: from how many records on that fit nobody is at risk; m, n: items or values, and pairs of them, as promised.

    l, t: by private column, how many values differ where people look the same, and how far these are from the values of all.
    """

    k: int
    m: int
    n: int
    threshold: float | None = None
    population: int | None = None
    l: Mapping[str, float] = field(default_factory=dict)  # noqa: E741
    t: Mapping[str, float] = field(default_factory=dict)
    strict: bool = True  # of trees: also against somebody who knows that values stand on one path
    register: Register | None = None  # of the population

    @classmethod
    def of(cls, recipe: Recipe, threshold: float, population: int | None, register: Register | None = None) -> Asked:
        """As the recipe promises it."""
        m, n = max(g.m or 1 for g in recipe.guarantees), max(g.n or 0 for g in recipe.guarantees)
        diverse = {g.sensitive: g.l for g in recipe.guarantees if g.sensitive and g.l is not None}
        # a bound on guesses follows where all values are equally far from each other
        close = {g.column: g.t for g in recipe.guarantees if isinstance(g, TCloseness) and g.distance == "equal"}
        strict = any(getattr(g, "mode", "strict") == "strict" for g in recipe.guarantees)
        return cls(recipe.smallest_class, m, n, threshold, population, diverse, close, strict, register)
