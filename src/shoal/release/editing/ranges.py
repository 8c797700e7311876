"""Rules of ranges as a person changes them: borders that are added, moved and taken away, at each step of the rule.

A border of a coarse step is one of all finer steps too. So a new one is added to the finer steps, and one that is taken away is
taken from the coarser ones.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

from shoal.errors import HierarchyError
from shoal.hierarchies import decimals
from shoal.hierarchies.borders import Borders
from shoal.hierarchies.build import parse
from shoal.hierarchies.intervals import Intervals
from shoal.release.suggest.grids import grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST = 200  # borders of a step that a person can tell apart


@dataclass(frozen=True)
class Ranges:
    """A rule of ranges. `widths`: where all of them are equal, as `intervals` says it."""

    low: Fraction
    high: Fraction
    levels: tuple[tuple[Fraction, ...], ...]  # fine to coarse; empty where there are too many borders to draw
    decimals: bool = False
    widths: tuple[Fraction, ...] = ()

    @classmethod
    def of(cls, spec: Mapping[str, object]) -> Self | None:
        """The rule of a recipe; None when it is no sound rule of ranges."""
        try:
            form = parse(spec)
        except HierarchyError:
            return None
        if isinstance(form, Borders):
            return cls(form.start, form.stop, form.levels, form.decimals)
        if not isinstance(form, Intervals):
            return None
        few = (form.stop - form.start) / form.widths[0] <= MOST
        levels = [_multiples(form.start, form.stop, width) for width in form.widths] if few else []
        return cls(form.start, form.stop, tuple(level for level in levels if level), form.decimals, form.widths)

    @classmethod
    def suggested(cls, counts: Sequence[tuple[str, int]]) -> Self:
        """Round ranges that fit the numbers of a column."""
        numbers = sorted((number, people) for text, people in counts if (number := decimals.parse(text)) is not None)
        if not numbers:
            raise HierarchyError(
                "The column has no numbers, so ranges cannot hold them. Use groups, or hidden characters."
            )
        whole = all(number.denominator == 1 for number, _ in numbers)
        low, high = (float(numbers[at][0]) for at in (0, -1))
        if not abs(low) + abs(high) < 1e15:
            raise HierarchyError("The numbers are too large for ranges. Use hidden characters, or groups.")
        ranges = cls.of(grid(low, high, whole=whole, sample=_sample(numbers)))
        assert ranges is not None
        return ranges

    @property
    def spec(self) -> dict[str, Any]:
        """As in a recipe; mistakes are refused."""
        ends: dict[str, Any] = {"from": plain(self.low), "to": plain(self.high)}
        if self.decimals:
            ends["decimals"] = True
        if self.widths:
            spec = {"intervals": [plain(width) for width in self.widths], **ends}
        else:
            levels = [[plain(border) for border in level] for level in self.levels]
            spec = {"borders": levels[0] if len(levels) == 1 else levels, **ends}
        parse(spec)
        return spec

    # ---- changes -----------------------------------------------------------------------------------------------------

    def with_levels(self, fresh: Sequence[Sequence[Fraction]]) -> Self:
        """With other borders: a new one also at all finer steps, one taken away also at all coarser ones."""
        old = [set(level) for level in self.levels]
        new = [set(level) for level in fresh]
        was = [old[at] if at < len(old) else set(level) for at, level in enumerate(new)]
        levels: list[tuple[Fraction, ...]] = []
        for at, level in enumerate(new):
            added = set[Fraction]().union(*(new[coarse] - was[coarse] for coarse in range(at + 1, len(new))))
            gone = set[Fraction]().union(*(was[fine] - new[fine] for fine in range(at)))
            borders = sorted(border for border in (level - gone) | added if self.low < border < self.high)
            if borders and (not levels or len(borders) < len(levels[-1])):
                levels.append(tuple(border for border in borders if not levels or border in levels[-1]))
        if not levels:
            raise HierarchyError("Ranges need at least one border. To hide the values entirely, choose that rule.")
        return replace(self, levels=tuple(level for level in levels if level), widths=())

    def with_ends(self, low: Fraction, high: Fraction) -> Self:
        """With another beginning and end; borders that lie outside are dropped."""
        if (low, high) == (self.low, self.high):
            return self
        if low >= high:
            raise HierarchyError("The ranges must begin below where they end.")
        if self.widths:
            return replace(self, low=low, high=high)
        return replace(self, low=low, high=high).with_levels(self.levels)

    def rounded(self, unit: Fraction) -> Self:
        """With every border at the nearest multiple of a number; those that meet become one."""
        if unit <= 0:
            raise HierarchyError("Borders are rounded to a number above 0.")
        nearest = [[math.floor(border / unit + Fraction(1, 2)) * unit for border in level] for level in self.levels]
        return replace(self, levels=(), widths=()).with_levels([sorted(set(level)) for level in nearest])

    def coarser(self) -> Self:
        """With one more step: every second border of the last one."""
        if len(self.levels[-1]) < 2:
            raise HierarchyError("The last step has one border only; above it there is nothing but hiding the values.")
        return replace(self, levels=(*self.levels, self.levels[-1][1::2]), widths=())

    def without(self, step: int) -> Self:
        """Without a step, counted from 0."""
        if self.widths:
            widths = tuple(width for at, width in enumerate(self.widths) if at != step)
            return replace(self, widths=widths, levels=self.levels[:step] + self.levels[step + 1 :])
        return replace(self, levels=self.levels[:step] + self.levels[step + 1 :])


def numbers_in(text: str, what: str) -> list[Fraction]:
    """The numbers of a field, separated by blanks, commas or semicolons."""
    parts = [part for part in re.split(r"[\s,;]+", text) if part]
    numbers = [decimals.parse(part) for part in parts]
    if None in numbers:
        raise HierarchyError(f"{what}: write numbers such as 5 or 0.5, with blanks or commas between them.")
    return [number for number in numbers if number is not None]


def plain(number: Fraction) -> int | float:
    """As a recipe writes it."""
    return int(number) if number.denominator == 1 else float(number)


def _multiples(low: Fraction, high: Fraction, width: Fraction) -> tuple[Fraction, ...]:
    return tuple(low + width * at for at in range(1, math.ceil((high - low) / width)))


def _sample(numbers: Sequence[tuple[Fraction, int]], size: int = 200) -> list[str]:
    """So many values at equal distances among the people, in order."""
    total = sum(people for _, people in numbers)
    sample, seen, wanted = [], 0, 0
    for number, people in numbers:
        seen += people
        while wanted < size and seen * size >= (2 * wanted + 1) * total / 2:
            sample.append(decimals.text_of(number))
            wanted += 1
    return sample
