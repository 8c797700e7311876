"""Rum-bound and Tum-bound over arrays: the same clusters as step by step from the definitions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from oracles import mixed_oracle as oracle
from oracles.random_trees import hierarchies, smallest_node
from shoal.errors import Infeasible
from shoal.kernels.mixed.item_distance import chains_of, together, widest
from shoal.methods.mixed.bounds import within_item_loss, within_table_loss
from shoal.methods.mixed.clusters import MixedRecords, Prices, around_seeds, first_clusters, numbered
from shoal.methods.mixed.item_mapping import ItemDomain, Promised
from shoal.methods.mixed.merging import Merging

QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
ITEMS = 5
DOMAIN = ItemDomain.of_sets(np.zeros(ITEMS, np.int32))
SETS = st.sets(st.integers(0, ITEMS - 1), max_size=3).map(lambda one: tuple(sorted(one)))


def arrays(rows, sets):
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    items = np.array([item for one in sets for item in one], np.int32)
    codes = np.array(rows, np.int32).reshape(len(rows), -1)
    return MixedRecords(codes, offsets, items, np.ones(len(rows), np.int64))


def columns(trees):
    groups = [[set(range(t.first[v], t.last[v] + 1)) for v in range(len(t.labels))] for t in trees]
    return [oracle.Categories(one) for one in groups]


@st.composite
def tables(draw, least=2, most=10):
    trees = [draw(hierarchies(name)) for name in "ab"[: draw(st.integers(1, 2))]]
    row = st.tuples(*(st.integers(0, tree.leaf_count - 1) for tree in trees))
    records = draw(st.lists(st.tuples(row, SETS), min_size=least, max_size=most))
    records.sort()
    return trees, [row for row, _ in records], [one for _, one in records]


def price_of(trees):
    made = columns(trees)
    weights = [Fraction(1, len(trees))] * len(trees)
    return lambda rows: oracle.ncp(made, weights, rows)


def prices_of(trees, records):
    return Prices.of(trees, [Fraction(1, len(trees))] * len(trees), records)


@QUIET
@given(tables(), st.integers(2, 4), st.randoms(use_true_random=False))
def test_cluster_as_in_the_paper(table, k, random):
    trees, rows, _ = table
    distinct = sorted(set(rows))
    assume(len(distinct) >= k)
    seeds = list(range(len(distinct)))
    random.shuffle(seeds)
    expected = oracle.form_clusters(distinct, k, seeds, price_of(trees))
    trees_ = prices_of(trees, len(distinct)).nodes
    made = around_seeds(trees_, np.array(distinct, np.int32), np.ones(len(distinct), np.int64), k, np.array(seeds))
    look = look_of(trees)
    joined: dict[object, set[int]] = {}
    for cluster in expected:
        joined.setdefault(look([distinct[r] for r in cluster]), set()).update(cluster)
    assert {frozenset(np.flatnonzero(made == c).tolist()) for c in set(made.tolist())} == set(
        map(frozenset, joined.values())
    )


@QUIET
@given(tables(), st.integers(2, 4), st.integers(0, 3))
def test_first_clusters_are_large_enough_and_look_different(table, k, seed):
    trees, rows, sets = table
    records, prices = arrays(rows, sets), prices_of(trees, len(rows))
    if len(rows) < k:
        with pytest.raises(Infeasible):
            first_clusters(records, prices, k, seed)
        return
    groups = first_clusters(records, prices, k, seed)
    assert np.bincount(groups).min() >= k
    assert np.array_equal(numbered(groups), groups)
    looks = [look_of(trees)([rows[r] for r in np.flatnonzero(groups == c)]) for c in range(groups.max() + 1)]
    assert len(set(looks)) == len(looks)


def look_of(trees):
    return lambda rows: tuple(smallest_node(tree, [row[c] for row in rows]) for c, tree in enumerate(trees))


@QUIET
@given(st.lists(st.tuples(SETS, st.integers(0, 2)), min_size=1, max_size=9))
def test_btd_of_clusters(records):
    sets = [one for one, _ in records]
    groups = np.unique([group for _, group in records], return_inverse=True)[1].astype(np.int32)
    count = int(groups.max()) + 1
    table = arrays([(0,)] * len(sets), sets)
    chains = chains_of(table.offsets, table.items, groups, count)
    own = widest(chains)
    members = [[sets[r] for r in np.flatnonzero(groups == c)] for c in range(count)]
    assert own.tolist() == [float(oracle.cluster_btd(one)) for one in members]
    for one in range(count):
        others = np.array([c for c in range(count) if c != one], np.int64)
        found = together(chains, own, one, others)
        assert found.tolist() == [float(oracle.cluster_btd(members[one] + members[c])) for c in others.tolist()]


@st.composite
def merging_cases(draw):
    trees, rows, sets = draw(tables(least=4, most=12))
    k = draw(st.integers(2, 3))
    m = draw(st.integers(1, 2))
    objective = draw(st.sampled_from(["item-ncp", "ul"]))
    order = draw(st.sampled_from(["btd", "item-ncp", "ul"]))
    merge = draw(st.sampled_from(["r", "t", "rt"]))
    delta = draw(st.fractions(0, 1, max_denominator=8))
    groups = first_clusters(arrays(rows, sets), prices_of(trees, len(rows)), k, draw(st.integers(0, 2)))
    return trees, rows, sets, k, m, objective, order, merge, delta, groups


def both(case):
    trees, rows, sets, k, m, objective, order, merge, delta, groups = case
    state = Merging(arrays(rows, sets), prices_of(trees, len(rows)), groups, DOMAIN, Promised(k, m), objective)
    held = sum(map(len, sets))

    def mapping(some):
        return oracle.merge_items_for_ul(some, k, m) if objective == "ul" else oracle.merge_items(some, k, m)

    def tum(parts):
        if objective == "ul":
            return sum((oracle.mean_ul(some, label_of) * len(some) for some, label_of in parts), Fraction(0)) / len(
                sets
            )
        return Fraction(sum(oracle.item_cost(*part) for part in parts), held * ITEMS) if held else Fraction(0)

    def score(some):
        if order == "btd":
            return oracle.cluster_btd(some)
        label_of = mapping(some)
        if label_of is None:
            return True, Fraction(0)
        if order == "ul":
            return False, Fraction(round(oracle.mean_ul(some, label_of) * len(some) * 2**30), len(some))
        return False, Fraction(oracle.item_cost(some, label_of), max(1, sum(map(len, some))))

    clusters = [np.flatnonzero(groups == c).tolist() for c in range(groups.max() + 1)]
    return state, oracle.Clusters(rows, sets, clusters, price_of(trees), look_of(trees), mapping, tum, score)


def near(one, two):
    return abs(one - two) < Fraction(1, 10**6)  # UL is rounded record by record


@QUIET
@given(merging_cases())
def test_rum_bound(case):
    *_, order, merge, delta, groups = case
    state, slow = both(case)
    assert state.table_loss == slow.ncp()
    expected = oracle.rum_bound(slow, merge, delta)
    try:
        made = within_table_loss(state, delta, merge, order)
    except Infeasible:
        assert expected is None
        return
    assert expected is not None
    assert {tuple(rows.tolist()) for rows in made.rows} == expected.clusters
    assert made.table_loss == expected.ncp() <= delta
    assert near(made.item_loss, expected.loss())


@QUIET
@given(merging_cases())
def test_tum_bound(case):
    *_, order, merge, delta, groups = case
    state, slow = both(case)
    expected = oracle.tum_bound(slow, merge, delta)
    try:
        made = within_item_loss(state, delta, merge, order)
    except Infeasible:
        assert expected is None
        return
    assert expected is not None
    assert {tuple(rows.tolist()) for rows in made.rows} == expected.clusters
    assert made.table_loss == expected.ncp()
    assert near(made.item_loss, expected.loss()) and made.item_loss <= delta


@QUIET
@given(merging_cases())
def test_every_cluster_keeps_the_promise(case):
    trees, rows, sets, k, m, *_, order, merge, delta, groups = case
    state, _ = both(case)
    try:
        made = within_table_loss(state, delta, merge, order)
    except Infeasible:
        return
    for members, mapping in zip(made.rows, made.mappings, strict=True):
        label_of = {
            int(item): frozenset(DOMAIN.leaves_of(mapping, place).tolist()) for place, item in enumerate(mapping.items)
        }
        assert oracle.holds([oracle.labels_of(sets[r], label_of) for r in members], k, m)
