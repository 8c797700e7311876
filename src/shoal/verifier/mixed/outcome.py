"""What became of combinations that were held against a bound."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Worst:
    """One combination that breaks a promise."""

    n: int
    most: int
    values: tuple[tuple[str, str | None], ...]  # of its class, then its items, by column
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """All combinations of one size, held against one bound."""

    number: int
    broken: int
    least: int
    worst: tuple[Worst, ...]
