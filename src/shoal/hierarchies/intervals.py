"""Numbers in intervals: `{ intervals = [5, 10, 20], from = 0, to = 100 }`.

The numbers are the widths of levels 1, 2, 3; each must divide the next, so that levels nest. Level 0 is the value
itself, the top is `*`. Intervals are counted from `from`, hold their lower bound and not their upper one, and end
before `to`.

Bounds come from the recipe, never from the data: an interval that ends at the oldest person's age says how old that
person is. What lies outside the grid is coded at its ends: `<0` holds everything below `from`, `>=100` everything
from `to` on. These two groups exist at every level above 0, so an extreme value is never visible once the column is
blurred at all.

Labels: `20-24` (both ends included) when the grid and all values are whole and `from` is not negative; otherwise
`[20, 25[`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies import decimals
from shoal.hierarchies.hierarchy import Hierarchy, Label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KEYS = ("intervals", "from", "to")
LARGEST_GRID = 100_000  # whole numbers that are listed as leaves whether they occur or not


@dataclass(frozen=True)
class Intervals:
    widths: tuple[Fraction, ...]
    start: Fraction
    stop: Fraction  # not included

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
        bounds = {key: decimals.from_spec(spec.get(key)) for key in ("from", "to")}
        faults = []
        if None in widths or not widths:
            faults.append("`intervals` must be a list of numbers, for example [5, 10, 20].")
        faults += [
            f"`{key}` must be a number: where the grid {'starts' if key == 'from' else 'ends'} is never the data's to say."
            for key, bound in bounds.items()
            if bound is None
        ]
        if faults:
            raise HierarchyError(*faults)
        return cls(
            tuple(w for w in widths if w is not None), bounds["from"] or Fraction(0), bounds["to"] or Fraction(0)
        )

    def hierarchy(self, values: Sequence[str]) -> Hierarchy:
        numbers = [decimals.parse(value) for value in values]
        wrong = numbers.count(None)
        if wrong:
            raise HierarchyError(
                f"{wrong:,} of the {len(values):,} values are not numbers, so `intervals` cannot hold them. "
                "Name them in `[input] missing`, or use `groups` or a file."
            )
        leaves = {text: number for text, number in zip(values, numbers, strict=True) if number is not None}
        whole = all(n.denominator == 1 for n in (self.start, self.stop, *self.widths, *leaves.values()))
        if whole and self.stop - self.start <= LARGEST_GRID:
            # the whole public grid, so that the number of raw values below an interval does not depend on the data
            leaves |= {str(n): Fraction(n) for n in range(int(self.start), int(self.stop))}
        if not leaves:
            raise HierarchyError("There is no value to put into `intervals`.")
        return _Grid(self, leaves, whole).hierarchy()


class _Grid:
    """The grid in integers: everything times one power of ten."""

    def __init__(self, spec: Intervals, leaves: dict[str, Fraction], whole: bool) -> None:
        self.whole = whole
        self.inclusive = whole and spec.start >= 0
        denominators = {n.denominator for n in (spec.start, spec.stop, *spec.widths, *leaves.values())}
        self.unit = 10 ** max(decimals.places(Fraction(1, denominator)) for denominator in denominators)
        self.start, self.stop = int(spec.start * self.unit), int(spec.stop * self.unit)
        self.widths = [int(width * self.unit) for width in spec.widths]
        self.leaves = sorted((n.numerator * (self.unit // n.denominator), text) for text, n in leaves.items())
        self.bounds: dict[Label, tuple[float, float]] = {}
        self.labels: dict[tuple[int, int], str] = {}
        self.below = f"<{decimals.text_of(spec.start)}"
        self.above = f">={decimals.text_of(spec.stop)}"

    def hierarchy(self) -> Hierarchy:
        paths: list[tuple[Label, ...]] = []
        for value, text in self.leaves:
            point = self._float(value)
            self.bounds[text] = (point, point)
            paths.append((text, *(self._group(value, width) for width in self.widths), "*"))
        self.bounds[self.below] = (float("-inf"), self._float(self.start))
        self.bounds[self.above] = (self._float(self.stop), float("inf"))
        # the top carries the public grid even when values lie outside it: a width that exists and says nothing of them
        self.bounds["*"] = self._interval(self.start, self.stop)
        return Hierarchy.from_paths(paths, self.bounds)

    def _group(self, value: int, width: int) -> str:
        if value < self.start:
            return self.below
        if value >= self.stop:
            return self.above
        low = value - (value - self.start) % width
        high = min(low + width, self.stop)
        known = self.labels.get((low, high))
        if known is None:
            known = self.labels[low, high] = self._label(low, high)
            self.bounds[known] = self._interval(low, high)
        return known

    def _label(self, low: int, high: int) -> str:
        if self.inclusive:
            return f"{low}-{high - 1}"
        return f"[{decimals.text_of(Fraction(low, self.unit))}, {decimals.text_of(Fraction(high, self.unit))}["

    def _interval(self, low: int, high: int) -> tuple[float, float]:
        return self._float(low), self._float(high - 1 if self.whole else high)

    def _float(self, scaled: int) -> float:
        return decimals.as_float(Fraction(scaled, self.unit))
