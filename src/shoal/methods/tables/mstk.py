"""Method `mstk`: local recoding by cutting a minimum spanning tree.

K. Venkata Ramana, V. Valli Kumari: Achieving k-anonymity using minimum spanning tree based partitioning (paper 002). Tuples that
are far from each other under the hierarchical distance are cut apart in their spanning tree; the subtrees become classes. Where
the paper loses records, hangs or leaves classes too small, these rules stand instead:

- 002-1: a subtree of k to 2k − 1 records is a finished class.
- 002-2: a larger one is cut at the mean + deviation of its own edges; if that cuts nothing, at the heaviest edge that leaves k
  records on both sides (ties: most balanced, then smallest numbers); if there is none, it is a class.
- 002-3: while a class has fewer than k records, such a class is merged with any other, the pair with the least CDist first (ties:
  smaller union, then smallest numbers). Then classes of 2k records or more are split again by the second half of 002-2.
- 002-4, 002-5: the deviation is that of a sample, 0 for a single edge, and compared without rounding.
- 002-10: equal tuples are one point with a multiplicity. The edges of length 0 between them count in mean and deviation, and are
  never cut: parts of equal tuples would be published alike all the same.

Classes that break another promise than k are merged afterwards. Tuples are numbered in the order of their values, so nothing
depends on the order of the records.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.kernels.tables.boxes import smallest_boxes
from shoal.kernels.tables.class_index import Classes
from shoal.kernels.tables.class_index import plant as plant_classes
from shoal.kernels.tables.class_merges import merge
from shoal.kernels.tables.common_prices import Prices
from shoal.kernels.tables.edge_cuts import Stretches, cut, plant, subtree_of, weigh
from shoal.kernels.tables.spanning import small_trees
from shoal.methods.keys import BLOCKS, key_problems
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.tables.blocks import Blocks, in_blocks
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.level_distance import Space
from shoal.methods.tables.merging import merge_failing
from shoal.methods.tables.problem import TableProblem
from shoal.methods.tables.spanning import Edges, spanning_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.kernels.tables.boxes import Trees

_BLOCKS = Blocks(above=200_000, most=20_000)
_SMALL = 256  # tuples of a class whose distances are worked out one by one
_REPLANT = 4  # classes, of which one is merged before the tree over them is built anew


class Mstk:
    """Cuts the spanning tree of the records."""

    name: ClassVar[str] = "mstk"
    kind: ClassVar[Kind] = "tables"
    title: ClassVar[str] = "Spanning tree of the records, cut where they are far apart"
    keys: ClassVar[Mapping[str, str]] = {
        "resplit": "whether classes of 2k records or more are split again after merging: true or false; true without it",
        "blocks": BLOCKS,
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        problems = key_problems(self.name, self.keys, options)
        if not isinstance(options.get("resplit", True), bool):
            problems.append(f"`resplit` must be true or false; got {options['resplit']!r}.")
        return problems

    def decide(self, engine: Engine, problem: TableProblem, listener: Listener, **options: Any) -> Decision:
        ground = Ground.of(engine, problem, listener)
        size = _BLOCKS.size(ground, options)
        decision = in_blocks(self, engine, ground, listener, options, size) if size is not None else None
        if decision is not None:
            return decision
        groups = spanning_groups(ground, listener, resplit=options.get("resplit", True))
        return ground.decision(merge_failing(ground, groups))


def spanning_groups(ground: Ground, listener: Listener, *, resplit: bool = True) -> NDArray[np.int32]:
    """(tuples,): groups of at least k records each."""
    frequency, k = ground.frequency, ground.k
    first = "" if merge.signatures else " (preparing kernels, once)"
    listener(Progress("search", f"building the spanning tree{first}", 0.0))
    space = Space.of(ground.priced, ground.hierarchies, ground.weights, frequency.codes, frequency.counts)
    edges = spanning_tree(space, listener)
    listener(Progress("search", "cutting the spanning tree", 0.5))
    groups = cut_apart(space.records, edges, k)
    groups = merge_small(space, groups, k, listener)
    if resplit:
        listener(Progress("search", "splitting large classes", 0.95))
        groups = split_large(space, groups, k)
    by_tuple = np.empty(len(groups), np.int32)
    by_tuple[space.tuples] = groups
    return by_tuple


# ---- cutting (002-1, 002-2) ------------------------------------------------------------------------------------------


def cut_apart(records: NDArray[np.int64], edges: Edges, k: int, *, at_mean: bool = True) -> NDArray[np.int64]:
    """Cut a tree, or a forest, until no subtree of 2k records or more can be cut. records: (points,)

    Returns the number of its subtree for every point, numbered in the order of their smallest points. Without `at_mean` only
    edges are cut that leave k records on both sides.
    """
    forest, trees = plant(records, *edges)
    while True:
        large = (trees.records >= 2 * k) & (trees.ends - trees.starts > 1)
        if not large.any():
            return subtree_of(forest)
        trees = Stretches(*(part[large] for part in trees))
        if at_mean:
            figures = zip(trees.records.tolist(), *(part.tolist() for part in weigh(forest, trees)), strict=True)
            kept = np.array([heaviest_kept(size - 1, total, squares) for size, total, squares in figures], np.int64)
        else:
            kept = np.full(len(trees.records), np.iinfo(np.int64).max)
        trees = cut(forest, trees, kept, k)


def heaviest_kept(edges: int, total: int, squares: int) -> int:
    """The largest whole weight that is not above mean + sample deviation, from the sums of the weights and of their squares.

    w is cut when w > mean and (w − mean)² · (N − 1) > Σ (wᵢ − mean)² (002-5). With x = N·w − Σwᵢ this is, in whole numbers,
    x > 0 and x² · (N − 1) > N · (N · Σwᵢ² − (Σwᵢ)²).
    """
    spread = edges * (edges * squares - total * total)
    deviation = isqrt(spread // (edges - 1)) if edges > 1 else 0
    return (total + deviation) // edges


# ---- merging (002-3) -------------------------------------------------------------------------------------------------


def merge_small(space: Space, groups: NDArray[np.int64], k: int, listener: Listener) -> NDArray[np.int64]:
    """groups: (points,) numbered in the order of their smallest points → the same with none below k records."""
    sizes = np.bincount(groups, weights=space.records).astype(np.int64)
    boxes = smallest_boxes(space.priced, space.codes, groups.astype(np.int32), len(sizes))
    return merge_classes(space.priced, boxes, sizes, k, space.keys, listener)[groups]


def merge_classes(
    priced: Trees,
    boxes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    k: int,
    keys: Callable[[NDArray[np.int32]], NDArray[np.uint64]],
    listener: Listener,
) -> NDArray[np.int64]:
    """(classes,): the number of the class each is part of now, in the order of their first ones.

    boxes: (classes, columns) hierarchy nodes. Where boxes with neighbouring keys are alike it is fast; what comes out does not
    depend on the keys.
    """
    prices = Prices.of(priced)
    classes = Classes.of(boxes, sizes, k)
    small = int(classes.state.small[0])
    while classes.unfinished:
        waiting = int(classes.state.small[0])
        listener(Progress("search", f"{waiting:,} classes are too small", 0.55 + 0.4 * (1 - waiting / small)))
        left = np.flatnonzero(classes.into == np.arange(len(sizes)))
        by_class = keys(classes.boxes[left])
        order = np.lexsort(by_class.T)
        plant_classes(prices, classes, left[order], by_class[order])
        merge(prices, classes, k, max(len(left) // _REPLANT, 1))
    into = classes.into
    while (into != into[into]).any():
        into = into[into]
    return np.unique(into, return_inverse=True)[1]


# ---- splitting again (the second half of 002-2) ----------------------------------------------------------------------


def split_large(space: Space, groups: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Classes of 2k records or more are cut along a spanning tree of their own, where both sides keep k records."""
    sizes = np.bincount(groups, weights=space.records)
    tuples = np.bincount(groups)
    order = np.argsort(groups, kind="stable")
    starts = np.cumsum(tuples) - tuples
    large = np.flatnonzero((sizes >= 2 * k) & (tuples > 1))
    few = large[tuples[large] <= _SMALL]
    members = [order[starts[group] : starts[group] + tuples[group]] for group in few]
    bounds = np.cumsum([0, *map(len, members)], dtype=np.int64)
    edges = [Edges(*small_trees(space.priced, space.codes, np.concatenate([*members, order[:0]]), bounds))]
    for group in large[tuples[large] > _SMALL]:
        points = order[starts[group] : starts[group] + tuples[group]]
        inner = spanning_tree(space.part(points), lambda _: None)
        edges.append(Edges(points[inner.first], points[inner.second], inner.weights))
    forest = Edges(*(np.concatenate(parts) for parts in zip(*edges, strict=True)))
    # a point without an edge is a subtree of its own here, so classes that were not touched keep their number
    pieces = cut_apart(space.records, forest, k, at_mean=False)
    touched = np.isin(groups, large)
    return np.unique(np.where(touched, len(groups) + pieces, groups), return_inverse=True)[1]
