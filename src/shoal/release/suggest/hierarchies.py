"""Which hierarchy suits a column that could be recognised by others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.release.suggest import patterns
from shoal.release.suggest.grids import grid
from shoal.release.suggest.groups import groups_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.release.suggest.summary import ColumnSummary

_FEW = 12  # whole numbers with at most so many values may be codes, which have no order
_MANY = 30  # values that can only be shown or hidden: worth a remark
_LONGEST_MASK = 64  # characters


def hierarchy_for(
    column: ColumnSummary, kind: str, values: Sequence[str], *, complete: bool
) -> tuple[dict[str, Any] | None, str]:
    """The hierarchy as in a recipe, and what it does in words.

    `values` are those of the column that are known, without those that stand for a missing one; `complete`: that is all.
    """
    if patterns.are_dates(values):
        levels = ["month", "year", "decade"] if kind == "birth" else ["month", "quarter", "year"]
        return {"dates": levels}, f"blurred to {_listed(levels)}"
    if patterns.are_dates_written_otherwise(values):
        return None, "shown or hidden; written as 1984-03-05 these dates could be blurred to month and year"
    if kind == "zip" and values and not any("*" in v or len(v) > _LONGEST_MASK for v in values):
        return {"mask": "right"}, "blurred sign by sign from the right"
    if (
        column.numeric
        and column.low is not None
        and column.high is not None
        and kind not in ("code", "country", "marital")
    ):
        return _intervals(column, kind, column.low, column.high)
    known = groups_for(kind, sorted(values)) if complete and kind else None
    if known is not None:
        made, strangers = known
        rest = "" if not strangers else f"; {strangers} of the values fit none and are under 'Other', put them right"
        return {"groups": made}, f"blurred to {_listed(list(made))}{rest}"
    if column.distinct > _MANY:
        return None, "shown or hidden; so many values deserve groups or a hierarchy file"
    return None, "shown or hidden"


def _intervals(column: ColumnSummary, kind: str, low: float, high: float) -> tuple[dict[str, Any] | None, str]:
    if kind == "age" and low >= 0 and high < 160:
        # Round for everyone alive, whoever is in the data.
        return {"intervals": [5, 10, 20], "from": 0, "to": 100 if high < 100 else 160}, "blurred to 5, 10 and 20 years"
    if column.integer and column.distinct <= _FEW and high - low < 1000:
        return None, "shown or hidden; if the numbers are amounts and no codes, give intervals"
    if not abs(low) + abs(high) < 1e15:
        return None, "shown or hidden; the numbers are too large for a grid"
    first = column.most_common[:1]
    zero_apart = bool(
        column.integer and low == 0 and high > 20 and first and first[0][0] == "0" and 2 * first[0][1] > column.records
    )
    spec = grid(low, high, whole=column.integer, sample=column.sample_values, zero_apart=zero_apart)
    apart = ", with 0 apart as <1" if zero_apart else ""
    return spec, f"blurred to intervals of {_listed(spec['intervals'])}{apart}"


def _listed(things: Sequence[object]) -> str:
    words = [f"{thing:,}" if isinstance(thing, int) else str(thing) for thing in things]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
