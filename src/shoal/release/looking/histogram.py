"""How many people have which number, between the ends of a rule: bars of one width, which borders can stand between."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.hierarchies import decimals

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_BARS = 100
_MOST_POINTS = 1000  # sums between any borders are exact up to so many different numbers


@dataclass(frozen=True)
class Histogram:
    """Bars stand side by side from `low`, each `width` wide; the last one ends at `high`."""

    low: float
    high: float
    width: float
    bars: tuple[int, ...]  # people
    below: int  # people under `low`
    above: int  # people from `high` on
    points: tuple[tuple[float, int], ...]  # numbers with people, fine enough to count between borders


def histogram(counts: Sequence[tuple[str, int]], low: Fraction, high: Fraction) -> Histogram | None:
    """None when there is nothing to draw: no numbers, or no room between the ends."""
    numbers = [(number, people) for text, people in counts if (number := decimals.parse(text)) is not None]
    if not numbers or low >= high:
        return None
    whole = all(number.denominator == 1 for number, _ in numbers) and low.denominator == high.denominator == 1
    width = round_width((high - low) / _MOST_BARS, whole=whole)
    bars = [0] * math.ceil((high - low) / width)
    inside = [(number, people) for number, people in numbers if low <= number < high]
    for number, people in inside:
        bars[int((number - low) // width)] += people
    return Histogram(
        float(low),
        float(high),
        float(width),
        tuple(bars),
        sum(people for number, people in numbers if number < low),
        sum(people for number, people in numbers if number >= high),
        _points(inside, low, high),
    )


def round_width(least: Fraction, *, whole: bool) -> Fraction:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`; of whole numbers at least 1."""
    if whole and least <= 1:
        return Fraction(1)
    power = Fraction(10) ** math.floor(math.log10(least))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= least)


def _points(inside: list[tuple[Fraction, int]], low: Fraction, high: Fraction) -> tuple[tuple[float, int], ...]:
    sums: dict[Fraction, int] = {}
    fine = (high - low) / _MOST_POINTS if len({number for number, _ in inside}) > _MOST_POINTS else None
    for number, people in inside:
        place = number if fine is None else low + (number - low) // fine * fine
        sums[place] = sums.get(place, 0) + people
    return tuple((float(number), people) for number, people in sorted(sums.items()))
