"""What labels look like to a person: intervals of numbers, and two labels that seem the same."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.hierarchies import decimals

if TYPE_CHECKING:
    from fractions import Fraction

_NUMBER = r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))"
_BRACKETS = re.compile(rf"([\[\](])\s*{_NUMBER}\s*[,;:-]\s*{_NUMBER}\s*([\[\])])", re.ASCII)
_PAIR = re.compile(rf"{_NUMBER}\s*[-,–]\s*{_NUMBER}", re.ASCII)
_OPEN = re.compile(rf"(<=?|>=?)\s*{_NUMBER}", re.ASCII)


@dataclass(frozen=True)
class Interval:
    """A range of numbers as a label states it."""

    low: Fraction | None  # None: no bound
    high: Fraction | None
    holds_low: bool = True
    holds_high: bool = True

    def __contains__(self, number: Fraction) -> bool:
        above = self.low is None or number > self.low or (self.holds_low and number == self.low)
        below = self.high is None or number < self.high or (self.holds_high and number == self.high)
        return above and below


def interval_of(label: str) -> Interval | None:
    """The interval a label names: `[20, 30[`, `[20-29]`, `20-29`, `1900,1904`, `<0`, `>=100`; None for other labels."""
    if match := _BRACKETS.fullmatch(label):
        low, high = decimals.parse(match[2]), decimals.parse(match[3])
        interval = Interval(low, high, match[1] == "[", match[4] == "]")
    elif match := _PAIR.fullmatch(label):
        interval = Interval(decimals.parse(match[1]), decimals.parse(match[2]))
    elif match := _OPEN.fullmatch(label):
        bound = decimals.parse(match[2])
        closed = match[1].endswith("=")
        return (
            Interval(None, bound, holds_high=closed) if match[1][0] == "<" else Interval(bound, None, holds_low=closed)
        )
    else:
        return None
    return None if interval.low is None or interval.high is None or interval.low > interval.high else interval


def folded(label: str) -> str:
    """The same text for labels that differ only by case, Unicode form or characters without width."""
    if label.isascii():
        return label.casefold()
    visible = "".join(c for c in unicodedata.normalize("NFKC", label) if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", visible.casefold())
