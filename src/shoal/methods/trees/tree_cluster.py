"""Method `tree-cluster`: classes of at least k records that show one tree: multirelational k-anonymity by clustering.

The role that MiRaCle (Nergiz, Clifton, Nergiz 2009) plays in paper 000: local generalization and leaving out, and nothing is kept
apart. It promises more than k^(m,n)-anonymity for any m and n, and loses more. Trees are put in an order in which similar ones are
near, and cut into blocks. In a block a class grows from the first tree that has none: by the tree that costs least to add, until it
has k records. What remains of a block, fewer than k records, goes where it costs least. Records with equal trees stay together; k of
them or more are a class of their own.

A step costs what the tree loss charges, but for all trees alike, whatever their number of nodes; a node that is left out costs its
relations as well. The same data make the same classes: nothing is drawn.
"""

from __future__ import annotations

import time
from math import lcm
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.data.trees import Forest, TreeShape
from shoal.errors import Infeasible, InternalError, RecipeError
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.kernels.shown_trees import shown_trees
from shoal.kernels.tree_clusters import GONE, Grown, cluster_block
from shoal.loss.tree_loss import TreeDistance
from shoal.loss.trees import TreeRelease
from shoal.methods.keys import key_problems
from shoal.methods.method import Decision, Listener, Problem, Progress
from shoal.recoding.tree_classes import TreeClassRecoding
from shoal.recoding.trees import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy

_BLOCK = 2_000  # trees: a class is grown from what its block has
_NEAR = 64  # so many trees more than k are looked at again with every step
_PLACES = 16  # nodes by which trees are put in order


class TreeCluster:
    name: ClassVar[str] = "tree-cluster"
    kind: ClassVar[str] = "trees"
    title: ClassVar[str] = "Classes of records that show one tree"
    keys: ClassVar[Mapping[str, str]] = {
        "blocks": "how many different trees a block has at most; each is worked on by itself. More take longer and lose less"
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        problems = key_problems(self.name, self.keys, options)
        if options.get("blocks") == 0:
            problems.append("`blocks` must be at least 1; trees are always worked on block by block.")
        return problems

    def decide(self, engine: Engine, problem: Problem, listener: Listener, **options: Any) -> Decision:
        started = time.monotonic()
        if problem.shape is None:
            raise InternalError("A method for trees was asked about something else.")
        if not all(isinstance(one, KMNAnonymity) for one in problem.guarantees):
            raise RecipeError(f"guarantee: method '{self.name}' promises kmn-anonymity alone; for diversity choose gcs.")
        k = max(one.k for one in problem.guarantees if isinstance(one, KMNAnonymity))
        forest = engine.forest(problem.hierarchies)
        records = int(forest.records.sum())
        if records < k:
            raise Infeasible(f"There are {records:,} records; {k} cannot look alike. Promise a smaller k, or publish nothing.")
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
    same = tuple(hierarchies[name].levels[0] for name in shape.names)
    whole = TreeRelease.of(_recoding(shape, hierarchies, same), forest)
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
    order = _ordered(trees, len(shape.names))
    blocks = _blocks(forest.records, order[forest.records[order] < k], k, block)
    if blocks is None:  # what is left over is too little for a class
        blocks = _blocks(forest.records, order, k, max(block, len(order)))
    for number, members in enumerate(blocks or ()):
        cluster_block(trees, members, k, _NEAR, seeds, mates, levels)
        listener(Progress("search", f"clustering, block {number + 1:,} of {len(blocks or ()):,}"))
    return _as_recoding(forest, shape, hierarchies, whole, seeds, mates, levels)
