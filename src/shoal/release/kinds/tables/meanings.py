"""What a published value of a table may stand for, and so whether it surely or possibly meets a condition.

Read from the codebook alone, as an analyst has it. In doubt a value may meet a condition, and does not surely: bounds stay true.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.hierarchies import dates, decimals

if TYPE_CHECKING:
    from collections.abc import Mapping

Bound = Fraction | str  # a number, or a day as it is written: days in ISO form have the order of their texts


@dataclass(frozen=True)
class OneOf:
    """One of these values; None is a missing one."""

    values: frozenset[str | None]

    def holds(self, text: str | None) -> bool:
        """Whether an exact value meets it. Numbers are compared as numbers."""
        return text in self.values or (text is not None and decimals.parse(text) in self._numbers)

    @property
    def _numbers(self) -> set[Fraction]:
        numbers = (decimals.parse(value) for value in self.values if value is not None)
        return {number for number in numbers if number is not None}

    def meets(self, low: Bound | None, high: Bound | None, excluded: bool) -> tuple[bool, bool]:
        """A range surely meets it where it is one value, and possibly where it holds one."""
        points = [
            point for value in self.values if value is not None for point in (bound_of(value),) if point is not None
        ]
        possibly = any(_inside(point, low, high, excluded) for point in points)
        return possibly and low is not None and low == high, possibly


@dataclass(frozen=True)
class Between:
    """A number or a day from `low` to `high`, both of them included; None: open to that side."""

    low: Bound | None
    high: Bound | None

    def holds(self, text: str | None) -> bool:
        """Whether an exact value meets it. What is no number, or no day, does not."""
        point = None if text is None else bound_of(text)
        return point is not None and self._fits(point) and _inside(point, self.low, self.high, False)

    def meets(self, low: Bound | None, high: Bound | None, excluded: bool) -> tuple[bool, bool]:
        """Surely where the range lies within, possibly where both have a value in common."""
        if not all(self._fits(bound) for bound in (low, high) if bound is not None):
            return False, True
        above = self.low is None or (low is not None and low >= self.low)  # type: ignore[operator]
        below = self.high is None or (high is not None and high <= self.high)  # type: ignore[operator]
        apart = (
            self.low is not None and high is not None and (high < self.low or (excluded and high == self.low))  # type: ignore[operator]
        ) or (self.high is not None and low is not None and low > self.high)  # type: ignore[operator]
        return above and below, not apart

    def _fits(self, point: Bound) -> bool:
        """Numbers are compared with numbers, and days with days."""
        return all(isinstance(point, str) == isinstance(own, str) for own in (self.low, self.high) if own is not None)


Condition = OneOf | Between


def condition_of(column: str, asked: Any) -> Condition:
    """A value; a list or set of values; or a range as a pair `(low, high)`, None for an open side."""
    if isinstance(asked, tuple):
        if len(asked) != 2 or asked == (None, None):
            raise DataError(
                f"`{column}`: a range is a pair (low, high), of which one may be None. A list holds single values."
            )
        low, high = (None if one is None else bound_of(str(one)) for one in asked)
        strange = any(one is not None and bound is None for one, bound in zip(asked, (low, high), strict=True))
        if strange or (low is not None and high is not None and isinstance(low, str) != isinstance(high, str)):
            raise DataError(f"`{column}`: the bounds of a range are two numbers, or two days such as 2024-05-17.")
        return Between(low, high)
    values = asked if isinstance(asked, list | set | frozenset) else [asked]
    return OneOf(frozenset(None if value is None else str(value) for value in values))


def bound_of(text: str) -> Bound | None:
    """A number, or a day as its text."""
    number = decimals.parse(text)
    if number is not None:
        return number
    return text if dates.parse(text) is not None else None


def answer(meaning: Mapping[str, Any], condition: Condition) -> tuple[bool, bool]:
    """Whether what a value of the codebook stands for surely meets a condition, and whether it may."""
    kind = meaning["kind"]
    if kind in ("exact", "missing"):
        held = condition.holds(meaning["value"])
        return held, held
    if kind in ("range", "dates"):
        low, high = (
            None if bound is None else bound_of(str(bound)) for bound in (meaning.get("lower"), meaning.get("upper"))
        )
        return condition.meets(low, high, bool(meaning.get("upper_excluded")))
    members = meaning.get("members", ())
    if kind in ("group", "set") and members:
        met = [condition.holds(member) for member in members]
        listed = meaning.get("raw_values", len(members)) == len(members)  # else one of them is a missing value
        return all(met) and listed, any(met) or (not listed and condition.holds(None))
    if kind == "mask" and isinstance(condition, OneOf):
        return False, any(value is not None and _masked(meaning["value"], value) for value in condition.values)
    return False, True


def _masked(label: str, value: str) -> bool:
    """Whether a value may be behind a mask: as long, and the same where the mask shows something. Any sign may be the mask."""
    if len(label) != len(value):
        return False
    differ = [at for at, (shown, raw) in enumerate(zip(label, value, strict=True)) if shown != raw]
    return len({label[at] for at in differ}) <= 1


def _inside(point: Bound, low: Bound | None, high: Bound | None, excluded: bool) -> bool:
    if any(isinstance(point, str) != isinstance(bound, str) for bound in (low, high) if bound is not None):
        return False
    above = low is None or low <= point  # type: ignore[operator]
    return above and (high is None or point < high or (point == high and not excluded))  # type: ignore[operator]
