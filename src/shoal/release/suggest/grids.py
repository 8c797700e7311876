"""A round grid for a column of numbers.

The grid must not give anyone away: an interval that ends at the oldest person's age says how old that person is. So the ends
are multiples of the widest interval and lie strictly outside the values; 0 alone may be both the end and a value, because it
is the natural end of ages, counts and amounts.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.hierarchies import decimals

if TYPE_CHECKING:
    from collections.abc import Sequence

_FINEST = 10  # intervals at the first level, or about
_COARSEST = 5  # at the last level below the top, at most
_LEVELS = 5


def grid(
    low: float, high: float, *, whole: bool, sample: Sequence[str] = (), zero_apart: bool = False
) -> dict[str, Any]:
    """Intervals as in a recipe.

    `sample` shows where most of the values lie, so that a few large ones do not make the intervals useless for the others.
    `zero_apart`: most records have 0, which then stays apart from the rest (as `<1`) until the top.
    """
    span = Fraction(str(high)) - Fraction(str(low)) or Fraction(1)
    widths = [_round_width(_usual_span(sample, span, zero_apart) / _FINEST, whole)]
    while widths[-1] * _COARSEST < span and len(widths) < _LEVELS:
        widths.append(widths[-1] * (5 if _leading(widths[-1]) == 2 else 2))
    widest = widths[-1]
    if zero_apart:
        cover = math.ceil(Fraction(str(high)) / widest) * widest
        if cover > widest:
            widths.append(cover)  # the last question that can be answered: any at all, or none
        return {"intervals": [_plain(width) for width in widths], "from": 1, "to": _plain(cover + 1)}
    start = math.floor(Fraction(str(low)) / widest) * widest
    if start == Fraction(str(low)) and start != 0:
        start -= widest
    if low >= 0:
        start = max(start, Fraction(0))
    stop = (math.floor(Fraction(str(high)) / widest) + 1) * widest
    spec = {"intervals": [_plain(width) for width in widths], "from": _plain(start), "to": _plain(stop)}
    return spec if whole else spec | {"decimals": True}


def _usual_span(sample: Sequence[str], span: Fraction, zero_apart: bool) -> Fraction:
    """How far the middle nine tenths of the sample reach, when the sample is large enough to tell."""
    numbers = sorted(
        number for number in map(decimals.parse, sample) if number is not None and (number or not zero_apart)
    )
    if len(numbers) < 40:
        return span
    cut = len(numbers) // 20
    return numbers[-1 - cut] - numbers[cut] or span


def _round_width(ideal: Fraction, whole: bool) -> Fraction:
    """The nearest of 1, 2.5 and 5 times a power of ten; for whole numbers at least 2."""
    if whole and ideal < Fraction(7, 2):
        return Fraction(2)
    power = Fraction(10) ** (math.floor(math.log10(ideal)))
    choices = [power * m for m in (Fraction(1), Fraction(5, 2), Fraction(5), Fraction(10))]
    if whole:
        choices = [choice for choice in choices if choice.denominator == 1]
    return min(choices, key=lambda choice: abs(math.log(choice / ideal)))


def _leading(width: Fraction) -> int:
    """The first digit of 20 is 2; that of 25 is told apart, because 50 and 100 are rounder than 125."""
    digits = decimals.text_of(width).replace(".", "").strip("0")
    return 2 if digits == "2" else 0


def _plain(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)
