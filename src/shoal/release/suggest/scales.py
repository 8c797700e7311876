"""Intervals for numbers whose scale everybody knows: ages, years, months, and how many one has of something.

The edges are the same for all files, so they tell nothing of the people in one: whoever is older than all others ends up in the
group at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.release.suggest.summary import ColumnSummary

_MANY_YEARS = 30  # between the first and the last, from which steps of five years are fine enough
_MOST_COUNTED = 20  # of children, rooms or people in a household; more is another kind of number


def scale_for(kind: str, column: ColumnSummary) -> tuple[dict[str, Any], str] | None:
    """The intervals as in a recipe, and what they are in words; None when the numbers are not what the name says."""
    low, high = column.low, column.high
    if low is None or high is None:
        return None
    if kind == "age" and low >= 0 and high < 160:
        years = {"intervals": [5, 10, 20], "from": 0, "to": 100 if high < 100 else 160}
        return years if column.integer else years | {"decimals": True}, "5, 10 and 20 years"
    if not column.integer:
        return None
    if kind in ("birth", "year") and low >= 1800 and high < 2100:
        return _years(kind, low, high)
    if kind in ("birth", "month") and low >= 1 and high <= 12 and column.distinct > 4:
        return {"intervals": [3, 6], "from": 1, "to": 13}, "quarters and halves of the year"
    if kind == "count" and low >= 0 and 3 < high <= _MOST_COUNTED:
        return {"intervals": [2, 4], "from": 1, "to": 5}, "1-2, 3-4 and 5 or more"
    return None


def _years(kind: str, low: float, high: float) -> tuple[dict[str, Any], str]:
    start = 1800 if low < 1900 else 1900
    stop = next(year for year in (2000, 2020, 2040, 2060, 2100) if high < year)
    if kind == "year" and high - low < _MANY_YEARS:
        # Ends of decades, wide enough for the years that the next file will have.
        return {"intervals": [2, 10], "from": int(low) // 10 * 10, "to": int(high) // 10 * 10 + 10}, "2 and 10 years"
    return {"intervals": [5, 10, 20], "from": start, "to": stop}, "5, 10 and 20 years"
