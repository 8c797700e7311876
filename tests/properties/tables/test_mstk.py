"""Method mstk against plain Python: the tree, the cuts, the merges, and what comes out of all of it."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import mstk_oracle as oracle
from oracles.random_tables import frequency_set, tables
from oracles.random_trees import hierarchies
from shoal.data.frequency import FrequencySet
from shoal.guarantees import KAnonymity, LDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.kernels.tables.boxes import Trees, smallest_boxes
from shoal.kernels.tables.spanning import small_trees
from shoal.kernels.tables.spanning_sweep import Links
from shoal.loss import GLM
from shoal.loss.loss import normalized_weights
from shoal.methods.tables import spanning
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.level_distance import Space, node_levels
from shoal.methods.tables.merging import merge_failing
from shoal.methods.tables.mstk import cut_apart, merge_small, spanning_groups, split_large
from shoal.methods.tables.problem import TableProblem
from shoal.methods.tables.spanning import Edges, spanning_tree


def quiet(_):
    pass


@st.composite
def spaces(draw):
    """Hierarchies, weights, distinct tuples and counts; and the space over them."""
    trees = [draw(hierarchies(name)) for name in "abcd"[: draw(st.integers(1, 4))]]
    row = st.tuples(*(st.integers(0, tree.leaf_count - 1) for tree in trees))
    rows = draw(st.lists(row, min_size=1, max_size=24, unique=True))
    counts = draw(st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows)))
    given_weights = draw(st.lists(st.sampled_from([1, 1, 1, 2, 0.5, 0]), min_size=len(trees), max_size=len(trees)))
    if not any(given_weights):
        given_weights[0] = 1
    weights = normalized_weights("abcd"[: len(trees)], dict(zip("abcd", given_weights, strict=False)))
    codes = np.array(rows, np.int32).reshape(len(rows), len(trees))
    space = Space.of(node_arrays(trees), trees, weights, codes, np.array(counts, np.int64))
    return trees, [w * len(weights) for w in weights], space


def node_arrays(trees) -> Trees:
    sizes = [len(tree.labels) for tree in trees]
    return Trees(
        np.cumsum([0, *sizes[:-1]], dtype=np.int64),
        np.concatenate([tree.first for tree in trees]),
        np.concatenate([tree.last for tree in trees]),
        np.concatenate([tree.parents for tree in trees]),
        np.zeros(sum(sizes)),
    )


def partition(groups) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(groups == group).tolist()) for group in np.unique(groups)}


# ---- the tree --------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=200)
@given(tree=hierarchies())
def test_levels_of_nodes(tree):
    assert node_levels(tree).tolist() == [oracle.level(tree, node) for node in range(len(tree.labels))]


@settings(deadline=None, max_examples=250)
@given(drawn=spaces(), way=st.sampled_from(["both", "levels", "rows", "tables", "direct"]))
def test_the_tree_has_the_least_weight_and_the_components_of_single_linkage(drawn, way):
    trees, weights, space = drawn
    points = len(space.codes)
    edges = tree_by(space, way)

    def distance(i, j):
        return oracle.climbed(trees, weights, oracle.join(trees, space.codes[i], space.codes[j])) * space.scale

    assert len(edges.weights) == points - 1
    for i, j, weight in zip(*edges, strict=True):
        assert weight == distance(i, j)
    total, linked = oracle.kruskal(points, distance)
    assert edges.weights.sum() == total
    for threshold, expected in linked.items():
        taken = [edge for edge in zip(*map(list, edges), strict=True) if edge[2] <= threshold]
        assert oracle.components(points, taken) == expected


def tree_by(space, way) -> Edges:
    """Every way there is to a tree: all must give one of the same weight."""
    points = len(space.codes)
    if way == "direct":
        return Edges(*small_trees(space.priced, space.codes, np.arange(points), np.array([0, points])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spanning, "_LOOKUPS_PER_KEY", {"both": 50, "levels": 0}.get(way, 50))
        patch.setattr(spanning, "_WORTH_TABLES", 0 if way == "tables" else 1 << 60)
        patch.setattr(spanning, "_AT_ONCE", 7)
        patch.setattr(spanning, "_KEPT", 40)
        return spanning_tree(space, quiet, by_levels=way in ("both", "levels"))


@settings(deadline=None, max_examples=100)
@given(drawn=spaces(), blurs=st.integers(0, 12))
def test_a_tree_that_begins_with_components(drawn, blurs):
    """However far the levels got, the rows make it a tree of the least weight."""
    _, _, space = drawn
    links = Links.none(len(space.codes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spanning, "_KEYS_PER_BLUR", len(space.codes) ** 2 * 50 // (blurs + 1))
        spanning.connect_by_levels(space, links, quiet)
    edges = spanning.connect_by_rows(space, links, quiet)
    assert edges.weights.sum() == tree_by(space, "rows").weights.sum()
    pairs = list(zip(*map(list, edges), strict=True))
    assert oracle.components(len(space.codes), pairs) == {frozenset(range(len(space.codes)))}


def test_columns_too_large_for_a_table():
    """Thousands of values: distances come from the intervals of leaves."""
    generator = np.random.default_rng(5)
    tree = Hierarchy.from_paths([(str(i), f"{i // 10}*", f"{i // 100}**", "*") for i in range(3000)])
    other = Hierarchy.from_paths([(str(i), "*") for i in range(2500)])
    codes = np.unique(np.column_stack([generator.integers(0, 3000, 300), generator.integers(0, 40, 300)]), axis=0)
    space = Space.of(
        node_arrays([tree, other]),
        [tree, other],
        [Fraction(1, 2)] * 2,
        codes.astype(np.int32),
        np.ones(len(codes), np.int64),
    )
    rows = space.rows(tables=True)
    assert (rows.at >= 0).sum() == 1 and (rows.columns >= 0).sum() == 1
    weights = {way: tree_by(space, way).weights.sum() for way in ("both", "levels", "rows", "tables", "direct")}
    assert len(set(weights.values())) == 1


def test_heights_without_a_common_denominator():
    """Units are the nearest whole numbers then, never 0."""
    heights = [7, 11, 13, 17, 19, 23, 2]
    trees = [Hierarchy.from_paths([("a", *["b"] * (h - 1), "*"), ("c", *["d"] * (h - 1), "*")]) for h in heights]
    weights = normalized_weights("abcdefg", {"a": 1.37, "g": 0.0000001})
    codes = np.array([[0] * 7, [1] * 7], np.int32)
    space = Space.of(node_arrays(trees), trees, weights, codes, np.ones(2, np.int64))
    tops = [steps[-1].price for steps in space.steps]
    assert min(tops) >= 1 and sum(tops) < 1 << 21


# ---- cuts and merges -------------------------------------------------------------------------------------------------


@st.composite
def forests(draw):
    """A random forest with weights that tie often."""
    points = draw(st.integers(1, 16))
    edges = [
        (draw(st.integers(0, i - 1)), i, draw(st.integers(0, 4))) for i in range(1, points) if draw(st.integers(0, 12))
    ]
    shuffled = draw(st.permutations(range(points)))
    edges = [(shuffled[i], shuffled[j], w) for i, j, w in edges]
    return draw(st.lists(st.integers(1, 4), min_size=points, max_size=points)), draw(st.permutations(edges))


@settings(deadline=None, max_examples=300)
@given(drawn=forests(), k=st.integers(1, 6), at_mean=st.booleans())
def test_cuts_are_those_of_the_definition(drawn, k, at_mean):
    records, edges = drawn
    columns = Edges(*(np.array([e[i] for e in edges], np.int64) for i in range(3)))
    groups = cut_apart(np.array(records, np.int64), columns, k, at_mean=at_mean)
    assert partition(groups) == oracle.cut_up(records, edges, k, at_mean=at_mean)
    leading = [int(np.flatnonzero(groups == g)[0]) for g in range(int(groups.max()) + 1)]
    assert leading == sorted(leading)


@settings(deadline=None, max_examples=300)
@given(drawn=spaces(), k=st.integers(1, 9), data=st.data())
def test_merges_are_those_of_the_definition(drawn, k, data):
    trees, weights, space = drawn
    points = len(space.codes)
    labels = data.draw(st.lists(st.integers(0, points - 1), min_size=points, max_size=points))
    numbers = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    groups = np.array([numbers[label] for label in labels], np.int64)
    boxes = [
        tuple(box) for box in smallest_boxes(space.priced, space.codes, groups.astype(np.int32), len(numbers)).tolist()
    ]
    sizes = [int(space.records[groups == g].sum()) for g in range(len(numbers))]
    expected = oracle.merge(trees, weights, boxes, sizes, k)
    merged = merge_small(space, groups, k, quiet)
    assert partition(merged) == {frozenset(np.flatnonzero(np.isin(groups, list(c))).tolist()) for c in expected}


@settings(deadline=None, max_examples=150)
@given(drawn=spaces(), k=st.integers(1, 6), few=st.sampled_from([0, 256]))
def test_large_classes_are_split_and_others_left(drawn, k, few):
    _, _, space = drawn
    groups = merge_small(space, cut_apart(space.records, spanning_tree(space, quiet), k), k, quiet)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.methods.tables.mstk._SMALL", few)
        split = split_large(space, groups, k)
    for part in partition(split):
        (whole,) = {int(groups[point]) for point in part}
        size, before = (int(space.records[list(p)].sum()) for p in (part, np.flatnonzero(groups == whole)))
        assert size == before or (before >= 2 * k and size >= k)


# ---- the whole -------------------------------------------------------------------------------------------------------


def ground_of(trees, rows, guarantees, values=None) -> Ground:
    names = "abc"[: len(trees)]
    problem = TableProblem(
        dict(zip(names, trees, strict=True)), {"s": None} if values else {}, guarantees, GLM(), {}, Fraction(0)
    )
    return Ground.over(frequency_set(trees, rows, values), problem)


@settings(deadline=None, max_examples=200)
@given(drawn=tables(), k=st.integers(2, 6), resplit=st.booleans(), data=st.data())
def test_no_record_is_lost_and_every_class_is_large_enough(drawn, k, resplit, data):
    trees, rows, _ = drawn
    k = min(k, len(rows))
    ground = ground_of(trees, rows, (KAnonymity(max(k, 2)),))
    groups = spanning_groups(ground, quiet, resplit=resplit)
    assert len(groups) == len(ground.frequency.counts)
    sizes = np.bincount(groups, weights=ground.frequency.counts)
    assert sizes.min() >= k and sizes.sum() == len(rows)
    # the order in which an engine hands over the tuples says nothing
    order = np.array(data.draw(st.permutations(range(len(groups)))), np.int64)
    shuffled = FrequencySet(ground.frequency.columns, ground.frequency.codes[order], ground.frequency.counts[order])
    again = spanning_groups(Ground.over(shuffled, ground.problem), quiet, resplit=resplit)
    assert partition(groups[order]) == partition(again)


@settings(deadline=None, max_examples=100)
@given(drawn=tables(sensitive=True), variant=st.sampled_from(["distinct", "entropy"]))
def test_other_promises_are_kept_too(drawn, variant):
    trees, rows, values = drawn
    if len(set(values)) < 2 or max(map(values.count, values)) * 2 > len(values):
        return
    ground = ground_of(trees, rows, (KAnonymity(2), LDiversity(2, "s", variant)), values)
    if ground.failing(np.zeros(len(ground.frequency.counts), np.int32), 1).any():
        return
    decision = ground.decision(merge_failing(ground, spanning_groups(ground, quiet)))
    assert decision.recoding.recoded.rows == len(rows)


LITTLE_MEMORY = """
import resource
from fractions import Fraction
import numpy as np
from properties.tables.test_mstk import node_arrays, quiet
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.methods.tables.level_distance import Space
from shoal.methods.tables.mstk import cut_apart, merge_small, split_large
from shoal.methods.tables.spanning import spanning_tree

generator = np.random.default_rng(3)
trees = [Hierarchy.from_paths([(f"{i}", f"{i // 5}*", f"{i // 50}**", "*") for i in range(200)]) for _ in range(3)]
for tuples in (500, 20_000):
    if tuples > 500:  # all the code has been loaded
        held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + (160 << 20),) * 2)
    codes = np.unique(generator.integers(0, 200, (tuples, 3)), axis=0).astype(np.int32)
    space = Space.of(node_arrays(trees), trees, [Fraction(1, 3)] * 3, codes, np.ones(len(codes), np.int64))
    for by_levels in (True, False):
        edges = spanning_tree(space, quiet, by_levels=by_levels)
        groups = split_large(space, merge_small(space, cut_apart(space.records, edges, 5), 5, quiet), 5)
assert len(groups) > 19_900 and np.bincount(groups).min() >= 5
"""


@pytest.mark.slow
def test_memory_grows_with_the_tuples_and_not_with_their_pairs():
    """20,000 tuples with 160 MB more than 500 tuples take; one byte for each pair would be 400 MB."""
    tests = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(tests), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", LITTLE_MEMORY],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
