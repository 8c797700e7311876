"""The kinds of blur rules, and the rule that each begins with when a person chooses it for a column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import HierarchyError
from shoal.hierarchies import dates, decimals
from shoal.release.editing.ranges import Ranges

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Counts = Sequence[tuple[str, int]]

LONGEST_ORDER = 200  # values that a person can put in order by hand
DATE_STEPS = tuple(dates.LEVELS)

_KEYS = {
    "intervals": "ranges",
    "borders": "ranges",
    "dates": "dates",
    "mask": "characters",
    "groups": "groups",
    "order": "order",
}
KINDS = ("ranges", "dates", "characters", "groups", "order", "file", "hidden")


def kind_of(spec: str | Mapping[str, object] | None) -> str:
    """Which of `KINDS` a rule of a recipe is; "hidden" where there is none."""
    if isinstance(spec, str):
        return "file"
    return next((kind for key, kind in _KEYS.items() if key in spec), "hidden") if spec else "hidden"


def first_rule(kind: str, counts: Counts) -> dict[str, Any] | None:
    """What a rule of a kind begins with; None of one that a person must say something for first, and of "hidden"."""
    return _FIRST[kind](counts) if kind in _FIRST else None


def fitting(counts: Counts) -> tuple[str, ...]:
    """The kinds that can hold these values."""
    texts = [value for value, _ in counts]
    numbers = bool(texts) and all(decimals.parse(text) is not None for text in texts)
    days = bool(texts) and all(dates.parse(text) is not None for text in texts)
    unfit = {"ranges": not numbers, "dates": not days, "order": len(texts) > LONGEST_ORDER}
    return tuple(kind for kind in KINDS if not unfit.get(kind))


def _ordered(counts: Counts) -> dict[str, Any]:
    if len(counts) > LONGEST_ORDER:
        raise HierarchyError(f"More than {LONGEST_ORDER} values are put in order by a hierarchy file, not by hand.")
    return {"order": [value for value, _ in counts], "sizes": [2]}


_FIRST = {
    "ranges": lambda counts: Ranges.suggested(counts).spec,
    "dates": lambda counts: {"dates": ["month", "quarter", "year"]},
    "characters": lambda counts: {"mask": "right"},
    "order": _ordered,
}
