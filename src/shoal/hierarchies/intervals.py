"""Numbers in intervals: `{ intervals = [5, 10, 20], from = 0, to = 100 }`.

The numbers are the widths of levels 1, 2, 3; each must divide the next, so that levels nest. Level 0 is the value
itself, the top is `*`. Intervals are counted from `from`, hold their lower bound and not their upper one, and end
before `to`.

Bounds come from the recipe, never from the data: an interval that ends at the oldest person's age says how old that
person is. What lies outside the grid is coded at its ends: `<0` holds everything below `from`, `>=100` everything
from `to` on. These two groups exist at every level above 0, so an extreme value is never visible once the column is
blurred at all.

Labels: `20-24` (both ends included) when the grid is whole and `from` is not negative; otherwise `[20, 25[`. Numbers with
decimals on a whole grid need `decimals = true`, and are refused without it: were the labels to follow the data, those of
everybody would tell that a single record, maybe a hidden one, has a decimal.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies import decimals
from shoal.hierarchies.grid import Grid, bounds_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.hierarchies.grid import Cut
    from shoal.hierarchies.hierarchy import Hierarchy

KEYS = ("intervals", "from", "to", "decimals")


@dataclass(frozen=True)
class Intervals:
    """Numbers grouped into intervals of equal width, level by level."""

    widths: tuple[Fraction, ...]
    start: Fraction
    stop: Fraction  # not included
    decimals: bool = False  # values need not be whole numbers, though the grid is

    @property
    def whole(self) -> bool:
        """Whether all values are to be whole numbers."""
        return not self.decimals and all(n.denominator == 1 for n in (self.start, self.stop, *self.widths))

    def __post_init__(self) -> None:
        if not self.widths or min(self.widths) <= 0:
            raise HierarchyError("`intervals` must be a list of widths above 0, for example [5, 10, 20].")
        for finer, coarser in zip(self.widths, self.widths[1:], strict=False):
            if coarser <= finer or (coarser / finer).denominator != 1:
                raise HierarchyError(
                    f"`intervals`: each width must be a multiple of the one before, so that levels nest; "
                    f"{decimals.text_of(coarser)} is not a larger multiple of {decimals.text_of(finer)}."
                )
        if self.start >= self.stop:
            raise HierarchyError(
                f"`from` must be below `to`; got {decimals.text_of(self.start)} and {decimals.text_of(self.stop)}."
            )

    @classmethod
    def parse(cls, spec: Mapping[str, object]) -> Intervals:
        given = spec["intervals"]
        widths = [decimals.from_spec(width) for width in given] if isinstance(given, (list, tuple)) else [None]
        faults = []
        if None in widths or not widths:
            faults.append("`intervals` must be a list of numbers, for example [5, 10, 20].")
        try:
            start, stop, fractions = bounds_of(spec)
        except HierarchyError as mistakes:
            raise HierarchyError(*faults, *mistakes.faults) from None
        if faults:
            raise HierarchyError(*faults)
        return cls(tuple(w for w in widths if w is not None), start, stop, fractions)

    def hierarchy(self, values: Sequence[str]) -> Hierarchy:
        grid = Grid("intervals", values, self.start, self.stop, self.widths, self.whole)
        return grid.hierarchy([_cut(grid, grid.scaled(width)) for width in self.widths])


def _cut(grid: Grid, width: int) -> Cut:
    def ends(value: int) -> tuple[int, int]:
        low = value - (value - grid.start) % width
        return low, min(low + width, grid.stop)

    return ends
