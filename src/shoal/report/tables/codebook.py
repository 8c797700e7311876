"""The codebook of a table: what each published value stands for (see `shoal.report.codebook`)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from shoal.data.schema import Role
from shoal.recoding.tables.recoded import ShownValues
from shoal.report.codebook import FORMAT, SUPPRESSED_POLICY, VERSION, Codebook, CodebookColumn, without_defaults
from shoal.report.columns import RoleName
from shoal.report.meaning import CodebookValue, node_of, of_free, of_node
from shoal.report.rungs import node_levels
from shoal.report.tables.above import closed_ranges, placed
from shoal.report.words import ROLE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.hierarchies.hierarchy import Hierarchy, Label


@dataclass(frozen=True, eq=False)
class PublishedColumn:
    """A quasi-identifying column of a release: the values that it shows, and how they lie in its hierarchy."""

    hierarchy: Hierarchy
    shown: ShownValues
    held: NDArray[np.int64]  # numbers of the shown values that the release holds
    level: int | None  # None: of several levels, or of none
    height: int | None = None  # the highest level that may be told; None: that of the hierarchy
    records: NDArray[np.int64] | None = None  # (shown values,): published records that show each

    @property
    def highest(self) -> int:
        """The highest level that is told."""
        return self.hierarchy.height if self.height is None else self.height

    @classmethod
    def at(cls, hierarchy: Hierarchy, level: int, published: Collection[Label]) -> PublishedColumn:
        """Every record at one level; `published`: the labels of that level that the release holds."""
        values = ShownValues.of_nodes(hierarchy, hierarchy.group_nodes(level))
        numbers = [value for value, label in enumerate(values.labels) if label in published]
        return cls(hierarchy, values, np.array(numbers, np.int64), level)


MISSING_POLICY = {
    "value": "A missing value is a value of its own. It is published as missing (empty, NULL) unless its column is fully hidden.",
    "refuse": "The original has no missing value in a quasi-identifying column; such data is refused.",
}


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
        values = published[column.name]
        exact = values.level == 0
        columns.append(
            CodebookColumn(
                column.name,
                role,
                ROLE[role][0],
                as_it_was if exact else "text",
                values.level if values.level is None else min(values.level, values.highest),
                values.highest,
                () if exact else _values(values, column.name in stated),
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
    ranges = cache(lambda level: closed_ranges(hierarchy, level, lowers[level]))
    values = []
    for value in sorted(column.held.tolist(), key=lambda v: (first[v], -sizes[v])):
        label, leaves = shown.labels[value], shown.leaves_of(value)
        node = node_of(hierarchy, label, leaves)
        meaning = (
            of_free(hierarchy, str(label), leaves, stated)
            if node is None
            else of_node(hierarchy, node, stated, lowers[levels[node]])
        )
        if column.records is not None:
            level = None if node is None or levels[node] < 0 else int(levels[node])
            meaning = placed(hierarchy, meaning, leaves, level, column.highest, ranges)
            meaning = replace(meaning, records=int(column.records[value]))
        values.append(meaning)
    return tuple(values)


def _lowers(hierarchy: Hierarchy, level: int) -> frozenset[float]:
    """The lower bounds of the labels of a level."""
    if hierarchy.bounds is None:
        return frozenset()
    return frozenset(float(bound) for bound in hierarchy.bounds[hierarchy.group_nodes(level), 0])
