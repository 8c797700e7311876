"""What the published records and the recipe alone tell of trees: the figures of the public report.

As with tables (`published.py`), nothing here may depend on what an original record held beyond what its published one shows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.distinct import distinct
from shoal.recoding.trees.rules import LEFT_OUT, TreeRecoding
from shoal.release.widths import mean_width
from shoal.report import digits
from shoal.report.rungs import node_levels
from shoal.report.trees.facts import ClassLevel

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.release.kinds.trees.totals import TreeTotals
    from shoal.report.trees.facts import ClassFacts


def public_recoding(recoding: TreeRecoding, held: Mapping[str, Sequence[int]]) -> TreeRecoding:
    """The rules as the release shows them: every value under the narrowest label above it that the release holds.

    The true rules say the same of every value that somebody has. Of the others they say what was decided for them, and whether a
    value was worth a label of its own tells whether it occurs.
    """
    # a label that is left out wherever it would stand is one of the release all the same
    hidden = {lower for _, lower in recoding.out}
    nodes = []
    for number, name in enumerate(recoding.shape.names):
        start = int(recoding.first_shown[number])
        mine = [lower - start for lower in hidden if recoding.class_of(lower) == number]
        nodes.append(_nearest(recoding.hierarchies[name], [*held[name], *mine]))
    return TreeRecoding(recoding.shape, recoding.hierarchies, tuple(nodes), recoding.apart, recoding.out)


def public_classes(totals: TreeTotals, classes: tuple[ClassFacts, ...]) -> tuple[ClassFacts, ...]:
    """By class what the published nodes are shown as."""
    facts, start = [], 0
    for one in classes:
        tree = totals.release.hierarchies[one.name]
        weights = totals.shown_nodes[start : start + len(tree.labels)]
        nodes = np.flatnonzero(weights)
        facts.append(_public_class(one, tree, nodes, weights[nodes]))
        start += len(tree.labels)
    return tuple(facts)


def mean_width_of_nodes(totals: TreeTotals, stated: Collection[str]) -> float:
    """stated: classes whose raw values the recipe or a file states."""
    release = totals.release
    hierarchies = [(release.hierarchies[name], name in stated) for name in release.shape.names]
    labels = np.flatnonzero(totals.shown_nodes)
    return mean_width(hierarchies, labels.astype(np.int32), totals.shown_nodes[labels])


def _public_class(
    facts: ClassFacts, tree: Hierarchy, nodes: NDArray[np.int64], weights: NDArray[np.int64]
) -> ClassFacts:
    labels = distinct(nodes)
    exact = int((labels < tree.leaf_count).sum())
    levels, whole = node_levels(tree)[nodes], int(weights.sum())
    shares = tuple(
        ClassLevel(
            int(level), len(distinct(nodes[levels == level])), digits.up(int(weights[levels == level].sum()) / whole)
        )
        for level in np.unique(levels).tolist()
    )
    return replace(
        facts,
        values=None,
        published=len(labels),
        as_they_are=exact,
        grouped=len(labels) - exact,
        left_out=0,
        varying=0,
        levels=shares,
    )


def _nearest(tree: Hierarchy, held: Sequence[int]) -> NDArray[np.int32]:
    """(leaves,): the first of these nodes on the way up from each."""
    chosen = np.zeros(len(tree.labels), np.bool_)
    chosen[list(held)] = True
    nearest = np.full(tree.leaf_count, LEFT_OUT, np.int32)
    at = np.arange(tree.leaf_count, dtype=np.int64)
    while (open_ := (nearest == LEFT_OUT) & (at >= 0)).any():
        here = open_ & chosen[at]
        nearest[here] = at[here]
        at = np.where(at >= 0, tree.parents[at], -1)
    return nearest
