"""Where a node tells by what is not below it that something was left out: in place nothing is left out of a class there always is.

If every visit has a diagnosis, a published visit without one had one that is hidden. Nobody knows that every visit has one, if k
records show a visit without, where nothing can have been left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from shoal.data.trees import Forest
    from shoal.methods.trees.ground import Ground, Pair


def always_there(ground: Ground) -> frozenset[int]:
    """Classes without children of which a node of the class above has one, in all but fewer than k records."""
    of = np.searchsorted(ground.whole.first, ground.forest.labels, "right") - 1
    lowers = set(ground.class_of[ground.hideable].tolist())
    nowhere = np.zeros(len(of), np.bool_)
    pairs = [(int(ground.shape.parents[lower]), lower) for lower in lowers]
    return frozenset(
        lower for upper, lower in pairs if _bare(ground.forest, of, upper, lower, nowhere)[1] < ground.promise.k
    )


def telling(ground: Ground, shown_as: NDArray[np.int32], apart: Iterable[Pair]) -> frozenset[int]:
    """Classes of which a node that shows none of them below tells that one was left out."""
    release = ground.recoding(shown_as, apart).over(ground.forest)
    of = ground.class_of[release.labels]
    shown = set(of.tolist())
    parent = _parents(release)
    found = set()
    for lower in {int(ground.class_of[label]) for _, label in apart}:
        upper = int(ground.shape.parents[lower])
        while upper >= 0 and upper not in shown:  # left out as a whole
            upper = int(ground.shape.parents[upper])
        hides = np.zeros(ground.labels, np.bool_)
        hides[[above for above, label in apart if ground.class_of[label] == lower]] = True
        hiding, at = hides[release.labels], parent
        while (at >= 0).any():
            hiding, at = hiding | ((at >= 0) & hides[release.labels[at]]), np.where(at >= 0, parent[at], -1)
        seen, otherwise = _bare(release, of, upper, lower, hiding)
        if seen and otherwise < ground.promise.k:
            found.add(lower)
    return frozenset(found)


def _bare(
    forest: Forest, of: NDArray[np.integer], upper: int, lower: int, hiding: NDArray[np.bool_]
) -> tuple[int, int]:
    """How many records have a node of the upper class and none of the lower one below it: where one may be hidden, and elsewhere.
    of: (nodes,) the class; hiding: (nodes,) whether something of the lower class is left out there."""
    parent = _parents(forest)
    has = np.zeros(len(of), np.bool_)
    at = parent[of == lower]
    while len(at := at[at >= 0]):
        has[at] = True
        at = parent[at]
    bare = (of == upper) & ~has
    tree = np.repeat(np.arange(len(forest)), np.diff(forest.offsets))
    here, elsewhere = (int(forest.records[np.unique(tree[bare & some])].sum()) for some in (hiding, ~hiding))
    return here, elsewhere


def _parents(forest: Forest) -> NDArray[np.int64]:
    """(nodes,): by place among all nodes; -1 below the root."""
    first = np.repeat(forest.offsets[:-1], np.diff(forest.offsets))
    return np.where(forest.parents < 0, -1, forest.parents + first)
