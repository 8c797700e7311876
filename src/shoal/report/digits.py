"""How exactly a public report tells a figure that was worked out from the raw records.

Whoever knows all records but one could try every value for the last, and see which of them gives the figure that was told. All
digits of a figure would answer that; three of them fit thousands of tables. They are rounded to the side on which the figure is
true and flatters nobody: what was lost up; what was kept, and what is proved of all releases, down.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

DIGITS = 3
_SAME = 1e-9  # a floor is worked out in floats, and made a little lower to be safe
_UP = Context(prec=DIGITS, rounding=ROUND_CEILING)
_DOWN = Context(prec=DIGITS, rounding=ROUND_FLOOR)


def up(value: float) -> float:
    """Three digits, rounded up."""
    return float(_UP.create_decimal(decimal(value)))


def down(value: float) -> float:
    """Three digits, rounded down."""
    return float(_DOWN.create_decimal(decimal(value)))


def lost(value: float) -> float:
    """A loss. 1 is said of nothing but 1: there nothing is left, and no other release can be worse."""
    return down(value) if decimal(value) < 1 <= up(value) else up(value)


def above(loss: float, floor: float) -> float:
    """By which share a loss may be above a floor, from what is told of both. 0 only when the loss is the floor."""
    if loss <= floor * (1 + _SAME):
        return 0.0
    return up(float(decimal(up(loss)) / decimal(down(floor)) - 1))


def gap(loss: float, bound: float) -> float:
    """How far a loss may be above a bound, from what is told of both. 0 only when the loss is the bound."""
    if decimal(loss) <= decimal(bound):
        return 0.0
    return float(decimal(up(loss)) - decimal(down(bound)))


def decimal(value: float) -> Decimal:
    """Without the last digits of a float, which would round 0.3 - 0.1 up to 0.201."""
    return Decimal(f"{value:.12g}")
