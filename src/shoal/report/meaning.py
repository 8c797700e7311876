"""What one published value stands for: a node of the hierarchy, or a range or set of its own.

Nothing is said that the published value, the recipe or a hierarchy file does not say. Bounds of a free range are read off the
value itself: the raw values below it may be those of the data, and the smallest of them somebody's.
"""

from __future__ import annotations

import csv
import math
import re
from calendar import monthrange
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from shoal.hierarchies import dates, decimals

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy as np
    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy, Label

Kind = Literal["exact", "missing", "any", "range", "dates", "mask", "group", "set"]


@dataclass(frozen=True)
class CodebookValue:
    """A published value. Bounds are numbers or ISO dates and belong to it unless said otherwise; none: open to that side."""

    value: str | None
    kind: Kind
    lower: int | float | str | None = None
    upper: int | float | str | None = None
    upper_excluded: bool = False
    hidden: int | None = None  # of a mask: how many characters
    raw_values: int | None = None  # of a group or set: how many
    members: tuple[str, ...] = ()  # of a group or set: which
    without: tuple[str, ...] = ()  # published values below it that stand for themselves, so that it stands for the rest
    # of a table: the level it stands at, or, of what is no label, the lowest with a label that holds it; and the labels above, from
    # there (of a label: from the next) to the one below the top
    level: int | None = None
    above: tuple[str, ...] = ()
    records: int | None = None  # published records that show it, as anybody can count in the release


def node_of(hierarchy: Hierarchy, label: Label, leaves: NDArray[np.int32]) -> int | None:
    """The node of the hierarchy that a published value is; None for a range or set of its own."""
    node = hierarchy.node(label)
    if node is None or hierarchy.leaves_below(node) != len(leaves) or hierarchy.first[node] != leaves[0]:
        return None
    return node if hierarchy.last[node] == leaves[-1] else None


def of_node(hierarchy: Hierarchy, node: int, stated: bool, lowers: Collection[float]) -> CodebookValue:
    """stated: the hierarchy states its raw values, so that they may be listed. lowers: lower bounds of the node's level."""
    label = hierarchy.labels[node]
    if label is None:
        return CodebookValue(None, "missing")
    if label == hierarchy.root:
        return CodebookValue(label, "any")
    if node < hierarchy.leaf_count:
        return CodebookValue(label, "exact")
    if hierarchy.bounds is not None and not math.isnan(hierarchy.bounds[node][0]):
        low, high = (float(bound) for bound in hierarchy.bounds[node])
        # A bound that two neighbours share belongs to the upper one.
        shared = high != low and high in lowers
        excluded = math.isfinite(high) and (shared or label.endswith("[") or label.startswith("<"))
        return CodebookValue(label, "range", _number(low), _number(high), excluded)
    leaf = hierarchy.labels[int(hierarchy.first[node])]
    if leaf is not None and dates.parse(leaf) is not None:
        span = _days(label)
        if span is not None:
            return CodebookValue(label, "dates", *span)
    if stated and hierarchy.bounds is None:
        members = hierarchy.labels[int(hierarchy.first[node]) : int(hierarchy.last[node]) + 1]
        return CodebookValue(
            label, "group", raw_values=len(members), members=tuple(m for m in members if m is not None)
        )
    hidden = _masked(label, leaf)
    return CodebookValue(label, "mask", hidden=hidden) if hidden else CodebookValue(label, "group")


def of_free(hierarchy: Hierarchy, label: str, leaves: NDArray[np.int32], stated: bool) -> CodebookValue:
    """A range of numbers (`25-34`, `[2.5, 4[`, `>=70`) or a set (`{A, B}`) that is no label of the hierarchy."""
    span = span_of(label)
    if span is not None and all(_is_number(hierarchy.labels[leaf]) for leaf in (int(leaves[0]), int(leaves[-1]))):
        return CodebookValue(label, "range", *span)
    listed = listed_values(label)
    if listed:
        return CodebookValue(label, "set", members=listed)
    if stated:
        members = [hierarchy.labels[leaf] for leaf in leaves.tolist()]
        return CodebookValue(
            label, "set", raw_values=len(members), members=tuple(member for member in members if member is not None)
        )
    return CodebookValue(label, "set")


def _is_number(label: Label) -> bool:
    return label is not None and decimals.parse(label) is not None


def _number(bound: float) -> int | float | None:
    if not math.isfinite(bound):
        return None
    return int(bound) if bound.is_integer() else bound


_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_BOTH = re.compile(rf"({_NUMBER})-({_NUMBER})|\[({_NUMBER}), ({_NUMBER})([\[\]])")
_ONE_SIDE = re.compile(rf"(>=|<=|<)({_NUMBER})")


def span_of(label: str) -> tuple[int | float | None, int | float | None, bool] | None:
    """Lower bound, upper bound, and whether the upper one is excluded, as the label writes them."""
    both = _BOTH.fullmatch(label)
    if both is not None:
        low, high = both[1] or both[3], both[2] or both[4]
        return _number(float(low)), _number(float(high)), both[5] == "["
    side = _ONE_SIDE.fullmatch(label)
    if side is None:
        return None
    bound = _number(float(side[2]))
    return (bound, None, False) if side[1] == ">=" else (None, bound, side[1] == "<")


def listed_values(label: str) -> tuple[str, ...]:
    """The values between the braces of `{A, B}` or `{"A, a", "B"}`; none when it is no such list."""
    if len(label) < 3 or label[0] != "{" or label[-1] != "}":
        return ()
    try:
        (members,) = csv.reader([label[1:-1]], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        return ()
    return tuple(members) if all(members) else ()


_DAYS = re.compile(r"(\d{4})(?:-(?:(\d\d)(?:-(\d\d))?|Q([1-4])|H([12])|(\d{4})))?", re.ASCII)


def _days(label: str) -> tuple[str, str] | None:
    """First and last day of a day, month, quarter, half-year, year or run of years, as `hierarchies/dates.py` writes them."""
    match = _DAYS.fullmatch(label)
    if match is None:
        return None
    year, month, day, quarter, half, last_year = (int(part) if part else None for part in match.groups())
    if day:
        return label, label
    first = month or (3 * quarter - 2 if quarter else 6 * half - 5 if half else 1)
    last = month or (3 * quarter if quarter else 6 * half if half else 12)
    end = last_year or year
    if year is None or end is None or not 1 <= first <= 12 or not 1 <= year <= end:
        return None
    return f"{year:04}-{first:02}-01", f"{end:04}-{last:02}-{monthrange(end, last)[1]:02}"


def _masked(label: str, leaf: Label) -> int:
    """How many characters a mask hides, 0 when the label is no mask of the leaf."""
    if leaf is None or len(leaf) != len(label) or leaf == label:
        return 0
    differ = [i for i, (shown, raw) in enumerate(zip(label, leaf, strict=True)) if shown != raw]
    at_one_side = differ[-1] == len(label) - 1 or differ[0] == 0
    together = differ[-1] - differ[0] + 1 == len(differ)
    return len(differ) if at_one_side and together and len({label[i] for i in differ}) == 1 else 0
