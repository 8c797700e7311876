"""Numbers in ranges of unequal width: `{ borders = [[18, 30, 45, 65], [30, 65]], from = 0, to = 100 }`.

A list of numbers says where one range ends and the next begins: `[18, 30]` from 0 to 100 gives 0-17, 18-29 and 30-99. Several
lists are levels, fine to coarse; the borders of each are among those of the one before, so that levels nest. One level
may be written without the outer list. Level 0 is the value itself, the top is `*`.

Everything else is as in `intervals.py`: a range holds its lower bound and not its upper one, what lies outside `from` and
`to` is coded `<0` and `>=100`, and the same numbers need `decimals = true`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies import decimals
from shoal.hierarchies.grid import Grid, bounds_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from shoal.hierarchies.grid import Cut
    from shoal.hierarchies.hierarchy import Hierarchy

KEYS = ("borders", "from", "to", "decimals")
_EXAMPLE = "for example [18, 30, 45, 65], or [[18, 30, 45, 65], [30, 65]] for two levels"


@dataclass(frozen=True)
class Borders:
    """Numbers grouped into ranges whose borders a person chose, level by level."""

    levels: tuple[tuple[Fraction, ...], ...]
    start: Fraction
    stop: Fraction  # not included
    decimals: bool = False  # values need not be whole numbers, though the borders are

    @property
    def whole(self) -> bool:
        """Whether all values are to be whole numbers."""
        return not self.decimals and all(n.denominator == 1 for n in (self.start, self.stop, *self.levels[0]))

    def __post_init__(self) -> None:
        if self.start >= self.stop:
            raise HierarchyError(
                f"`from` must be below `to`; got {decimals.text_of(self.start)} and {decimals.text_of(self.stop)}."
            )
        if not self.levels or not all(self.levels):
            raise HierarchyError(f"`borders` must be a list of numbers, {_EXAMPLE}.")
        for level in self.levels:
            if any(after <= before for before, after in pairwise(level)):
                raise HierarchyError("`borders` must rise within each list, without repeats.")
            if level[0] <= self.start or level[-1] >= self.stop:
                raise HierarchyError("`borders` must lie between `from` and `to`, which are borders themselves.")
        for finer, coarser in pairwise(self.levels):
            if not set(coarser) < set(finer):
                raise HierarchyError(
                    "`borders`: each list must have fewer borders than the one before, all of them among those, so that "
                    "levels nest."
                )

    @classmethod
    def parse(cls, spec: Mapping[str, object]) -> Borders:
        stated = spec["borders"]
        lists = stated if isinstance(stated, (list, tuple)) else [None]
        if not any(isinstance(one, (list, tuple)) for one in lists):
            lists = [lists]
        levels = [
            [decimals.from_spec(border) for border in one] if isinstance(one, (list, tuple)) else [None]
            for one in lists
        ]
        faults = []
        if any(not level or None in level for level in levels):
            faults.append(f"`borders` must be a list of numbers, {_EXAMPLE}.")
        try:
            start, stop, fractions = bounds_of(spec)
        except HierarchyError as mistakes:
            raise HierarchyError(*faults, *mistakes.faults) from None
        if faults:
            raise HierarchyError(*faults)
        return cls(
            tuple(tuple(border for border in level if border is not None) for level in levels), start, stop, fractions
        )

    def hierarchy(self, values: Sequence[str]) -> Hierarchy:
        grid = Grid("borders", values, self.start, self.stop, self.levels[0], self.whole)
        return grid.hierarchy([_cut(grid, [grid.scaled(border) for border in level]) for level in self.levels])


def _cut(grid: Grid, borders: Sequence[int]) -> Cut:
    edges = [grid.start, *borders, grid.stop]

    def ends(value: int) -> tuple[int, int]:
        upper = bisect_right(edges, value)
        return edges[upper - 1], edges[upper]

    return ends
