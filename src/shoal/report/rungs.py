"""The ladder of a column for the report: an example of each level, as far as it may be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.report.columns import Rung

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy


def rungs(hierarchy: Hierarchy, level: int, label: str, *, stated: bool = False) -> tuple[Rung, ...]:
    """One rung per level. `label`: a value published at `level` that at least k records share.

    Coarser levels follow from it. A finer label is shown only when it says nothing of the data: the hierarchy states its raw
    values (`stated`: a file, `groups`, `order`), or it lists every whole number of a range whether it occurs or not. It is
    then the one in the middle of the range or group, not one that was looked up in the data. The same goes for how many
    labels a finer level has: where the data says it, 0 stands for "not told".
    """
    node = hierarchy.node(label)
    if node is None:
        raise ValueError("The label of a ladder must be in its hierarchy.")
    middle = (int(hierarchy.first[node]) + int(hierarchy.last[node]) + 1) // 2
    open_below = (stated and hierarchy.bounds is None) or _whole_grid(hierarchy, node)
    path = hierarchy.path(middle)
    if path[level] != label:
        raise ValueError("The label of a ladder must be published at its level.")
    return tuple(
        Rung((path[at] or ""), int(hierarchy.groups[at].max()) + 1) if at >= level or open_below else Rung("", 0)
        for at in range(hierarchy.height + 1)
    )


def rungs_of_mix(hierarchy: Hierarchy, examples: Mapping[int, str], *, stated: bool = False) -> tuple[Rung, ...]:
    """One rung per level of a column that shows several. `examples`: by level, a value published at it that at least k
    records share. How many labels a level has is told only where the data does not say it."""
    may_count = (stated and hierarchy.bounds is None) or _whole_grid(hierarchy, len(hierarchy.labels) - 1)
    return tuple(
        Rung(examples.get(level, ""), int(hierarchy.groups[level].max()) + 1 if may_count else 0)
        for level in range(hierarchy.height + 1)
    )


def node_levels(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """(nodes,): the lowest level at which every raw value below a node is shown as that node.

    Where the levels of a file never show a node for all its raw values at once, the lowest at which it is shown at all; -1 for
    a node that no level shows.
    """
    below = (hierarchy.last - hierarchy.first + 1).astype(np.int64)
    seen, whole = np.full(len(below), -1, np.int64), np.full(len(below), -1, np.int64)
    for level in range(hierarchy.height, -1, -1):
        leaves = np.bincount(hierarchy.levels[level], minlength=len(below))
        seen[leaves > 0] = level
        whole[leaves == below] = level
    return np.where(whole >= 0, whole, seen)


def _whole_grid(hierarchy: Hierarchy, node: int) -> bool:
    """Whether the raw values below a node are all whole numbers between its bounds."""
    if hierarchy.bounds is None:
        return False
    low, high = (float(bound) for bound in hierarchy.bounds[node])
    return low.is_integer() and high.is_integer() and hierarchy.leaves_below(node) == int(high - low) + 1
