"""Clusters of trees: around a seed, whose nodes stay while every tree of the cluster has one that goes with them.

A cluster shows the seed's tree, with each node at some level of its class's hierarchy, or without it. A tree joins by matching its
nodes from the top: below nodes that go together, those of the same class go together whose lowest common ancestor is lowest. A
node of the seed for which there is none is left out with all below it; so are the others of the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

GONE = -1  # the level of a node of the seed that is not shown, and the mate of a node that is left out


class Grown(NamedTuple):
    """The trees, and what a step up costs."""

    offsets: NDArray[np.int64]
    labels: NDArray[np.int32]
    parents: NDArray[np.int32]
    records: NDArray[np.int64]
    classes: NDArray[np.int64]  # (nodes,) of nodes
    ladder: NDArray[np.int32]  # (levels, labels): what a value is called at each level
    heights: NDArray[np.int64]  # (classes,): the level of what is left out
    steps: NDArray[np.int64]  # (classes,): what a level costs; all the way up costs the same in each
    links: NDArray[np.int64]  # (nodes,): what its relations cost besides when a node is left out


@kernel
def cluster_block(
    trees: Grown,
    members: NDArray[np.int64],
    k: int,
    near: int,
    seeds: NDArray[np.int64],
    mates: NDArray[np.int32],
    levels: NDArray[np.int64],
) -> None:
    """Put these trees, which have at least k records together, into clusters of at least k records.

    near: how many more trees than k are looked at while a cluster grows. Fills seeds: (trees,) the seed of each; mates: (nodes,)
    the place of the seed's node that each goes with; levels: (nodes,) of seeds.
    """
    free = np.ones(len(members), np.bool_)
    left = np.int64(0)
    most = 0
    for tree in members:
        left += trees.records[tree]
        most = max(most, trees.offsets[tree + 1] - trees.offsets[tree])
    room = np.empty(most, np.int32)  # the tree's node that goes with each node of the seed
    taken, begun = np.empty(most, np.int32), np.empty(len(members), np.int64)
    costs, held = np.empty(len(members), np.int64), np.zeros(len(members), np.int64)
    clusters = 0
    far = np.iinfo(np.int64).max
    for first in range(len(members)):
        if not free[first]:
            continue
        if left < k:
            break
        seed = members[first]
        begun[clusters] = seed
        _begin(trees, seed, seeds, mates, levels)
        free[first] = False
        size = trees.records[seed]
        left -= size
        if size < k:
            for other in range(len(members)):
                costs[other] = far
                if free[other]:
                    costs[other] = join(trees, seed, members[other], size, levels, room, taken, far)
            close = np.argsort(costs, kind="mergesort")[: k + near]
            while size < k:
                best, chosen = far, -1
                for other in close:
                    if free[other]:
                        cost = join(trees, seed, members[other], size, levels, room, taken, best)
                        if cost < best:
                            best, chosen = cost, other
                _add(trees, seed, members[chosen], size, seeds, mates, levels, room, taken)
                free[chosen] = False
                size += trees.records[members[chosen]]
                left -= trees.records[members[chosen]]
        held[clusters] = size
        clusters += 1
    for other in range(len(members)):
        if free[other]:
            best, chosen = far, 0
            for cluster in range(clusters):
                cost = join(trees, begun[cluster], members[other], held[cluster], levels, room, taken, best)
                if cost < best:
                    best, chosen = cost, cluster
            _add(trees, begun[chosen], members[other], held[chosen], seeds, mates, levels, room, taken)
            held[chosen] += trees.records[members[other]]


@kernel
def join(
    trees: Grown,
    seed: int,
    tree: int,
    size: int,
    levels: NDArray[np.int64],
    room: NDArray[np.int32],
    taken: NDArray[np.int32],
    bound: int,
) -> int:
    """What it costs if a tree joins a cluster of `size` records; at least the bound, where it costs no less.

    Fills room: the tree's node that goes with each of the seed's, and taken: the other way round.
    """
    start, here = trees.offsets[seed], trees.offsets[tree]
    nodes, others = trees.offsets[seed + 1] - start, trees.offsets[tree + 1] - here
    copies = trees.records[tree]
    taken[:others] = GONE
    cost = np.int64(0)
    begin = 0
    while begin < nodes:
        kind, parent = trees.classes[start + begin], trees.parents[start + begin]
        end = begin  # nodes of one class below one node stand together
        while end < nodes and trees.classes[start + end] == kind and trees.parents[start + end] == parent:
            room[end] = GONE
            end += 1
        if parent < 0 or room[parent] >= 0:
            above = np.int32(-1) if parent < 0 else room[parent]
            low = 0
            while low < others and (trees.classes[here + low] != kind or trees.parents[here + low] != above):
                low += 1
            high = low
            while high < others and trees.classes[here + high] == kind and trees.parents[here + high] == above:
                high += 1
            open_ = high - low
            for level in range(trees.heights[kind]):
                if not open_:
                    break
                for node in range(begin, end):
                    was = levels[start + node]
                    if was == GONE or was > level or room[node] >= 0:
                        continue
                    called = trees.ladder[level, trees.labels[start + node]]
                    for other in range(low, high):
                        if taken[other] < 0 and trees.ladder[level, trees.labels[here + other]] == called:
                            room[node], taken[other] = other, node
                            cost += ((level - was) * size + level * copies) * trees.steps[kind]
                            open_ -= 1
                            break
        for node in range(begin, end):
            was = levels[start + node]
            if was != GONE and room[node] < 0:
                cost += ((trees.heights[kind] - was) * trees.steps[kind] + trees.links[start + node]) * size
        if cost >= bound:
            return bound
        begin = end
    for other in range(others):
        if taken[other] < 0:
            kind = trees.classes[here + other]
            cost += (trees.heights[kind] * trees.steps[kind] + trees.links[here + other]) * copies
    return int(cost)


@kernel
def _begin(
    trees: Grown, seed: int, seeds: NDArray[np.int64], mates: NDArray[np.int32], levels: NDArray[np.int64]
) -> None:
    seeds[seed] = seed
    for node in range(trees.offsets[seed], trees.offsets[seed + 1]):
        mates[node] = node - trees.offsets[seed]
        levels[node] = 0


@kernel
def _add(
    trees: Grown,
    seed: int,
    tree: int,
    size: int,
    seeds: NDArray[np.int64],
    mates: NDArray[np.int32],
    levels: NDArray[np.int64],
    room: NDArray[np.int32],
    taken: NDArray[np.int32],
) -> None:
    join(trees, seed, tree, size, levels, room, taken, np.iinfo(np.int64).max)
    seeds[tree] = seed
    start, here = trees.offsets[seed], trees.offsets[tree]
    for node in range(trees.offsets[tree + 1] - here):
        mates[here + node] = taken[node]
    for node in range(trees.offsets[seed + 1] - start):
        if room[node] < 0:
            levels[start + node] = GONE
            continue
        level = levels[start + node]
        one, two = trees.labels[start + node], trees.labels[here + room[node]]
        while trees.ladder[level, one] != trees.ladder[level, two]:
            level += 1
        levels[start + node] = level
