"""Trees without one of their classes and all that hangs below it. A tree is the set of its paths, so it stays one."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.without import Without, best_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.data.trees import Forest, TreeShape

LARGEST = 2_000_000  # nodes of different trees; beyond it nothing is said


def without_each(forest: Forest, shape: TreeShape, leaves: Sequence[int], k: int) -> tuple[Without, ...]:
    """leaves: how many labels each class has, in the order of the shape."""
    if len(shape.names) < 2 or not len(forest) or len(forest.labels) > LARGEST:
        return ()
    firsts = np.append(0, np.cumsum(leaves))
    classes = np.searchsorted(firsts, forest.labels, side="right") - 1  # (nodes,)
    paths = np.array(_paths(forest), np.int64)  # (nodes,): equal for equal paths
    each = []
    for number, name in enumerate(shape.names):
        kept = ~np.isin(classes, [number, *np.flatnonzero(shape.below[number])])
        each.append(Without.of(name, _sizes(forest, paths, kept), k))
    return best_first(each)


def _paths(forest: Forest) -> list[int]:
    numbers: dict[tuple[int, int], int] = {}
    paths: list[int] = []
    labels, parents = forest.labels.tolist(), forest.parents.tolist()
    for start, end in zip(forest.offsets[:-1].tolist(), forest.offsets[1:].tolist(), strict=True):
        for node in range(start, end):
            above = -1 if parents[node] < 0 else paths[start + parents[node]]
            paths.append(numbers.setdefault((above, labels[node]), len(numbers)))
    return paths


def _sizes(forest: Forest, paths: NDArray[np.int64], kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(classes,): records whose trees are the same when only some nodes are looked at."""
    held: dict[bytes, int] = {}
    offsets, records = forest.offsets.tolist(), forest.records.tolist()
    for tree, (start, end) in enumerate(pairwise(offsets)):
        key = np.sort(paths[start:end][kept[start:end]]).tobytes()
        held[key] = held.get(key, 0) + records[tree]
    return np.array(list(held.values()), np.int64)
