"""The codebook of a release: what each published value stands for, for machines.

It says no more about the data than the release does. A value is listed only when the release holds it. The raw values below
it are listed only when a file or the recipe states them; a hierarchy that was drawn from the data (a mask, dates, or no
hierarchy at all) would give away values that nobody published, and even their number.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from shoal.data.schema import Role
from shoal.recoding.recoded import ShownValues
from shoal.report.facts import RoleName
from shoal.report.meaning import CodebookValue, node_of, of_free, of_node  # `CodebookValue` also for the JSON Schema
from shoal.report.rungs import node_levels
from shoal.report.words import ROLE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.hierarchies.hierarchy import Hierarchy, Label

FORMAT: Literal["shoal-codebook"] = "shoal-codebook"
VERSION: Literal[1] = 1


@dataclass(frozen=True)
class CodebookColumn:
    """A published column. Without a list of values each value stands for itself.

    `level` is null when records differ in how far the column is blurred: one raw value may then be published in several ways.
    """

    name: str
    role: RoleName
    means: str  # the role in words
    type: str
    level: int | None = 0
    levels: int = 0  # the highest level of its hierarchy; 0 when it has none
    values: tuple[CodebookValue, ...] = ()


@dataclass(frozen=True)
class CodebookTrees:
    """Of a release of trees. `rules`: what values became, where these are stated, and which labels are kept apart."""

    parents: dict[str, str | None]  # class → the class below which its nodes hung in the original; null: the record
    absence: str
    rules: dict[str, Any]


@dataclass(frozen=True)
class Codebook:
    """What the values of a release of shoal mean."""

    format: Literal["shoal-codebook"]
    version: Literal[1]
    missing: str
    suppressed: str
    columns: tuple[CodebookColumn, ...]
    trees: CodebookTrees | None = None


@dataclass(frozen=True, eq=False)
class PublishedColumn:
    """A quasi-identifying column of a release: the values that it shows, and how they lie in its hierarchy."""

    hierarchy: Hierarchy
    shown: ShownValues
    held: NDArray[np.int64]  # numbers of the shown values that the release holds
    level: int | None  # None: of several levels, or of none

    @classmethod
    def at(cls, hierarchy: Hierarchy, level: int, published: Collection[Label]) -> PublishedColumn:
        """Every record at one level; `published`: the labels of that level that the release holds."""
        shown = ShownValues.of_nodes(hierarchy, hierarchy.group_nodes(level))
        held = [value for value, label in enumerate(shown.labels) if label in published]
        return cls(hierarchy, shown, np.array(held, np.int64), level)


MISSING_POLICY = {
    "value": "A missing value is a value of its own. It is published as missing (empty, NULL) unless its column is fully hidden.",
    "refuse": "The original has no missing value in a quasi-identifying column; such data is refused.",
}
SUPPRESSED_POLICY = "Suppressed records are left out; the release has no row for them."


def codebook(
    schema: Schema,
    published: Mapping[str, PublishedColumn],
    *,
    stated: Collection[str] = (),
    missing: Literal["value", "refuse"] = "value",
    types: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The codebook as plain values, ready for JSON.

    published: the quasi-identifying columns. stated: those whose hierarchy states its raw values (a file, `groups`,
    `order`), so that they may be listed. types: of columns that are published as they were, for example "int64".
    """
    types = types or {}
    columns = []
    for column in schema:
        if column.role is Role.IDENTIFYING:
            continue
        role = cast(RoleName, column.role.value)
        as_it_was = types.get(column.name, "as in the original")
        if column.name not in published:
            columns.append(CodebookColumn(column.name, role, ROLE[role][0], as_it_was))
            continue
        shown = published[column.name]
        exact = shown.level == 0
        columns.append(
            CodebookColumn(
                column.name,
                role,
                ROLE[role][0],
                as_it_was if exact else "text",
                shown.level,
                shown.hierarchy.height,
                () if exact else _values(shown, column.name in stated),
            )
        )
    book = Codebook(FORMAT, VERSION, MISSING_POLICY[missing], SUPPRESSED_POLICY, tuple(columns))
    return without_defaults(asdict(book))  # type: ignore[no-any-return]


def _values(column: PublishedColumn, stated: bool) -> tuple[CodebookValue, ...]:
    """In the order of the raw values, the wider of two that begin alike first."""
    hierarchy, shown = column.hierarchy, column.shown
    levels = node_levels(hierarchy) if column.level is None else np.full(len(hierarchy.labels), column.level)
    lowers = [_lowers(hierarchy, level) for level in range(hierarchy.height + 1)]
    first, sizes = shown.leaves[shown.offsets[:-1]], shown.sizes
    made = []
    for value in sorted(column.held.tolist(), key=lambda v: (first[v], -sizes[v])):
        label, leaves = shown.labels[value], shown.leaves_of(value)
        node = node_of(hierarchy, label, leaves)
        if node is not None:
            made.append(of_node(hierarchy, node, stated, lowers[levels[node]]))
        else:
            made.append(of_free(hierarchy, str(label), leaves, stated))
    return tuple(made)


def _lowers(hierarchy: Hierarchy, level: int) -> frozenset[float]:
    """The lower bounds of the labels of a level."""
    if hierarchy.bounds is None:
        return frozenset()
    return frozenset(float(bound) for bound in hierarchy.bounds[hierarchy.group_nodes(level), 0])


def without_defaults(value: Any) -> Any:
    """A codebook of thousands of values should not say `members: []` thousands of times."""
    if isinstance(value, dict):
        keep_always = {"value", "values", "level", "levels"}
        return {
            key: without_defaults(item)
            for key, item in value.items()
            if key in keep_always or not (item is None or item is False or item == ())
        }
    return [without_defaults(item) for item in value] if isinstance(value, (list, tuple)) else value
