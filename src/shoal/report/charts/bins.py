"""How pictures name the ranges that records or items are counted by."""

from __future__ import annotations

from typing import Protocol

from shoal.report.charts.svg import text_width
from shoal.report.words import number


class Range(Protocol):
    """From `low` to `high`, both included; None: or more."""

    @property
    def low(self) -> int:
        """Where it begins."""

    @property
    def high(self) -> int | None:
        """Where it ends."""


def label(one: Range) -> str:
    """'1', '2–4', '1,000–1,999'; the last is open: '5,000+'."""
    if one.high is None:
        return f"{number(one.low)}+"
    return number(one.low) if one.low == one.high else f"{number(one.low)}–{number(one.high)}"


def lines(words: str, room: float) -> list[str]:
    """A range that does not fit breaks after its dash."""
    low, dash, high = words.partition("–")
    return [words] if text_width(words, 11) <= room - 4 or not dash else [low + dash, high]
