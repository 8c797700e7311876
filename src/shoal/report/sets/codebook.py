"""The codebook of a release of item sets: what labels stand for, or how a base is to be read."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, cast

from shoal.data.schema import Role
from shoal.report.codebook import FORMAT, SUPPRESSED_POLICY, VERSION, Codebook, CodebookColumn, without_defaults
from shoal.report.meaning import CodebookValue, of_node
from shoal.report.words import ROLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.data.schema import Schema
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.report.columns import RoleName

EMPTY_POLICY = "A record without items has an empty list; a missing list of the original is read as one."
LIST = "list of text"


def label_column(name: str, hierarchy: Hierarchy, held: Mapping[int, int], *, stated: bool) -> CodebookColumn:
    """held: nodes that some published record shows, with how many do. stated: the hierarchy names its items without a look at
    the data."""
    values: list[CodebookValue] = [
        replace(of_node(hierarchy, node, stated, ()), records=records) for node, records in held.items()
    ]
    return CodebookColumn(name, "quasi", _means("quasi"), LIST, None, hierarchy.height, tuple(values))


def matching_columns(name: str, differ: str, at_most: str) -> tuple[CodebookColumn, ...]:
    """The three columns of a release in which records show a base. Items stand for themselves."""
    return (
        CodebookColumn(
            name, "quasi", f"{_means('quasi')}: the base set; the original is this set or one near it", LIST
        ),
        CodebookColumn(differ, "quasi", f"the items in which the original may differ from '{name}'", LIST),
        CodebookColumn(
            at_most, "quasi", f"in how many items of '{differ}' the original differs from '{name}' at most", "int32"
        ),
    )


def set_codebook(schema: Schema, shown: Sequence[CodebookColumn]) -> dict[str, Any]:
    """shown: what stands in place of the column of sets."""
    columns: list[CodebookColumn] = []
    for column in schema:
        if column.role is Role.IDENTIFYING:
            continue
        if column.role is Role.QUASI:
            columns += shown
            continue
        role = cast("RoleName", column.role.value)
        columns.append(CodebookColumn(column.name, role, ROLE[role][0], "as in the original"))
    book = Codebook(FORMAT, VERSION, EMPTY_POLICY, SUPPRESSED_POLICY, tuple(columns))
    return without_defaults(asdict(book))  # type: ignore[no-any-return]


def _means(role: RoleName) -> str:
    return ROLE[role][0]
