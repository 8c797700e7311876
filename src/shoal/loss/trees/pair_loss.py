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
    from collections.abc import Mapping

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
        return distance_of(*lost_parts(release), release.heights, release.rows)


def lost_parts(release: TreeRelease) -> tuple[dict[int, int], dict[int, int]]:
    """In integers, so that parts of the records add up: by the number of nodes that a record has, levels climbed, as parts of a
    common height; and by its number of pairs, how many are lost."""
    one, nodes = release.originals, np.diff(release.originals.offsets)
    parts = release.climbed * (lcm(*release.heights.tolist()) // release.heights[release.class_of[one.labels]])
    vague = np.bincount(np.repeat(np.arange(len(one)), nodes), weights=parts, minlength=len(one)).astype(np.int64)
    pairs, lost = pairs_of_labels(one.offsets, one.labels, one.parents, release.starts, release.kept)
    return _by_number(nodes, vague * one.records), _by_number(pairs, lost * one.records)


def distance_of(vague: Mapping[int, int], lost: Mapping[int, int], heights: NDArray[np.int64], rows: int) -> Fraction:
    """The loss of all records, from these sums."""
    if not rows:
        return Fraction(0)
    of_nodes = sum((Fraction(parts, nodes) for nodes, parts in vague.items()), Fraction(0)) / lcm(*heights.tolist())
    of_pairs = sum((Fraction(number, pairs) for pairs, number in lost.items()), Fraction(0))
    return (of_nodes + of_pairs) / (2 * rows)


def _by_number(numbers: NDArray[np.int64], amounts: NDArray[np.int64]) -> dict[int, int]:
    """Amounts by the number they are divided by; where that is 0, so is the amount."""
    return {one: int(amounts[numbers == one].sum()) for one in np.unique(numbers[numbers > 0]).tolist()}
