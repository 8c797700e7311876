"""Frequent subtrees of the originals at every level of the hierarchies, and what becomes of each in the release (paper 000, 2.5).

At level i every original value is called by its ancestor at that level. A shown value is lifted in the same way, but cannot be
refined. A subtree begins at the root, which counts neither as a node nor as an ancestor (ERRATA 000-7). Its distance is that of
the paper, the mean over the records that have it: where all records show a value alike, it is the paper's. What stands for several
original nodes counts as the least changed of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.trees import Forest
from shoal.kernels.distinct import distinct
from shoal.kernels.trees.frequent_subtrees import CONSTANT, Charges, Found, bit_rows, frequent_subtrees, record_bits
from shoal.loss.trees.synopsis import trie

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.loss.trees.comparison import Comparison
    from shoal.loss.trees.synopsis import Synopsis

SHARE = Fraction(1, 100)  # of the records that have a frequent subtree, as in the paper
NODES = 8  # the largest subtrees
TREES = 100_000  # of more different trees only a part is looked at, evenly spread
MOST = 300_000  # subtrees of all levels; beyond, only smaller ones are looked for


@dataclass(frozen=True, eq=False)
class Level:
    """The frequent subtrees at one level of the hierarchies."""

    paths: Synopsis  # of all values, called by this level
    numbers: NDArray[np.int64]  # the frequent ones among them: `found` counts with places here
    found: Found

    def subtree(self, number: int) -> frozenset[tuple[int, ...]]:
        """The paths of a frequent subtree, as shown labels."""
        paths, at = set(), number
        while at >= 0:
            path: list[int] = []
            node = int(self.numbers[self.found.paths[at]])
            while node >= 0:
                path.append(int(self.paths.labels[node]))
                node = int(self.paths.parents[node])
            paths.add(tuple(reversed(path)))
            at = int(self.found.above[at])
        return frozenset(paths)


@dataclass(frozen=True, eq=False)
class Subtrees:
    """`levels[i]`: of level i; least: records that a subtree needs; nodes: of the largest subtrees."""

    levels: tuple[Level, ...]
    least: int
    nodes: int

    @classmethod
    def of(cls, release: Comparison, least: int | None = None, nodes: int = NODES, most: int = MOST) -> Subtrees:
        if least is None:
            least = max(ceil(SHARE * release.rows), 1)
        if least < 1 or nodes < 1:
            raise ValueError("A frequent subtree has at least one node, and at least one record has it.")
        levels: list[Level] = []
        while True:
            left = most
            for level in range(len(release.ladder)):
                one, stopped = _mined(release, level, least, nodes, left)
                if stopped and nodes > 1:
                    break
                left -= len(one.found.paths)
                levels.append(one)
            else:
                return cls(tuple(levels), least, nodes)
            levels, nodes = [], nodes - 1

    @property
    def total(self) -> int:
        return sum(len(level.found.paths) for level in self.levels)

    @property
    def kept(self) -> int:
        """Those that are frequent in the release as well."""
        return sum(int((level.found.shown >= self.least).sum()) for level in self.levels)


def _mined(release: Comparison, level: int, least: int, nodes: int, limit: int) -> tuple[Level, bool]:
    """The frequent subtrees of one level, and whether there are more than the limit."""
    one, two = release.originals, release.shown
    labels = np.concatenate([release.ladder[level][one.labels], _lifted(release, level)[two.labels]])
    numbers, paths = trie(_beside(one, two), labels)
    mine, theirs = numbers[: len(one.labels)], numbers[len(one.labels) :]
    trees, words = len(one), (len(one) + 63) // 64
    tree = np.repeat(np.arange(trees), np.diff(one.offsets))
    held = distinct(mine * trees + tree)  # a path counts once in a tree, whatever became equal
    supports = np.bincount(held // max(trees, 1), one.records[held % max(trees, 1)], len(paths.labels))
    frequent = np.flatnonzero(supports >= least)
    place = np.full(len(paths.labels) + 1, -1)  # one more, for what stands above the shortest paths
    place[frequent] = np.arange(len(frequent))
    inside = np.flatnonzero(place[mine] >= 0)
    at, tree = place[mine[inside]], tree[inside]
    also = np.flatnonzero(place[theirs] >= 0)
    of_shown = np.repeat(np.arange(trees), np.diff(two.offsets))
    above = paths.depths[frequent] - 1
    climbed = release.climbed[inside] - np.minimum(level, release.heights[release.class_of[one.labels[inside]]] - 1)
    height = np.ones(len(frequent), np.int64)
    height[at] = release.heights[release.class_of[one.labels[inside]]]
    values = _charges(at, tree, np.maximum(climbed, 0), np.arange(len(frequent)), 1 / height, trees)
    subtrees, stopped = frequent_subtrees(
        bit_rows(at, tree, len(frequent), words),
        bit_rows(place[theirs[also]], of_shown[also], len(frequent), words),
        record_bits(one.records, words),
        _children(place[paths.parents[frequent]]),
        above,
        least,
        nodes,
        limit,
        values,
        _parted(release, inside, at, tree, above),
    )
    return Level(paths, frequent, subtrees), stopped


def _beside(one: Forest, two: Forest) -> Forest:
    """Both as one, so that they share the numbers of their paths."""
    return Forest(
        np.concatenate([one.offsets, one.offsets[-1] + two.offsets[1:]]),
        np.concatenate([one.labels, two.labels]),
        np.concatenate([one.parents, two.parents]),
        np.concatenate([one.records, two.records]),
    )


def _lifted(release: Comparison, level: int) -> NDArray[np.int64]:
    """(shown labels,): what each is called at a level: its ancestor there, or itself where it lies higher."""
    labels, start = [], 0
    for name in release.shape.names:
        tree = release.hierarchies[name]
        itself = np.arange(len(tree.labels))
        up = tree.levels[min(level, tree.height), tree.first]
        covers = (tree.first[up] <= tree.first) & (tree.last[up] >= tree.last)
        # a node with one child covers the same values as this, and may stand above it
        higher = covers & (tree.first[up] == tree.first) & (tree.last[up] == tree.last) & (up < itself)
        labels.append(np.where(covers & ~higher, up, itself) + start)
        start += len(tree.labels)
    return np.concatenate(labels)


def _children(parents: NDArray[np.int64]) -> NDArray[np.int64]:
    """(paths + 1, 2): from where to where those below each path stand, those below the root last. parents: ascending."""
    asked = np.append(np.arange(len(parents)), -1)
    return np.stack([np.searchsorted(parents, asked, side) for side in ("left", "right")], axis=1).astype(np.int64)


def _parted(
    release: Comparison,
    inside: NDArray[np.int64],
    at: NDArray[np.int64],
    tree: NDArray[np.int64],
    above: NDArray[np.int64],
) -> Charges:
    """Relations of each frequent path to those above it that are not shown. inside: the nodes; at, tree: of these."""
    slots = np.concatenate([[0], np.cumsum(above)])
    number = above[at]
    node = np.repeat(np.arange(len(inside)), number)
    step = np.arange(len(node)) - np.repeat(np.cumsum(number) - number, number)
    lost = ~release.kept[release.starts[inside][node] + step]
    owner = np.repeat(np.arange(len(above)), above)
    return _charges(
        slots[at][node] + step, tree[node], lost, owner, np.ones(len(owner)), len(release.originals), len(above)
    )


def _charges(
    slot: NDArray[np.int64],
    tree: NDArray[np.int64],
    amount: NDArray[np.int64] | NDArray[np.bool_],
    owner: NDArray[np.int64],
    price: NDArray[np.float64],
    trees: int,
    paths: int | None = None,
) -> Charges:
    """Of a slot in a tree the least amount counts. owner, price: (slots,) the path of each, ascending, and what an amount costs."""
    order = np.lexsort((amount, tree, slot))
    slot, tree, amount = slot[order], tree[order], amount[order].astype(np.int64)
    first = np.ones(len(slot), np.bool_)
    first[1:] = (slot[1:] != slot[:-1]) | (tree[1:] != tree[:-1])
    slot, tree, amount = slot[first], tree[first], amount[first]
    held = np.bincount(slot, minlength=len(owner))
    charged = np.flatnonzero(amount)
    width = np.int64(amount.max(initial=0)) + 1
    groups, inverse, counts = np.unique(
        slot[charged] * width + amount[charged], return_inverse=True, return_counts=True
    )
    everywhere = counts == held[groups // width]
    rows = np.where(everywhere, CONSTANT, np.cumsum(~everywhere) - 1)
    some = rows[inverse] >= 0
    owners = owner[groups // width]
    return Charges(
        np.searchsorted(owners, np.arange((len(owner) if paths is None else paths) + 1)).astype(np.int64),
        rows,
        groups % width * price[groups // width],
        bit_rows(rows[inverse][some], tree[charged][some], int((~everywhere).sum()), (trees + 63) // 64),
    )
