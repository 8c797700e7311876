"""At which level a published value stands, and which labels of the hierarchy lie above it: what is needed to bring values of
several levels to one.

Both are told by the value and the recipe. A range that is no label of the hierarchy is placed by the bounds it shows, and not by
the raw values in it: which of them occur is nobody's to know.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.report.meaning import of_node

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.report.meaning import CodebookValue


def placed(
    hierarchy: Hierarchy,
    value: CodebookValue,
    leaves: NDArray[np.int32],
    level: int | None,
    highest: int,
    ranges: Callable[[int], Sequence[CodebookValue]],
) -> CodebookValue:
    """With its level and the labels above. level: of a node, as far as a level shows it; None of what is no node.

    highest: the level of the top, as far as it is told. ranges: the closed ranges of a level.
    """
    if value.kind == "any":
        return replace(value, level=highest)
    if value.kind == "missing":  # it is missing at every level below the top
        return replace(value, level=0)
    if level is not None:
        first = min(level, highest)
        return replace(value, level=first, above=_labels(hierarchy, leaves, first + 1, highest))
    if value.kind == "range":
        return _by_bounds(value, highest, ranges)
    if value.kind != "set" or not value.members:
        return replace(value, level=highest)
    groups = hierarchy.groups
    inside = [at for at in range(1, highest) if groups[at][leaves[0]] == groups[at][leaves[-1]]]
    start = inside[0] if inside else highest
    return replace(value, level=start, above=_labels(hierarchy, leaves, start, highest))


def _labels(hierarchy: Hierarchy, leaves: NDArray[np.int32], start: int, highest: int) -> tuple[str, ...]:
    """From a level to the one below the top: the widest label there that holds one of the leaves."""
    names = []
    for at in range(start, min(highest, hierarchy.height)):
        nodes = hierarchy.levels[at][leaves[[0, -1]]]  # the same, where the levels of a file are as they should be
        widest = nodes[np.argmax(hierarchy.last[nodes] - hierarchy.first[nodes])]
        names.append(str(hierarchy.labels[int(widest)]))
    return tuple(names)


def _by_bounds(value: CodebookValue, highest: int, ranges: Callable[[int], Sequence[CodebookValue]]) -> CodebookValue:
    """Above a range are the labels that hold all of it: from the top down to the first level that has none."""
    names: list[str] = []
    if value.lower is not None and value.upper is not None:
        for at in range(highest - 1, 0, -1):
            name = _holding(value, ranges(at))
            if name is None:
                break
            names.insert(0, name)
    return replace(value, level=highest - len(names), above=tuple(names))


def _holding(value: CodebookValue, ranges: Sequence[CodebookValue]) -> str | None:
    """ranges: by their lower bounds."""
    at = bisect_right(ranges, value.lower, key=lambda label: label.lower) - 1
    if at < 0:
        return None
    label = ranges[at]
    inside = value.upper < label.upper or (  # type: ignore[operator]
        value.upper == label.upper and (value.upper_excluded or not label.upper_excluded)
    )
    return str(label.value) if inside else None


def closed_ranges(hierarchy: Hierarchy, level: int, lowers: Collection[float]) -> list[CodebookValue]:
    """The labels of a level that are ranges with two ends, by their lower bounds. lowers: of all labels of the level."""
    if hierarchy.bounds is None or level >= hierarchy.height:
        return []
    labels = (of_node(hierarchy, node, False, lowers) for node in hierarchy.group_nodes(level).tolist())
    closed = [one for one in labels if one.kind == "range" and one.lower is not None and one.upper is not None]
    return sorted(closed, key=lambda one: one.lower)  # type: ignore[arg-type, return-value]
