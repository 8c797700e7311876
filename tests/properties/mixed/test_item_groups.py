"""Items of one class, generalized: the kernel takes the steps of the oracle, and what it ends with keeps the promise."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from oracles.km_oracle import Tree
from oracles.mixed_oracle import LOOKED, TRIED, cut_items, feasible, holds, item_cost, labels_of, mappings, merge_items
from oracles.random_trees import hierarchies
from shoal.kernels.mixed import item_groups
from shoal.methods.mixed.item_mapping import ItemDomain, Promised, class_mapping

QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
CODES = st.sets(st.integers(0, 7), max_size=5)


def arrays(sets):
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return offsets, np.array([item for one in sets for item in sorted(one)], np.int32)


def mapped(sets, counts, domain, promised, secrets=()):
    offsets, items = arrays(sets)
    made = class_mapping(offsets, items, np.array(counts, np.int64), domain, promised, secrets)
    if made is None:
        return None
    return {int(item): frozenset(domain.leaves_of(made, place).tolist()) for place, item in enumerate(made.items)}


def test_the_oracle_is_as_patient_as_the_kernel():
    assert (item_groups.TRIED, item_groups.LOOKED) == (TRIED, LOOKED)


def repeated(sets, counts):
    return [one for one, count in zip(sets, counts, strict=True) for _ in range(count)]


@QUIET
@given(
    st.lists(st.tuples(CODES, st.integers(1, 4)), min_size=1, max_size=9),
    st.integers(2, 4),
    st.integers(1, 3),
    st.data(),
)
def test_sets_step_by_step(rows, k, m, data):
    sets, counts = [one for one, _ in rows], [count for _, count in rows]
    families = data.draw(st.sampled_from([np.zeros(8, np.int32), np.array([0] * 4 + [1] * 4, np.int32)]))
    made = mapped(sets, counts, ItemDomain.of_sets(families), Promised(k, m))
    every = repeated(sets, counts)
    assert made == merge_items(every, k, m, family=lambda item: families[item])
    if not families.any():
        assert (made is not None) == feasible(every, k)
    if made is not None and len(every) >= k:
        assert holds([labels_of(one, made) for one in every], k, m)


@st.composite
def trees(draw):
    tree = draw(hierarchies(most=8))
    assume(None not in tree.labels)
    return tree


@QUIET
@given(trees(), st.data(), st.integers(2, 4), st.integers(1, 3))
def test_labels_of_a_hierarchy_step_by_step(hierarchy, data, k, m):
    items = st.sets(st.integers(0, hierarchy.leaf_count - 1), max_size=4)
    rows = data.draw(st.lists(st.tuples(items, st.integers(1, 3)), min_size=1, max_size=9))
    sets, counts = [one for one, _ in rows], [count for _, count in rows]
    made = mapped(sets, counts, ItemDomain.of_hierarchies([hierarchy]), Promised(k, m))
    every = repeated(sets, counts)
    assert made == cut_items(every, k, m, Tree(hierarchy.parents, hierarchy.leaf_count))
    assert (made is not None) == feasible(every, k)
    if made is not None and len(every) >= k:
        assert holds([labels_of(one, made) for one in every], k, m)


@QUIET
@given(
    st.lists(st.tuples(CODES, st.sets(st.integers(0, 2), max_size=2)), min_size=1, max_size=10),
    st.integers(2, 3),
    st.integers(1, 2),
)
def test_sensitive_values_are_looked_at_after_every_step(rows, k, m):
    sets = [one for one, _ in rows]
    secrets = [[at for at, (_, held) in enumerate(rows) if value in held] for value in range(3)]
    given_to = tuple((np.array([at in held for at in range(len(rows))]), 2) for held in secrets)
    made = mapped(sets, [1] * len(rows), ItemDomain.of_sets(np.zeros(8, np.int32)), Promised(k, m), given_to)
    assert made == merge_items(sets, k, m, secrets=secrets)
    nothing_known = len(rows) >= k and holds([set()] * len(rows), k, 1, secrets)
    if made is not None and nothing_known:
        assert holds([labels_of(one, made) for one in sets], k, m, secrets)


@QUIET
@given(trees(), st.data(), st.integers(2, 3), st.integers(1, 2))
def test_sensitive_values_below_a_hierarchy(hierarchy, data, k, m):
    items = st.sets(st.integers(0, hierarchy.leaf_count - 1), max_size=4)
    rows = data.draw(st.lists(st.tuples(items, st.sets(st.integers(0, 2), max_size=1)), min_size=1, max_size=10))
    sets = [one for one, _ in rows]
    secrets = [[at for at, (_, held) in enumerate(rows) if value in held] for value in range(3)]
    given_to = tuple((np.array([at in held for at in range(len(rows))]), 2) for held in secrets)
    made = mapped(sets, [1] * len(rows), ItemDomain.of_hierarchies([hierarchy]), Promised(k, m), given_to)
    assert made == cut_items(sets, k, m, Tree(hierarchy.parents, hierarchy.leaf_count), secrets)


@QUIET
@given(st.lists(st.sets(st.integers(0, 4), max_size=3), min_size=2, max_size=6), st.integers(1, 2))
def test_not_far_from_the_best_mapping(sets, m):
    """No bound is promised; where one item or none has to be merged it is the best."""
    assume(feasible(sets, 2))
    made = mapped(sets, [1] * len(sets), ItemDomain.of_sets(np.zeros(5, np.int32)), Promised(2, m))
    best = min(item_cost(sets, label_of) for label_of in mappings(sets, 2, m))
    assert best <= item_cost(sets, made)
    if best == 0:
        assert item_cost(sets, made) == 0


@settings(parent=QUIET, max_examples=60)
@given(
    st.lists(st.tuples(CODES, st.integers(1, 4)), min_size=1, max_size=9),
    st.integers(2, 4),
    st.integers(1, 2),
    st.booleans(),
)
def test_the_objective_ul_loses_no_more_ul_and_keeps_the_promise(rows, k, m, hides):
    sets, counts = [one for one, _ in rows], [count for _, count in rows]
    offsets, items = arrays(sets)
    domain, many = ItemDomain.of_sets(np.zeros(8, np.int32)), np.array(counts, np.int64)
    secrets = [(np.arange(len(sets)) % 3 == 0, 2)] if hides else []
    by_ncp = class_mapping(offsets, items, many, domain, Promised(k, m), secrets)
    by_ul = class_mapping(offsets, items, many, domain, Promised(k, m), secrets, "ul")
    if by_ul is None:
        assert by_ncp is None
        return
    assert by_ncp is None or by_ul.lost <= by_ncp.lost
    made = {int(item): frozenset(domain.leaves_of(by_ul, at).tolist()) for at, item in enumerate(by_ul.items)}
    every = repeated(sets, counts)
    if len(every) >= k and not hides:
        assert holds([labels_of(one, made) for one in every], k, m)
