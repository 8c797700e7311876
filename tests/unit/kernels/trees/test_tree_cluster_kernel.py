"""Clusters of trees, grown in plain Python from dictionaries of nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.trees_by_hand import HIERARCHIES, SHAPE, forests
from shoal.kernels.trees.clusters import GONE, Grown, cluster_block

if TYPE_CHECKING:
    from shoal.data.trees import Forest

TOP = 3  # the level of what is left out: values, groups of two, the root of a class
STEP, LINK = 2, 6


def called(label: int, level: int) -> tuple[int, ...]:
    """What a value is called at a level: four values of a class, two groups of two, one root."""
    kind, value = divmod(label, 4)
    return (kind, level, value // 2**level if level < 2 else 0)


@dataclass
class Cluster:
    seed: int
    size: int
    levels: dict[int, int]  # by node of the seed that is shown
    mates: dict[int, dict[int, int]] = field(default_factory=dict)  # by tree: the seed's node of each of its nodes


class ByHand:
    def __init__(self, forest: Forest, records: list[int]) -> None:
        self.records = records
        self.trees = []
        for tree in range(len(forest)):
            here = slice(int(forest.offsets[tree]), int(forest.offsets[tree + 1]))
            self.trees.append(list(zip(forest.labels[here].tolist(), forest.parents[here].tolist(), strict=True)))
        self.linked = []  # by tree: nodes with a relation
        for nodes in self.trees:
            parents = {parent for _, parent in nodes if parent >= 0}
            self.linked.append([parent >= 0 or node in parents for node, (_, parent) in enumerate(nodes)])

    def joined(self, cluster: Cluster, tree: int) -> tuple[int, dict[int, int]]:
        """What it costs that a tree joins, and the tree's node of each node of the seed that stays."""
        mine, theirs = self.trees[cluster.seed], self.trees[tree]
        mates: dict[int, int] = {}
        cost = 0
        for above in [-1, *range(len(mine))]:
            if above >= 0 and above not in mates:
                continue
            below = mates[above] if above >= 0 else -1
            for kind in range(len(SHAPE.names)):
                ours = [i for i, (label, up) in enumerate(mine) if up == above and label // 4 == kind]
                others = [i for i, (label, up) in enumerate(theirs) if up == below and label // 4 == kind]
                for level in range(TOP):
                    for node in ours:
                        if node in mates or cluster.levels.get(node, TOP) > level:
                            continue
                        fitting = [
                            other
                            for other in others
                            if other not in mates.values()
                            and called(theirs[other][0], level) == called(mine[node][0], level)
                        ]
                        if fitting:
                            mates[node] = fitting[0]
                            up = (level - cluster.levels[node]) * cluster.size + level * self.records[tree]
                            cost += up * STEP
        for node, was in cluster.levels.items():
            if node not in mates:
                cost += ((TOP - was) * STEP + LINK * self.linked[cluster.seed][node]) * cluster.size
        for other in range(len(theirs)):
            if other not in mates.values():
                cost += (TOP * STEP + LINK * self.linked[tree][other]) * self.records[tree]
        return cost, mates

    def add(self, cluster: Cluster, tree: int) -> None:
        _, mates = self.joined(cluster, tree)
        mine, theirs = self.trees[cluster.seed], self.trees[tree]
        levels = {}
        for node, was in cluster.levels.items():
            if node in mates:
                one, two = mine[node][0], theirs[mates[node]][0]
                levels[node] = next(x for x in range(was, TOP) if called(one, x) == called(two, x))
        cluster.levels = levels
        cluster.mates[tree] = {other: node for node, other in mates.items()}
        cluster.size += self.records[tree]

    def clusters(self, members: list[int], k: int, near: int) -> list[Cluster]:
        free, made = list(members), []
        while free and sum(self.records[tree] for tree in free) >= k:
            seed = free.pop(0)
            own = {node: node for node in range(len(self.trees[seed]))}
            cluster = Cluster(seed, self.records[seed], dict.fromkeys(own, 0), {seed: own})
            close = sorted(free, key=lambda tree: self.joined(cluster, tree)[0])[: k + near]
            while cluster.size < k:
                candidates = [tree for tree in close if tree in free]
                best = min(candidates, key=lambda tree: self.joined(cluster, tree)[0])
                self.add(cluster, best)
                free.remove(best)
            made.append(cluster)
        for tree in free:
            cost, chosen = inf, made[0]
            for cluster in made:
                if self.joined(cluster, tree)[0] < cost:
                    cost, chosen = self.joined(cluster, tree)[0], cluster
            self.add(chosen, tree)
        return made


@given(forests(most=9), st.integers(1, 4), st.integers(0, 3), st.data())
@settings(max_examples=200, deadline=None)
def test_clusters_are_those_by_hand(forest: Forest, k: int, near: int, data: st.DataObject) -> None:
    records = data.draw(st.lists(st.integers(1, 2), min_size=len(forest), max_size=len(forest)))
    members = data.draw(st.permutations(range(len(forest))))
    if sum(records) < k:
        return
    by_hand = ByHand(forest, records)
    classes = forest.labels // 4
    ladder = np.concatenate([HIERARCHIES[name].levels + 10 * i for i, name in enumerate(SHAPE.names)], axis=1)
    linked = np.array([x for one in by_hand.linked for x in one], np.bool_)
    trees = Grown(
        forest.offsets,
        forest.labels,
        forest.parents,
        np.array(records, np.int64),
        classes.astype(np.int64),
        ladder.astype(np.int32),
        np.full(len(SHAPE.names), TOP, np.int64),
        np.full(len(SHAPE.names), STEP, np.int64),
        np.where(linked, LINK, 0).astype(np.int64),
    )
    seeds, levels = np.full(len(forest), -1, np.int64), np.full(len(forest.labels), GONE, np.int64)
    mates = np.full(len(forest.labels), -2, np.int32)
    cluster_block(trees, np.array(members, np.int64), k, near, seeds, mates, levels)
    for cluster in by_hand.clusters(list(members), k, near):
        start = int(forest.offsets[cluster.seed])
        shown = [cluster.levels.get(node, GONE) for node in range(len(by_hand.trees[cluster.seed]))]
        assert levels[start : start + len(shown)].tolist() == shown
        for tree, mine in cluster.mates.items():
            assert seeds[tree] == cluster.seed
            here = slice(int(forest.offsets[tree]), int(forest.offsets[tree + 1]))
            assert mates[here].tolist() == [mine.get(node, GONE) for node in range(len(by_hand.trees[tree]))]
