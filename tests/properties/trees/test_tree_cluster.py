"""Classes of trees: large enough, true of every record, and the same whenever they are made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.trees_by_hand import FIRST, HIERARCHIES, SHAPE, forests, keeps
from shoal.data.trees import Forest
from shoal.errors import InternalError
from shoal.loss.trees.pair_loss import TreeDistance
from shoal.loss.trees.release import TreeRelease
from shoal.methods.trees.cluster import clustered
from shoal.recoding.trees.classes import TreeClassRecoding

FIRST_SHOWN = np.cumsum([0, *(len(HIERARCHIES[name].labels) for name in SHAPE.names)])


@st.composite
def collections(draw, least=1):
    """Different trees with numbers of records, at least so many together."""
    forest = draw(forests(most=12))
    found: dict = {}
    for tree in range(len(forest)):
        found.setdefault(frozenset(forest.paths(tree)), draw(st.integers(1, 6)))
    made = Forest.of_paths(list(found), SHAPE, FIRST)
    counts = np.array(list(found.values()), np.int64)
    counts[0] += max(least - int(counts.sum()), 0)
    return Forest(made.offsets, made.labels, made.parents, counts)


def stands_for(shown, label):
    number = int(np.searchsorted(FIRST, label, "right")) - 1
    tree, node = HIERARCHIES[SHAPE.names[number]], shown - int(FIRST_SHOWN[number])
    return 0 <= node < len(tree.labels) and tree.first[node] <= label - FIRST[number] <= tree.last[node]


def true_of(path, original):
    """Whether a shown path is a subsequence, by what its labels stand for, of an original one."""
    rest = iter(original)
    return all(any(stands_for(shown, label) for label in rest) for shown in path)


@given(collections(least=4), st.integers(2, 4), st.integers(1, 6))
@settings(deadline=None)
def test_classes_are_large_enough_and_true(forest, k, block):
    made = clustered(forest, SHAPE, HIERARCHIES, k, block=block)
    assert made.shown.records.min() >= k
    assert made.shown.records.sum() == forest.records.sum()
    shown = made.over(forest)
    different = {frozenset(made.shown.paths(number)) for number in range(len(made.shown))}
    assert len(different) == len(made.shown)
    for tree in range(len(forest)):
        assert shown.paths(tree) == made.shown.paths(int(made.classes[tree]))
        originals = forest.paths(tree)
        assert all(any(true_of(path, original) for original in originals) for path in shown.paths(tree))
    rows = [shown.paths(tree) for tree in range(len(forest)) for _ in range(int(forest.records[tree]))]
    assert keeps(rows, k, 3, 2, strict=True)
    assert 0 <= TreeDistance().of(TreeRelease.of_classes(made)) <= 1


@given(collections(least=4), st.integers(2, 4))
@settings(deadline=None, max_examples=40)
def test_the_same_trees_make_the_same_classes_in_any_order(forest, k):
    one = clustered(forest, SHAPE, HIERARCHIES, k)
    back = np.arange(len(forest))[::-1]
    turned = Forest.of_paths([forest.paths(int(tree)) for tree in back], SHAPE, FIRST)
    turned = Forest(turned.offsets, turned.labels, turned.parents, forest.records[back].copy())
    two = clustered(turned, SHAPE, HIERARCHIES, k)
    assert one.shown.packed().to_pylist() == two.shown.packed().to_pylist()
    assert one.shown.records.tolist() == two.shown.records.tolist()
    assert one.classes.tolist() == two.classes[back].tolist()


@given(collections())
@settings(deadline=None, max_examples=40)
def test_trees_of_enough_records_are_shown_as_they_are(forest):
    many = Forest(forest.offsets, forest.labels, forest.parents, forest.records + 4)
    made = clustered(many, SHAPE, HIERARCHIES, 4)
    assert TreeDistance().of(TreeRelease.of_classes(made)) == 0
    assert len(made.shown) == len(forest)


def label(name, value=0):
    return int(FIRST[SHAPE.names.index(name)]) + value


def called(name, text):
    """A shown label."""
    return int(FIRST_SHOWN[SHAPE.names.index(name)]) + HIERARCHIES[name].node(text)


def test_nodes_that_are_alike_go_together():
    """Two illnesses at one place; the cure goes with its illness, not with the first one."""
    place = label("place")
    flu, cold, cut = (label("illness", value) for value in (0, 1, 2))
    one = {(place, flu, label("cure")), (place, cut, label("cure", 2))}
    two = {(place, cold, label("cure", 1)), (place, cut, label("cure", 3))}
    made = clustered(Forest.of_paths([one, two], SHAPE, FIRST), SHAPE, HIERARCHIES, 2)
    paths = made.shown.paths(0)
    assert (called("place", "place0"), called("illness", "illnessa"), called("cure", "curea")) in paths
    assert (called("place", "place0"), called("illness", "illness2"), called("cure", "cureb")) in paths
    assert len(paths) == 5


def test_what_only_one_of_them_has_is_left_out():
    one = {(label("place"), label("illness"), label("cure")), (label("sex"),)}
    two = {(label("place"), label("test")), (label("sex"),)}
    made = clustered(Forest.of_paths([one, two], SHAPE, FIRST), SHAPE, HIERARCHIES, 2)
    assert made.shown.paths(0) == {(called("place", "place0"),), (called("sex", "sex0"),)}
    assert (made.shows == -1).sum() == 3


def test_a_recoding_that_says_what_is_not_true_is_refused():
    one = {(label("place"), label("illness"))}
    two = {(label("place"), label("illness", 1))}
    made = clustered(Forest.of_paths([one, two], SHAPE, FIRST), SHAPE, HIERARCHIES, 2)
    assert len(made.shown.labels) == 2
    finer = made.shown.labels.copy()
    finer[1] = called("illness", "illness0")  # stands for the value of the first alone
    shown = Forest(made.shown.offsets, finer, made.shown.parents, made.shown.records)
    with pytest.raises(InternalError, match="value or a relation"):
        replace(made, shown=shown)
    loose = Forest(made.shown.offsets, made.shown.labels, np.full(2, -1, np.int32), made.shown.records)
    with pytest.raises(InternalError, match="value or a relation"):
        replace(made, shown=loose)
    with pytest.raises(InternalError, match="does not have"):
        replace(made, places=np.array([0, 1, 0, -1], np.int32))
    with pytest.raises(InternalError, match="other records"):
        few = Forest(made.shown.offsets, made.shown.labels, made.shown.parents, np.array([3]))
        replace(made, shown=few)
    stranger = Forest.of_paths([{(label("sex"),)}], SHAPE, FIRST)
    with pytest.raises(InternalError, match="in no class"):
        made.over(stranger)
    assert made.to_json() == {"kind": "tree-classes", "classes": 1}
    assert isinstance(made, TreeClassRecoding)
