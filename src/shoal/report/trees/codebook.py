"""The codebook of a release of trees: what labels stand for, how a published tree is to be read, and by which rules it was made.

As elsewhere it says no more about the data than the release does. A label is listed only when the release holds it. What raw values
became is listed only of classes whose values a file or the recipe states; pairs that are kept apart only when both labels are held.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, cast

from shoal.data.schema import Role
from shoal.report.codebook import (
    FORMAT,
    SUPPRESSED_POLICY,
    VERSION,
    Codebook,
    CodebookColumn,
    CodebookTrees,
    without_defaults,
)
from shoal.report.meaning import of_node
from shoal.report.trees.words import absence
from shoal.report.words import ROLE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from shoal.data.schema import Schema
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.report.columns import RoleName
    from shoal.report.meaning import CodebookValue

MISSING_POLICY = (
    "What has no value is no node. What would hang below it hangs below the node above, and below the record itself where there is "
    "none."
)
_TYPE = "list of nodes: value (text), and for each class that may stand below a list of its nodes"


def tree_codebook(
    schema: Schema,
    hierarchies: Mapping[str, Hierarchy],
    held: Mapping[str, Mapping[int, int]],
    rules: Mapping[str, Any],
    *,
    stated: Collection[str] = (),
) -> dict[str, Any]:
    """held: by class the nodes of its hierarchy that some published record shows, with how many do; rules: all, as the recoding
    tells them."""
    columns: list[CodebookColumn] = []
    for column in schema:
        if column.role is Role.IDENTIFYING:
            continue
        role = cast("RoleName", column.role.value)
        if column.role is not Role.QUASI:
            columns.append(CodebookColumn(column.name, role, ROLE[role][0], "as in the original"))
            continue
        hierarchy, may_tell = hierarchies[column.name], column.name in stated
        nodes = list(held[column.name])
        values = tuple(
            replace(_value(hierarchy, node, nodes, may_tell), records=records)
            for node, records in held[column.name].items()
        )
        below = f"a class of nodes below '{column.parent}'" if column.parent else "a class of nodes below the record"
        means = f"{ROLE[role][0]}: {below}"
        columns.append(CodebookColumn(column.name, role, means, _TYPE, None, hierarchy.height, values))
    public = public_rules(rules, hierarchies, held, stated)
    parents = {one.name: one.parent for one in schema.shape.classes}
    trees = CodebookTrees(parents, absence(len(public["apart"]), len(public.get("out", ()))), public)
    book = Codebook(FORMAT, VERSION, MISSING_POLICY, SUPPRESSED_POLICY, tuple(columns))
    whole: dict[str, Any] = without_defaults(asdict(book))
    whole["trees"] = asdict(trees)
    return whole


def _value(hierarchy: Hierarchy, node: int, held: Sequence[int], may_tell: bool) -> CodebookValue:
    """What a label stands for, which is less than the hierarchy says where values below it are published by themselves."""
    value = of_node(hierarchy, node, may_tell, ())
    first, last = hierarchy.first, hierarchy.last
    below = [other for other in held if other != node and first[node] <= first[other] and last[other] <= last[node]]
    if not below:
        return value
    gone = {leaf for other in below for leaf in range(int(first[other]), int(last[other]) + 1)}
    members = tuple(one for one in value.members if hierarchy.code(one) not in gone)
    return replace(
        value,
        members=members,
        raw_values=None if value.raw_values is None else len(members),
        without=tuple(str(hierarchy.labels[other]) for other in below),
    )


def public_rules(
    rules: Mapping[str, Any],
    hierarchies: Mapping[str, Hierarchy],
    held: Mapping[str, Iterable[int]],
    stated: Collection[str],
) -> dict[str, Any]:
    """What of the rules may be read by everyone."""
    labels = {(name, hierarchies[name].labels[node]) for name, nodes in held.items() for node in nodes}
    public = {
        **rules,
        "shown": {name: said for name, said in rules.get("shown", {}).items() if name in stated},
        "apart": [pair for pair in rules.get("apart", []) if all((name, label) in labels for name, label in pair)],
    }
    if "out" not in rules:
        return public
    # what is left out below a label that is shown; elsewhere it may never be
    return {**public, "out": [[upper, lower] for upper, lower in rules["out"] if tuple(upper) in labels]}
