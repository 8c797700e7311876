"""The codebook of a release: what each published value stands for, for machines.

It says no more about the data than the release does. A value is listed only when the release holds it. The raw values below
it are listed only when a file or the recipe states them; a hierarchy that was drawn from the data (a mask, dates, or no
hierarchy at all) would give away values that nobody published, and even their number.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from shoal.data.schema import Role
from shoal.hierarchies import dates
from shoal.report.facts import RoleName
from shoal.report.words import ROLE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from shoal.data.schema import Schema
    from shoal.hierarchies.hierarchy import Hierarchy, Label

FORMAT: Literal["shoal-codebook"] = "shoal-codebook"
VERSION: Literal[1] = 1

Kind = Literal["exact", "missing", "any", "range", "dates", "mask", "group"]


@dataclass(frozen=True)
class CodebookValue:
    """A published value. Bounds are numbers or ISO dates and belong to it unless said otherwise; none: open to that side."""

    value: str | None
    kind: Kind
    lower: int | float | str | None = None
    upper: int | float | str | None = None
    upper_excluded: bool = False
    hidden: int | None = None  # of a mask: how many characters
    raw_values: int | None = None  # of a group: how many
    members: tuple[str, ...] = ()  # of a group: which


@dataclass(frozen=True)
class CodebookColumn:
    """A published column. Without a list of values each value stands for itself."""

    name: str
    role: RoleName
    means: str  # the role in words
    type: str
    level: int = 0
    levels: int = 0  # the highest level of its hierarchy; 0 when it has none
    values: tuple[CodebookValue, ...] = ()


@dataclass(frozen=True)
class Codebook:
    """What the values of a release of shoal mean."""

    format: Literal["shoal-codebook"]
    version: Literal[1]
    missing: str
    suppressed: str
    columns: tuple[CodebookColumn, ...]


MISSING_POLICY = {
    "value": "A missing value is a value of its own. It is published as missing (empty, NULL) unless its column is fully hidden.",
    "refuse": "The original has no missing value in a quasi-identifying column; such data is refused.",
}
SUPPRESSED_POLICY = "Suppressed records are left out; the release has no row for them."


def codebook(
    schema: Schema,
    recodings: Mapping[str, tuple[Hierarchy, int]],
    *,
    published: Mapping[str, Collection[Label]],
    stated: Collection[str] = (),
    missing: Literal["value", "refuse"] = "value",
    types: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The codebook as plain values, ready for JSON.

    recodings: hierarchy and chosen level of each quasi-identifying column. published: the different values the release
    holds in each of them. stated: columns whose hierarchy states its raw values (a file, `groups`, `order`), so that they may
    be listed. types: of columns that are published as they were, for example "int64".
    """
    types = types or {}
    columns = []
    for column in schema:
        if column.role is Role.IDENTIFYING:
            continue
        role = cast(RoleName, column.role.value)
        if column.name not in recodings:
            columns.append(
                CodebookColumn(column.name, role, ROLE[role][0], types.get(column.name, "as in the original"))
            )
            continue
        hierarchy, level = recodings[column.name]
        columns.append(
            CodebookColumn(
                column.name,
                role,
                ROLE[role][0],
                "text" if level else types.get(column.name, "as in the original"),
                level,
                hierarchy.height,
                _values(hierarchy, level, published[column.name], column.name in stated) if level else (),
            )
        )
    book = Codebook(FORMAT, VERSION, MISSING_POLICY[missing], SUPPRESSED_POLICY, tuple(columns))
    return _without_defaults(asdict(book))  # type: ignore[no-any-return]


def _values(hierarchy: Hierarchy, level: int, published: Collection[Label], stated: bool) -> tuple[CodebookValue, ...]:
    nodes = [int(node) for node in hierarchy.group_nodes(level)]
    lowers = set() if hierarchy.bounds is None else {float(hierarchy.bounds[node][0]) for node in nodes}
    return tuple(_value(hierarchy, node, stated, lowers) for node in nodes if hierarchy.labels[node] in published)


def _value(hierarchy: Hierarchy, node: int, stated: bool, lowers: set[float]) -> CodebookValue:
    label = hierarchy.labels[node]
    if label is None:
        return CodebookValue(None, "missing")
    if label == hierarchy.root:
        return CodebookValue(label, "any")
    if hierarchy.bounds is not None and not math.isnan(hierarchy.bounds[node][0]):
        low, high = (float(bound) for bound in hierarchy.bounds[node])
        # A bound that two neighbours share belongs to the upper one.
        excluded = math.isfinite(high) and (high in lowers - {low} or label.endswith("[") or label.startswith("<"))
        return CodebookValue(label, "range", _number(low), _number(high), excluded)
    leaf = hierarchy.labels[int(hierarchy.first[node])]
    if leaf is not None and dates.parse(leaf) is not None:
        span = _days(label)
        if span is not None:
            return CodebookValue(label, "dates", *span)
    if stated and hierarchy.bounds is None:
        members = hierarchy.labels[int(hierarchy.first[node]) : int(hierarchy.last[node]) + 1]
        if members == (label,):
            return CodebookValue(label, "exact")
        return CodebookValue(
            label, "group", raw_values=len(members), members=tuple(m for m in members if m is not None)
        )
    hidden = _masked(label, leaf)
    return CodebookValue(label, "mask", hidden=hidden) if hidden else CodebookValue(label, "group")


def _number(bound: float) -> int | float | None:
    if not math.isfinite(bound):
        return None
    return int(bound) if bound.is_integer() else bound


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


def _without_defaults(value: Any) -> Any:
    """A codebook of thousands of values should not say `members: []` thousands of times."""
    if isinstance(value, dict):
        keep_always = {"value", "values", "level", "levels"}
        return {
            key: _without_defaults(item)
            for key, item in value.items()
            if key in keep_always or not (item is None or item is False or item == ())
        }
    return [_without_defaults(item) for item in value] if isinstance(value, (list, tuple)) else value
