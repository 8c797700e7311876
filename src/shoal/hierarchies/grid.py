"""Numbers in ranges between a public first and last bound: what `intervals` and `borders` have in common.

Arithmetic is in integers: everything times one power of ten, so that no bound depends on how floats round.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies import decimals
from shoal.hierarchies.hierarchy import Hierarchy, Label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Cut = Callable[
        [int], tuple[int, int]
    ]  # a scaled number within the grid → the ends of its range, the upper one outside

LARGEST_GRID = 100_000  # whole numbers that are listed as leaves whether they occur or not


def bounds_of(spec: Mapping[str, object]) -> tuple[Fraction, Fraction, bool]:
    """What a spec says in `from`, `to` and `decimals`, or a HierarchyError with all that is wrong with them."""
    bounds = {key: decimals.from_spec(spec.get(key)) for key in ("from", "to")}
    faults = [
        f"`{key}` must be a number: where the grid {'starts' if key == 'from' else 'ends'} is never the data's to say."
        for key, bound in bounds.items()
        if bound is None
    ]
    fractions = spec.get("decimals", False)
    if not isinstance(fractions, bool):
        faults.append("`decimals` must be true or false: whether numbers with decimals may occur on a whole grid.")
    if faults:
        raise HierarchyError(*faults)
    return bounds["from"] or Fraction(0), bounds["to"] or Fraction(0), fractions is True


class Grid:
    """The values of a column, and the whole numbers between the bounds where all are to be whole."""

    def __init__(
        self, key: str, values: Sequence[str], start: Fraction, stop: Fraction, marks: Iterable[Fraction], whole: bool
    ) -> None:
        """key: of the recipe, for messages. marks: numbers of the spec that ranges may begin or end at."""
        leaves = _numbers(key, values, whole)
        if whole and stop - start <= LARGEST_GRID:
            # the whole public grid, so that the number of raw values below a range does not depend on the data
            leaves |= {str(n): Fraction(n) for n in range(int(start), int(stop))}
        if not leaves:
            raise HierarchyError(f"There is no value to put into `{key}`.")
        self._whole = whole
        self._inclusive = whole and start >= 0
        denominators = {n.denominator for n in (start, stop, *marks, *leaves.values())}
        self._unit = 10 ** max(decimals.places(Fraction(1, denominator)) for denominator in denominators)
        self.start, self.stop = self.scaled(start), self.scaled(stop)
        self._leaves = sorted((self.scaled(number), text) for text, number in leaves.items())
        self._bounds: dict[Label, tuple[float, float]] = {}
        self._labels: dict[tuple[int, int], str] = {}
        self._below = f"<{decimals.text_of(start)}"
        self._above = f">={decimals.text_of(stop)}"

    def scaled(self, number: Fraction) -> int:
        """The number as this grid counts."""
        return int(number.numerator * (self._unit // number.denominator))

    def hierarchy(self, cuts: Sequence[Cut]) -> Hierarchy:
        """With a level for each way to cut, fine to coarse."""
        paths: list[tuple[Label, ...]] = []
        for value, text in self._leaves:
            point = self._float(value)
            self._bounds[text] = (point, point)
            paths.append((text, *(self._range(value, cut) for cut in cuts), "*"))
        self._bounds[self._below] = (float("-inf"), self._float(self.start))
        self._bounds[self._above] = (self._float(self.stop), float("inf"))
        # the top carries the public grid even when values lie outside it: a width that exists and says nothing of them
        self._bounds["*"] = self._interval(self.start, self.stop)
        return Hierarchy.from_paths(paths, self._bounds)

    def _range(self, value: int, cut: Cut) -> str:
        if value < self.start:
            return self._below
        if value >= self.stop:
            return self._above
        low, high = cut(value)
        known = self._labels.get((low, high))
        if known is None:
            known = self._labels[low, high] = self._label(low, high)
            self._bounds[known] = self._interval(low, high)
        return known

    def _label(self, low: int, high: int) -> str:
        if self._inclusive:
            return f"{low}-{high - 1}"
        return f"[{decimals.text_of(Fraction(low, self._unit))}, {decimals.text_of(Fraction(high, self._unit))}["

    def _interval(self, low: int, high: int) -> tuple[float, float]:
        return self._float(low), self._float(high - 1 if self._whole else high)

    def _float(self, scaled: int) -> float:
        return decimals.as_float(Fraction(scaled, self._unit))


def _numbers(key: str, values: Sequence[str], whole: bool) -> dict[str, Fraction]:
    numbers = [decimals.parse(value) for value in values]
    wrong = numbers.count(None)
    if wrong:
        raise HierarchyError(
            f"{wrong:,} of the {len(values):,} values are not numbers, so `{key}` cannot hold them. "
            "Name them in `[input] missing`, or use `groups` or a file."
        )
    leaves = {text: number for text, number in zip(values, numbers, strict=True) if number is not None}
    broken = sum(number.denominator != 1 for number in leaves.values())
    if broken and whole:
        raise HierarchyError(
            f"{broken:,} of the {len(values):,} values are not whole numbers. Say `decimals = true` beside `{key}`: labels "
            "then read [20, 25[ instead of 20-24."
        )
    return leaves
