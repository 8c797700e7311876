"""RPD, the reverse path domain (paper 000, section 2.5), as ERRATA 000-6 has it: values of all classes of a level are counted.

It may fall when something is kept apart or generalized, so it is only read, never minimized.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum, prod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.kernels.trees.kept_relations import depths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.data.trees import Forest
    from shoal.loss.trees.release import TreeRelease


def reverse_path_domain(paths: Sequence[Sequence[int]]) -> Fraction:
    """RPD of one record, exactly. paths: from the root to each leaf, of every node how many values stand at its level.

    >>> reverse_path_domain([[12, 6], [12], [12, 6, 6]]), reverse_path_domain([])
    (Fraction(235, 7776), Fraction(1, 1))
    """
    if not paths:
        return Fraction(1)
    return sum((Fraction(1, prod(d * c for d, c in enumerate(path, 1))) for path in paths), Fraction(0)) / len(paths)


class RPD:
    """Mean over the records of the mean over their leaves of 1 / Π depth · |values at the level|."""

    name: ClassVar[str] = "rpd"
    kind: ClassVar[Kind] = "trees"
    title: ClassVar[str] = "Reverse path domain (RPD)"
    plain: ClassVar[str] = "How little the paths of a record can tell apart"
    formula: ClassVar[str] = (
        "mean over the records of the mean over the leaves of the shown tree of 1 / (product along the path to the leaf of depth · "
        "number of values of all classes at the value's level); 1 for a record that shows nothing. Does not grow with every change"
    )
    share: ClassVar[bool] = True

    def of(self, release: TreeRelease) -> Fraction:
        shown, rows = release.shown, release.rows
        if not rows:
            return Fraction(0)
        tree = np.repeat(np.arange(len(shown)), np.diff(shown.offsets))
        ends = leaves(shown)
        number = np.bincount(tree[ends], minlength=len(shown))
        # the root's own path has a domain of one, so a record without nodes has 1
        sums = np.where(number, np.bincount(tree[ends], inverse_domains(shown, release.domains)[ends], len(shown)), 1.0)
        return Fraction(fsum(sums / np.maximum(number, 1) * shown.records) / rows)


def leaves(forest: Forest) -> NDArray[np.bool_]:
    """(nodes,): whether nothing hangs below."""
    begin = np.repeat(forest.offsets[:-1], np.diff(forest.offsets))
    ends = np.ones(len(forest.labels), np.bool_)
    ends[(forest.parents + begin)[forest.parents >= 0]] = False
    return ends


def inverse_domains(forest: Forest, domains: NDArray[np.int64]) -> NDArray[np.float64]:
    """(nodes,): one over the domain of the path from the root to each node."""
    deep = depths(forest.offsets, forest.parents)
    inverse = 1.0 / (deep * domains[forest.labels])
    begin = np.repeat(forest.offsets[:-1], np.diff(forest.offsets))
    for depth in range(2, int(deep.max(initial=1)) + 1):
        at = np.flatnonzero(deep == depth)
        inverse[at] *= inverse[begin[at] + forest.parents[at]]
    return inverse
