"""Method `tree-cluster`: classes of at least k records that show one tree: multirelational k-anonymity by clustering.

The role that MiRaCle (Nergiz, Clifton, Nergiz 2009) plays in paper 000: local generalization and leaving out, and nothing is kept
apart. It promises more than k^(m,n)-anonymity for any m and n, and loses more. Trees are put in an order in which similar ones are
near, and cut into blocks. In a block a class grows from the first tree that has none: by the tree that costs least to add, until it
has k records. What remains of a block, fewer than k records, goes where it costs least. Records with equal trees stay together; k
of them or more are a class of their own.

A step costs what the tree loss charges, but for all trees alike, whatever their number of nodes; a node that is left out costs its
relations as well. The same data make the same classes: nothing is drawn.
"""

from __future__ import annotations

import time
from math import lcm
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.data.trees import Forest, TreeShape
from shoal.errors import Infeasible, RecipeError
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.kernels.trees.clusters import GONE, Grown, cluster_block
from shoal.loss.trees.pair_loss import TreeDistance
from shoal.loss.trees.release import TreeRelease
from shoal.methods.keys import key_problems
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.trees.problem import TreeProblem
from shoal.recoding.trees.classes import TreeClassRecoding
from shoal.recoding.trees.rules import LEFT_OUT, TreeRecoding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy

_BLOCK = 2_000  # trees: a class is grown from what its block has
_NEAR = 64  # so many trees more than k are looked at again with every step
_PLACES = 16  # nodes by which trees are put in order


class TreeCluster:
    """Classes of trees that are shown alike."""

    name: ClassVar[str] = "tree-cluster"
    kind: ClassVar[Kind] = "trees"
    title: ClassVar[str] = "Classes of records that show one tree"
    keys: ClassVar[Mapping[str, str]] = {
        "blocks": "how many different trees a block has at most; each is worked on by itself. More take longer and lose less"
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        problems = key_problems(self.name, self.keys, options)
        if options.get("blocks") == 0:
            problems.append("`blocks` must be at least 1; trees are always worked on block by block.")
        return problems

    def decide(self, engine: Engine, problem: TreeProblem, listener: Listener, **options: Any) -> Decision:
        started = time.monotonic()
        if not all(isinstance(one, KMNAnonymity) for one in problem.guarantees):
            raise RecipeError(
                f"guarantee: method '{self.name}' promises kmn-anonymity alone; for diversity choose gcs."
            )
        k = max(one.k for one in problem.guarantees if isinstance(one, KMNAnonymity))
        forest = engine.forest(problem.hierarchies)
        records = int(forest.records.sum())
        if records < k:
            raise Infeasible(
                f"There are {records:,} records; {k} cannot look alike. Promise a smaller k, or publish nothing."
            )
        first = "" if cluster_block.signatures else " (preparing kernels, once)"
        listener(Progress("search", f"clustering{first}"))
        recoding = clustered(
            forest, problem.shape, problem.hierarchies, k, listener, block=int(options.get("blocks", _BLOCK))
        )
        loss = TreeDistance().of(TreeRelease.of_classes(recoding))
        seconds = time.monotonic() - started
        return Decision(recoding, loss, 0, 0, len(recoding.shown), optimal=False, bound=0.0, seconds=seconds)


def clustered(
    forest: Forest,
    shape: TreeShape,
    hierarchies: Mapping[str, Hierarchy],
    k: int,
    listener: Listener = lambda _: None,
    *,
    block: int = _BLOCK,
) -> TreeClassRecoding:
    """Classes of at least k records each; there are k records."""
    as_they_are = TreeRecoding(shape, hierarchies, tuple(hierarchies[name].levels[0] for name in shape.names))
    whole = TreeRelease.of(as_they_are, forest)
    common = lcm(*whole.heights.tolist())
    linked = forest.parents >= 0
    begin = np.repeat(forest.offsets[:-1], np.diff(forest.offsets))
    linked[(begin + forest.parents)[forest.parents >= 0]] = True
    trees = Grown(
        forest.offsets,
        forest.labels,
        forest.parents,
        forest.records,
        whole.class_of[forest.labels],
        whole.ladder,
        whole.heights,
        common // whole.heights,
        np.where(linked, common, 0).astype(np.int64),
    )
    seeds = np.arange(len(forest))
    mates = (np.arange(len(forest.labels)) - begin).astype(np.int32)  # as for trees that are classes of their own
    levels = np.zeros(len(forest.labels), np.int64)
    for number, (members, blocks) in enumerate(_blocks(forest.records, _ordered(trees, len(shape.names)), k, block)):
        cluster_block(trees, members, k, _NEAR, seeds, mates, levels)
        listener(Progress("search", f"clustering, block {number + 1:,} of {blocks:,}"))
    return _recoding(whole, trees, seeds, mates, levels)


def _ordered(trees: Grown, classes: int) -> NDArray[np.int64]:
    """Trees with as many nodes of each class together, and among these by their values, first at the coarsest level."""
    count = len(trees.records)
    tree = np.repeat(np.arange(count), np.diff(trees.offsets))
    place = np.arange(len(tree)) - trees.offsets[tree]
    columns = [np.bincount(tree, trees.classes == number, count) for number in range(classes)]
    for level in range(len(trees.ladder) - 1, -1, -1):
        for number in range(_PLACES):
            column, at = np.full(count, -1), np.flatnonzero(place == number)
            column[tree[at]] = trees.ladder[level, trees.labels[at]]
            columns.append(column)
    return np.lexsort(columns[::-1])


def _blocks(
    records: NDArray[np.int64], order: NDArray[np.int64], k: int, most: int
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Runs of trees that are no class yet, of at least k records each, and how many there are."""
    large = records[order] >= k
    small = order[~large]
    total = int(records[small].sum())
    if not total:
        return
    if total < k:  # too few for a class of their own: each goes to one of the others
        yield np.concatenate([order[large], small]), 1
        return
    before = np.cumsum(records[small]) - records[small]
    wanted = max(1, min(-(-len(small) // most), total // (2 * k)))
    # by records, so that none has fewer than k: a tree has fewer, and a block has 2k on average
    cuts = np.searchsorted(before, np.arange(1, wanted) * (total / wanted))
    for run in np.split(small, cuts):
        yield run, wanted


def _recoding(
    whole: TreeRelease,
    trees: Grown,
    seeds: NDArray[np.int64],
    mates: NDArray[np.int32],
    levels: NDArray[np.int64],
) -> TreeClassRecoding:
    """What the seeds show, with equal siblings as one node, and where each node of each tree is then."""
    forest = whole.originals
    begin = np.repeat(forest.offsets[:-1], np.diff(forest.offsets))
    tree = np.repeat(np.arange(len(forest)), np.diff(forest.offsets))
    alive = (seeds[tree] == tree) & (levels != GONE)
    labels = whole.ladder[np.maximum(levels, 0), forest.labels].astype(np.int64)
    width, most = int(whole.ladder.max()) + 1, int(np.diff(forest.offsets).max(initial=0)) + 1
    places = np.full(len(labels), LEFT_OUT, np.int32)
    filled = np.zeros(len(forest), np.int64)
    nodes: list[tuple[NDArray[np.int64], ...]] = []  # tree, place, parent and label of the nodes of each class
    for number in range(len(whole.shape.names)):
        at = np.flatnonzero(alive & (trees.classes == number))
        parents = np.where(forest.parents[at] < 0, -1, places[begin[at] + forest.parents[at]])
        keys, inverse = np.unique((tree[at] * most + parents + 1) * width + labels[at], return_inverse=True)
        of = keys // (most * width)
        place = filled[of] + np.arange(len(of)) - np.searchsorted(of, of)
        places[at] = place[inverse]
        nodes.append((of, place, keys // width % most - 1, keys % width))
        filled += np.bincount(of, minlength=len(forest))
    offsets = np.concatenate([[0], np.cumsum(filled)])
    shown_labels, shown_parents = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int32)
    for of, place, parents, called in nodes:
        shown_labels[offsets[of] + place], shown_parents[offsets[of] + place] = called, parents
    of_seeds = Forest(offsets, shown_labels, shown_parents, forest.records)
    mine, with_mate = np.full(len(labels), LEFT_OUT, np.int32), mates != GONE
    mine[with_mate] = places[(forest.offsets[seeds[tree]] + mates)[with_mate]]
    return TreeClassRecoding.of_seeds(whole.shape, whole.hierarchies, forest, seeds, of_seeds, mine)
