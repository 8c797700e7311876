"""`{ dates = ["month", "year"] }`: ISO dates and timestamps by the day that is written."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shoal.verifier.hierarchies.hierarchy import Row

KEYS = frozenset({"dates"})
_LEVELS = ("day", "month", "quarter", "half-year", "year", "decade")  # from fine to coarse
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
_DATE = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})(?:[T ]{_TIME})?")


def date_rows(spec: Mapping[str, object], values: Sequence[str]) -> Iterator[Row]:
    """Each value with its periods, in the order of time."""
    levels = spec["dates"]
    if not isinstance(levels, list | tuple) or not levels or any(level not in _LEVELS for level in levels):
        raise HierarchyError(f"`dates` must be a list of {', '.join(_LEVELS)}.")
    if list(levels) != [level for level in _LEVELS if level in levels]:
        raise HierarchyError("`dates` must go from fine to coarse.")
    days = {text: _day(text) for text in values}
    wrong = sum(day is None for day in days.values())
    if wrong:
        raise HierarchyError(f"{wrong:,} of the {len(values):,} values are not ISO dates, which `dates` needs.")
    for day, text in sorted((day, text) for text, day in days.items() if day is not None):
        yield (text, *(_period(day, level) for level in levels), "*")


def _day(text: str) -> dt.date | None:
    form = _DATE.fullmatch(text)
    try:
        return None if form is None else dt.date.fromisoformat(form[1])
    except ValueError:
        return None


def _period(day: dt.date, level: str) -> str:
    decade = day.year - day.year % 10
    return {
        "day": day.isoformat(),
        "month": day.isoformat()[:7],
        "quarter": f"{day.year:04}-Q{1 + (day.month - 1) // 3}",
        "half-year": f"{day.year:04}-H{1 + (day.month - 1) // 6}",
        "year": f"{day.year:04}",
        "decade": f"{decade:04}-{decade + 9:04}",
    }[level]
