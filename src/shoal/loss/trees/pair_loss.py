"""The loss that searches for trees minimize (ERRATA 000-6): the paper's distance of subtrees, taken of whole records.

Unlike RPD it never falls when something is generalized, left out or kept apart.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.kernels.trees.kept_relations import pairs_of_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.loss.trees.release import TreeRelease


class TreeDistance:
    """Mean over the records of half the mean loss of their nodes, plus half the share of their relations that is lost."""

    name: ClassVar[str] = "tree-loss"
    kind: ClassVar[Kind] = "trees"
    title: ClassVar[str] = "Loss of values and relations (tree loss)"
    plain: ClassVar[str] = "How vague the values are, and how many links between them are gone"
    formula: ClassVar[str] = (
        "mean over the records of ½ · mean over its original nodes of levels climbed / height (left out: 1) + ½ · share of "
        "its original pairs of values, one above the other, that are no longer shown so; nothing where it has none"
    )
    share: ClassVar[bool] = True

    def of(self, release: TreeRelease) -> Fraction:
        one, rows = release.originals, release.rows
        if not rows:
            return Fraction(0)
        nodes = np.diff(one.offsets)
        # in integers: levels as parts of a common height, and a sum for every number of nodes and of pairs that a record has
        common = lcm(*release.heights.tolist())
        parts = release.climbed * (common // release.heights[release.class_of[one.labels]])
        vague = np.bincount(np.repeat(np.arange(len(one)), nodes), weights=parts, minlength=len(one)).astype(np.int64)
        pairs, lost = pairs_of_labels(one.offsets, one.labels, one.parents, release.starts, release.kept)
        of_nodes = _divided(vague * one.records, nodes) / common
        return (of_nodes + _divided(lost * one.records, pairs)) / (2 * rows)


def _divided(numerators: NDArray[np.int64], denominators: NDArray[np.int64]) -> Fraction:
    """The sum of the fractions; where a denominator is 0, so is the numerator."""
    total = Fraction(0)
    for denominator in np.unique(denominators[denominators > 0]).tolist():
        total += Fraction(int(numerators[denominators == denominator].sum()), denominator)
    return total
