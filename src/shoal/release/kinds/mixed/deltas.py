"""Which deltas a frontier is drawn over: those that are asked for, or some between the least and the most that matter."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log10
from typing import TYPE_CHECKING

from shoal.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Sequence

POINTS = 9  # unless others are asked for
MOST = 100


def asked_for(points: int | None, deltas: Sequence[float] | None) -> list[Fraction]:
    """The deltas that are asked for, ascending; none: they are to be found."""
    if points is not None and (isinstance(points, bool) or not isinstance(points, int) or not 2 <= points <= MOST):
        raise RecipeError(f"`points` must be a whole number from 2 to {MOST}; got {points!r}.")
    if deltas is None:
        return []
    if points is not None:
        raise RecipeError("Give either `points` or `deltas`, not both.")
    wrong = [d for d in deltas if isinstance(d, bool) or not isinstance(d, int | float) or not 0 <= d <= 1]
    if wrong or not 1 <= len(deltas) <= MOST:
        raise RecipeError(f"`deltas` must be numbers from 0 to 1, {MOST} at most; got {list(deltas)!r}.")
    return sorted({Fraction(str(delta)) for delta in deltas})


def grid(low: Fraction, high: Fraction, points: int) -> list[Fraction]:
    """Evenly from one to the other, rounded up to few digits: what can be reached exactly must not be missed by rounding."""
    step = max(high - low, Fraction(0)) / (points - 1)
    digits = 4 if not step else min(6, max(2, 1 - int(log10(step))))
    unit = 10**digits
    return sorted({min(Fraction(1), Fraction(ceil((low + i * step) * unit), unit)) for i in range(points)})


def with_own(deltas: list[Fraction], asked: Fraction) -> list[Fraction]:
    """The recipe's own is among them."""
    return sorted({*deltas, asked})


def text_of(delta: Fraction) -> str:
    """As a recipe has it: the shortest number that means this."""
    return str(float(delta))


def between(low: Fraction, high: Fraction) -> Fraction | None:
    """Half way, as a number of few digits; None where there is none."""
    unit = 10 ** max(2, 2 - int(log10(high - low)))
    middle = Fraction(ceil((low + high) / 2 * unit), unit)
    return middle if low < middle < high else None
