"""Dates in months, quarters, years: `{ dates = ["month", "quarter", "year"] }`.

Values are ISO dates (`1984-03-05`) or timestamps (`1984-03-05T10:30:00`, a blank instead of the T, fractions of a
second, an offset). The date is the one that is written; an offset does not move it. Levels go from fine to coarse,
the top is `*`.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError, did_you_mean
from shoal.hierarchies.hierarchy import Hierarchy, Label

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

KEYS = ("dates",)

_DATE = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?", re.ASCII
)

# fine to coarse; each lies within the next
LEVELS: dict[str, Callable[[datetime.date], str]] = {
    "day": lambda d: d.isoformat(),
    "month": lambda d: f"{d.year:04}-{d.month:02}",
    "quarter": lambda d: f"{d.year:04}-Q{(d.month + 2) // 3}",
    "half-year": lambda d: f"{d.year:04}-H{1 if d.month <= 6 else 2}",
    "year": lambda d: f"{d.year:04}",
    "decade": lambda d: f"{d.year // 10 * 10:04}-{d.year // 10 * 10 + 9:04}",
}


@dataclass(frozen=True)
class Dates:
    """Days grouped by parts of the calendar."""

    levels: tuple[str, ...]

    def __post_init__(self) -> None:
        unknown = [level for level in self.levels if level not in LEVELS]
        if unknown:
            raise HierarchyError(
                *(
                    f"`dates`: there is no level '{u}'.{did_you_mean(u, LEVELS)} Levels: {', '.join(LEVELS)}."
                    for u in unknown
                )
            )
        order = list(LEVELS)
        ranks = [order.index(level) for level in self.levels]
        if not ranks or ranks != sorted(set(ranks)):
            raise HierarchyError(
                f"`dates` must go from fine to coarse without repeats: {', '.join(order)}; "
                f"got {', '.join(self.levels) or 'nothing'}."
            )

    @classmethod
    def parse(cls, spec: Mapping[str, object]) -> Dates:
        levels = spec["dates"]
        if not isinstance(levels, (list, tuple)) or not all(isinstance(level, str) for level in levels):
            raise HierarchyError('`dates` must be a list of levels, for example ["month", "quarter", "year"].')
        return cls(tuple(str(level) for level in levels))

    def hierarchy(self, values: Sequence[str]) -> Hierarchy:
        dates = {value: parse(value) for value in values}
        wrong = sum(date is None for date in dates.values())
        if wrong:
            raise HierarchyError(
                f"{wrong:,} of the {len(values):,} values are not ISO dates such as 1984-03-05, which `dates` needs."
            )
        if not dates:
            raise HierarchyError("There is no value to put into `dates`.")
        if "day" in self.levels and len({len(value) > 10 for value in dates}) > 1:
            raise HierarchyError(
                "Dates with and without a time of day are mixed, so a day would be a value and a group at once. "
                "Leave the level `day` out, or write all values one way."
            )
        paths: list[tuple[Label, ...]] = []
        for date, value in sorted((date, value) for value, date in dates.items() if date is not None):
            paths.append((value, *(LEVELS[level](date) for level in self.levels), "*"))
        return Hierarchy.from_paths(paths)


def parse(text: str) -> datetime.date | None:
    """The day of a text such as 2024-05-17; None when it is no date."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    try:
        return datetime.date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:  # the 30th of February
        return None
