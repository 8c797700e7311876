"""Attack a release before it is published, and tell the rates as a report does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.attacks.attack import simulate
from shoal.report import digits
from shoal.report.facts import AttackRate

if TYPE_CHECKING:
    from shoal.attacks.attack import Attack, Todo
    from shoal.release.recipe.recipe import Recipe


def rates(todo: Todo, recipe: Recipe, *, public: bool = True) -> tuple[AttackRate, ...]:
    """Within the budget of the recipe. public: False where what is drawn follows the order of the original."""
    made = simulate(todo, recipe.attacks.budget).attacks
    return tuple(_rate(one if public else replace(one, public=False)) for one in made)


def _rate(one: Attack) -> AttackRate:
    """Three digits, to the side on which they flatter nobody."""
    low, high = one.meter.interval
    return AttackRate(
        one.question,
        one.name,
        one.meter.attacks,
        _up(one.meter.rate),
        digits.down(low),
        _up(high),
        digits.down(one.baseline),
        None if one.bound is None else one.bound,
        None if one.control is None else digits.down(one.control.rate),
        one.public,
    )


def _up(share: float) -> float:
    return min(1.0, digits.up(share))
