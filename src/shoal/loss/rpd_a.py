"""RPD_a, the estimate of RPD on all records laid upon each other (paper 000, section 3.1, equations 6 and 7).

The paper's search compares cuts by it. It weighs a path by its records and divides by the size of the laid-over tree, which grows
when something is kept apart, so it is only read.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from shoal.kernels.tree_loss import depths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.trees import Forest
    from shoal.loss.trees import TreeRelease


class Synopsis(NamedTuple):
    """All paths of all records, each once; a path stands after the one above it."""

    parents: NDArray[np.int64]  # -1 below the root
    labels: NDArray[np.int64]
    depths: NDArray[np.int64]
    supports: NDArray[np.int64]  # records that have the path


class RPDa:
    """Of the synopsis: mean over its leaves of Σ supports / Π depth · |values at the level|, divided by its number of nodes."""

    name: ClassVar[str] = "rpd-a"
    kind: ClassVar[str] = "trees"
    title: ClassVar[str] = "Estimate of the reverse path domain (RPD_a)"
    plain: ClassVar[str] = "How little the paths of all records together can tell apart"
    formula: ClassVar[str] = (
        "all shown records laid upon each other make one tree; mean over its leaves of (sum of records that have each node of the "
        "path) / (product along the path of depth · number of values of all classes at the level), divided by its number of nodes; "
        "the number of records when nothing is shown"
    )
    share: ClassVar[bool] = False

    def of(self, release: TreeRelease) -> Fraction:
        made = synopsis(release.shown)
        if not len(made.labels):
            return Fraction(release.rows)
        supports = made.supports.astype(np.float64)
        inverse = 1.0 / (made.depths * release.domains[made.labels])
        for depth in range(2, int(made.depths.max()) + 1):
            at = np.flatnonzero(made.depths == depth)
            supports[at] += supports[made.parents[at]]
            inverse[at] *= inverse[made.parents[at]]
        ends = np.ones(len(made.labels), np.bool_)
        ends[made.parents[made.parents >= 0]] = False
        return Fraction(fsum((supports * inverse)[ends]) / len(made.labels) / int(ends.sum()))


def synopsis(forest: Forest) -> Synopsis:
    """The paper's synopsis tree, without its lists of records."""
    paths, made = trie(forest, forest.labels)
    records = np.repeat(forest.records, np.diff(forest.offsets))
    supports = np.bincount(paths, weights=records, minlength=len(made.labels)).astype(np.int64)
    return made._replace(supports=supports)


def trie(forest: Forest, labels: NDArray[np.int32]) -> tuple[NDArray[np.int64], Synopsis]:
    """The number of each node's path, and the paths, shortest first; their supports are not counted. labels: of the nodes."""
    deep = depths(forest.offsets, forest.parents)
    begin = np.repeat(forest.offsets[:-1], np.diff(forest.offsets))
    width = np.int64(labels.max(initial=0)) + 1
    numbers = np.empty(len(labels), np.int64)
    parents, called, depth_of, count = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
    for depth in range(1, int(deep.max(initial=0)) + 1):
        at = np.flatnonzero(deep == depth)
        above = numbers[begin[at] + forest.parents[at]] if depth > 1 else np.full(len(at), -1, np.int64)
        keys, inverse = np.unique((above + 1) * width + labels[at], return_inverse=True)
        numbers[at] = count + inverse
        parents.append(keys // width - 1)
        called.append(keys % width)
        depth_of.append(np.full(len(keys), depth, np.int64))
        count += len(keys)
    nothing = np.empty(0, np.int64)
    return numbers, Synopsis(np.concatenate(parents), np.concatenate(called), np.concatenate(depth_of), nothing)
