"""Cutting a forest into subtrees, with sets of points and lists of edges."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.tables.edge_cuts import Stretches, cut, plant, subtree_of, weigh

Edge = tuple[int, int, int]  # two points and the weight


def components(points: set[int], edges: list[Edge]) -> list[set[int]]:
    made = [{point} for point in sorted(points)]
    for one, two, _ in edges:
        a, b = (next(part for part in made if point in part) for point in (one, two))
        if a is not b:
            made.remove(b)
            a |= b
    return sorted(made, key=min)


@pytest.mark.parametrize("seed", range(60))
def test_cuts_generation_by_generation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 25))
    edges: list[Edge] = []
    for point in range(1, count):  # a forest: some points begin a tree of their own
        if rng.random() < 0.9:
            edges.append((int(rng.integers(0, point)), point, int(rng.integers(0, 6))))
    names = rng.permutation(count).tolist()
    edges = [(names[a], names[b], weight) for a, b, weight in edges]
    records = rng.integers(1, 4, count).tolist()
    least = int(rng.integers(1, 6))
    forest, trees = plant(np.array(records), *(np.array([edge[i] for edge in edges], np.int64) for i in range(3)))
    parts = components(set(range(count)), edges)
    for _ in range(4):
        found = [set(forest.order[a:b].tolist()) for a, b in zip(trees.starts, trees.ends, strict=True)]
        assert sorted(found, key=min) == parts
        assert trees.records.tolist() == [sum(records[p] for p in part) for part in found]
        mine = [[edge for edge in edges if edge[0] in part] for part in found]
        sums, squares = weigh(forest, trees)
        assert sums.tolist() == [sum(w for _, _, w in some) for some in mine]
        assert squares.tolist() == [sum(w * w for _, _, w in some) for some in mine]
        kept = rng.integers(2, 7, len(found))
        parts = []
        for part, some, most in zip(found, mine, kept.tolist(), strict=True):
            gone = [edge for edge in some if edge[2] > most] or best_cut(part, some, records, least)
            edges = [edge for edge in edges if edge not in gone]
            parts += components(part, [edge for edge in some if edge not in gone]) if gone else []
        parts.sort(key=min)
        trees = cut(forest, trees, kept, least)
        numbers = {point: i for i, part in enumerate(components(set(range(count)), edges)) for point in part}
        assert subtree_of(forest).tolist() == [numbers[point] for point in range(count)]
        if not len(trees.starts):
            assert parts == []
            break
        trees = Stretches(*(np.array(part) for part in trees))


def best_cut(part: set[int], edges: list[Edge], records: list[int], least: int) -> list[Edge]:
    """The heaviest edge that leaves enough records on both sides; ties: most balanced, then the smallest points."""
    choices = []
    for edge in edges:
        one, two = components(part, [other for other in edges if other != edge])
        sizes = [sum(records[p] for p in side) for side in (one, two)]
        if min(sizes) >= least:
            choices.append((-edge[2], abs(sizes[0] - sizes[1]), min(edge[:2]), max(edge[:2]), edge))
    return [min(choices)[-1]] if choices else []
