"""Which hierarchy suits a column that could be recognised by others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.release.suggest import patterns
from shoal.release.suggest.grids import grid
from shoal.release.suggest.groups import groups_for
from shoal.release.suggest.scales import scale_for
from shoal.release.suggest.summary import Advice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.release.suggest.summary import ColumnSummary

_FEW = 12  # whole numbers with at most so many values may be codes, which have no order
_ANSWERS = 4  # … and with at most so many they are answers that intervals would not help
_MANY = 30  # values that can only be shown or hidden: worth a remark
_LONGEST_MASK = 64  # characters
_CODES = ("code", "prefix", "country", "marital", "workclass", "occupation", "relationship")  # numbers without an order

_HIDDEN = "shown or hidden"
_OTHER_DATES = Advice("written as 1984-03-05 these dates could be blurred to month and year")
_COMMA_NUMBERS = Advice("written as 174.2 these numbers could be blurred to intervals")
_AMOUNTS = Advice("taken for codes, which are shown or hidden; if the numbers are amounts, give intervals")
_TOO_LARGE = Advice("the numbers are too large for a grid")
_MANY_VALUES = Advice("so many values that are only shown or hidden deserve groups or a hierarchy file")
_UNEVEN = Advice(
    "codes of different lengths: the mask keeps them apart until the top. Put back zeros that a program took off, or write a "
    "hierarchy file"
)


def hierarchy_for(
    column: ColumnSummary, kind: str, values: Sequence[str], *, complete: bool
) -> tuple[dict[str, Any] | None, str, list[Advice]]:
    """The hierarchy as in a recipe, what it does in words, and what a person should know of it.

    `values` are those of the column that are known, without those that stand for a missing one; `complete`: that is all.
    """
    if patterns.are_dates(values):
        levels = ["month", "year", "decade"] if kind == "birth" else ["month", "quarter", "year"]
        return {"dates": levels}, f"blurred to {_listed(levels)}", []
    if patterns.are_dates_written_otherwise(values):
        return None, _HIDDEN, [_OTHER_DATES]
    if patterns.are_numbers_with_a_comma(values):
        return None, _HIDDEN, [_COMMA_NUMBERS]
    if kind in ("zip", "prefix") and values and not any("*" in v or len(v) > _LONGEST_MASK for v in values):
        uneven = kind == "prefix" or column.numeric
        advice = [_UNEVEN] if uneven and len({len(value) for value in values}) > 1 else []
        return {"mask": "right"}, "masked sign by sign from the right", advice
    if column.numeric and column.low is not None and column.high is not None and kind not in _CODES:
        return _intervals(column, kind, column.low, column.high)
    known = groups_for(kind, sorted(values)) if complete and kind else None
    if known is not None:
        groups, strangers = known
        rest = (
            [Advice(f"{strangers} of the values fit none and are under 'Other', put them right")] if strangers else []
        )
        return {"groups": groups}, f"blurred to {_listed(list(groups))}", rest
    return None, _HIDDEN, [_MANY_VALUES] if column.distinct > _MANY else []


def _intervals(
    column: ColumnSummary, kind: str, low: float, high: float
) -> tuple[dict[str, Any] | None, str, list[Advice]]:
    known = scale_for(kind, column)
    if known is not None:
        return known[0], f"blurred to {known[1]}", []
    if column.integer and column.distinct <= _FEW and high - low < 1000:
        return None, _HIDDEN, [_AMOUNTS] if column.distinct > _ANSWERS else []
    if not abs(low) + abs(high) < 1e15:
        return None, _HIDDEN, [_TOO_LARGE]
    first = column.most_common[:1]
    zero_apart = bool(
        column.integer and low == 0 and high > 20 and first and first[0][0] == "0" and 2 * first[0][1] > column.records
    )
    spec = grid(low, high, whole=column.integer, sample=column.sample_values, zero_apart=zero_apart)
    apart = ", with 0 apart as <1" if zero_apart else ""
    return spec, f"blurred to intervals of {_listed(spec['intervals'])}{apart}", []


def _listed(things: Sequence[object]) -> str:
    words = [f"{thing:,}" if isinstance(thing, int) else str(thing) for thing in things]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
