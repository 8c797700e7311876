"""Losses of item sets against brute force from their definitions, and the numbers of the golden cases."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_trees import hierarchies
from shoal.errors import RecipeError
from shoal.hierarchies.hierarchy import depth_cuts
from shoal.loss import SET_LOSSES, loss_from
from shoal.loss.sets.are import ItemARE
from shoal.loss.sets.er import ER
from shoal.loss.sets.ncp import ItemNCP
from shoal.loss.sets.qe import QE
from shoal.loss.sets.release import Generalized, Matched, Sets
from shoal.loss.sets.ul import UL, utility_loss
from shoal.loss.sets.workload import SetWorkload

ITEMS = 6
QUIET = settings(deadline=None)
item_sets = st.lists(st.sets(st.integers(0, ITEMS - 1), max_size=5).map(sorted), min_size=1, max_size=6)


def sets_of(records, counts):
    offsets = np.cumsum([0, *map(len, records)]).astype(np.int64)
    return Sets(offsets, np.array([i for record in records for i in record], np.int32), np.array(counts, np.int64))


@st.composite
def generalized(draw):
    """A tree, originals with counts, and for each original a cut of its own: as in local recoding. Some items are left out."""
    tree = draw(hierarchies(most=ITEMS))
    leaf = st.integers(0, tree.leaf_count - 1)
    records = draw(st.lists(st.sets(leaf, max_size=5).map(sorted), min_size=1, max_size=6))
    counts = draw(st.lists(st.integers(1, 4), min_size=len(records), max_size=len(records)))
    shown = []
    for record in records:
        cut = draw(st.sampled_from(list(depth_cuts(tree.parents, tree.leaf_count))))
        out = draw(st.sets(leaf, max_size=1))
        shown.append([-1 if item in out else int(cut[item]) for item in record])
    nodes = np.array([node for record in shown for node in record], np.int32)
    return tree, records, shown, counts, Generalized(sets_of(records, counts), nodes, tree.first, tree.last)


@st.composite
def matched(draw):
    originals, published = draw(item_sets), draw(item_sets)
    counts = draw(st.lists(st.integers(1, 3), min_size=len(originals), max_size=len(originals)))
    sizes = draw(st.lists(st.integers(1, 3), min_size=len(published), max_size=len(published)))
    pair = st.tuples(st.integers(0, len(originals) - 1), st.integers(0, len(published) - 1))
    pairs = draw(st.lists(pair, min_size=1, max_size=8, unique=True))
    weights = draw(st.lists(st.integers(1, 3), min_size=len(pairs), max_size=len(pairs)))
    release = Matched(
        sets_of(originals, counts), sets_of(published, sizes), np.array(pairs), np.array(weights, np.int64), ITEMS
    )
    return originals, published, counts, sizes, pairs, weights, release


queries = st.lists(
    st.tuples(st.sets(st.integers(0, ITEMS - 1), min_size=1, max_size=3), st.booleans()), min_size=1, max_size=5
)


def workload_of(asked):
    return SetWorkload(tuple(tuple(sorted(items)) for items, _ in asked), tuple(absent for _, absent in asked))


def answers(items, absent, record):
    return not items & set(record) if absent else items <= set(record)


@QUIET
@given(generalized())
def test_item_ncp(case):
    tree, records, shown, counts, release = case
    cost = held = Fraction(0)
    for record, nodes, n in zip(records, shown, counts, strict=True):
        for node in nodes:
            wide = tree.leaf_count if node < 0 else tree.leaves_below(node)
            cost += n * (Fraction(wide, tree.leaf_count) if wide > 1 or node < 0 else 0)
        held += n * len(record)
    assert ItemNCP().of(release) == (cost / held if held else 0)


@QUIET
@given(generalized())
def test_ul(case):
    tree, _, shown, counts, release = case
    lost = Fraction(0)
    for nodes, n in zip(shown, counts, strict=True):
        lost += n * utility_loss(
            [tree.leaf_count if node < 0 else tree.leaves_below(node) for node in sorted(set(nodes))]
        )
    assert float(UL().of(release)) == pytest.approx(float(lost / sum(counts)), abs=1e-12)


@QUIET
@given(matched())
def test_er(case):
    originals, published, _, _, pairs, weights, release = case
    wrong = [
        Fraction(len(set(originals[o]) ^ set(published[p])), max(1, len(originals[o]))) * w
        for (o, p), w in zip(pairs, weights, strict=True)
    ]
    assert ER().of(release) == sum(wrong) / sum(weights)


@QUIET
@given(matched(), queries)
def test_qe_of_matched_sets(case, asked):
    originals, published, counts, sizes, _, _, release = case
    errors = {True: [], False: []}
    for items, absent in asked:
        truth = sum(n for record, n in zip(originals, counts, strict=True) if answers(items, absent, record))
        found = sum(n for record, n in zip(published, sizes, strict=True) if answers(items, absent, record))
        errors[absent].append(Fraction(abs(truth - found), sum(counts)))
    workload = workload_of(asked)
    both = errors[True] + errors[False]
    assert QE(workload).of(release) == sum(both) / len(both)
    for absent, own in errors.items():
        assert QE(workload, absent).of(release) == (sum(own) / len(own) if own else None)


@QUIET
@given(generalized(), queries)
def test_estimates_of_generalized_sets(case, asked):
    tree, records, shown, counts, release = case
    asked = [({item % tree.leaf_count for item in items}, absent) for items, absent in asked]
    workload = workload_of(asked)
    truths, found = [], []
    for items, absent in asked:
        truths.append(sum(n for r, n in zip(records, counts, strict=True) if answers(items, absent, r)))
        expected = 0.0
        for nodes, n in zip(shown, counts, strict=True):
            chance = 1.0
            for item in items:
                above = [v for v in set(nodes) if v >= 0 and tree.first[v] <= item <= tree.last[v]]
                assert len(above) <= 1
                p = 1 / tree.leaves_below(above[0]) if above else 0.0
                chance *= 1 - p if absent else p
            expected += n * chance
        found.append(expected)
    assert workload.true_counts(release.originals).tolist() == truths
    assert workload.estimates(release).tolist() == pytest.approx(found)
    relative = [abs(f - t) / max(t, 1) for f, t in zip(found, truths, strict=True)]
    assert float(ItemARE(workload).of(release)) == pytest.approx(sum(relative) / len(relative))
    assert float(QE(workload).of(release)) == pytest.approx(
        sum(abs(f - t) for f, t in zip(found, truths, strict=True)) / len(truths) / sum(counts)
    )


def test_golden_ul(shared):
    cases = json.loads((shared / "golden/001_rt.json").read_text())["cases"]
    case = next(case for case in cases if case["id"] == "001-ul")
    for record, expected in zip(case["input"]["records"], case["expected"]["ul"], strict=True):
        assert utility_loss([len(label) for label in record]) == Fraction(expected["exact"])
    assert float(utility_loss([1100, 3])) == pytest.approx(1.0 / 8, abs=1e-9)


def test_ul_of_large_domains_does_not_overflow():
    tree_first, tree_last = np.array([0, 0], np.int32), np.array([0, 19_999], np.int32)
    offsets, nodes = np.array([0, 1, 3], np.int64), np.array([1, 1, 0], np.int32)
    release = Generalized(
        Sets(offsets, np.array([5, 0, 5], np.int32), np.array([1, 3], np.int64)), nodes, tree_first, tree_last
    )
    assert float(UL().of(release)) == pytest.approx((1.0 + 3 * 0.5) / 4)


def test_random_workloads():
    dense, sparse = SetWorkload.random(75, 37.0), SetWorkload.random(2000, 10.3)
    assert {len(q) for q in dense.queries[:500]} == {3} and {len(q) for q in dense.queries[500:]} == {4}
    assert {len(q) for q in sparse.queries[:500]} == {1} and {len(q) for q in sparse.queries[500:]} == {5}
    assert dense.absent == (False,) * 500 + (True,) * 500
    assert dense.queries == SetWorkload.random(75, 37.0).queries
    sets = sets_of([[0], [1, 2], [0, 1, 2, 3]], [5, 2, 1])
    drawn = SetWorkload.of_records(sets)
    assert len(drawn.queries) == 100 and (drawn.true_counts(sets) >= 1).all()
    assert drawn.queries == SetWorkload.of_records(sets).queries


def test_workloads_of_users():
    codes = {"bread": 0, "milk": 1}
    workload = SetWorkload.stated([{"with": ["milk", "bread", "milk"]}, {"without": ["milk"]}], codes)
    assert workload.queries == ((0, 1), (1,)) and workload.absent == (False, True)
    with pytest.raises(RecipeError) as told:
        SetWorkload.stated([{"with": ["secret"]}, {"with": ["milk"], "without": ["bread"]}, {"with": []}], codes)
    assert len(told.value.problems) == 3 and "secret" not in str(told.value)
    with pytest.raises(RecipeError):
        SetWorkload.stated([], codes)


def test_losses_of_sets_are_refused_for_tables():
    with pytest.raises(RecipeError, match="'item-ncp' is of item sets"):
        loss_from("item-ncp")
    assert list(SET_LOSSES) == ["item-ncp", "ul", "er", "qe", "are"]
    assert all(loss.kind == "sets" for loss in SET_LOSSES.values())


def test_a_figure_that_says_nothing_is_none():
    release = Matched(sets_of([[0]], [2]), sets_of([[0]], [2]), np.array([[0, 0]]), np.array([2]), 1)
    assert ItemNCP().of(release) is None and UL().of(release) is None
