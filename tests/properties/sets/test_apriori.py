"""Method `apriori` against its plain-Python twin, and what it publishes against the definition."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from oracles.km_oracle import Tree, climb, descend, is_km_anonymous, is_lm_diverse, item_cost, shown, too_alike
from oracles.random_trees import hierarchies
from oracles.table_engine import TableEngine
from shoal.data.itemsets import ItemSets
from shoal.errors import DataError, Infeasible
from shoal.guarantees import KMAnonymity, LMDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.loss.sets.ncp import ItemNCP
from shoal.loss.sets.release import Generalized
from shoal.methods.sets.apriori import Apriori
from shoal.methods.sets.problem import SetProblem

QUIET = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


@st.composite
def trees(draw):
    """Leaves at different depths, inner nodes with a single child, a tree of one node."""
    tree = draw(hierarchies(most=9))
    assume(None not in tree.labels)
    return tree


@st.composite
def cases(draw, records=14):
    tree = draw(trees())
    items = st.sets(st.integers(0, tree.leaf_count - 1), max_size=5)
    return tree, [sorted(one) for one in draw(st.lists(items, min_size=1, max_size=records))]


def decide(tree, records, *guarantees, batch=5, **options):
    table = {"items": pa.array([[tree.labels[leaf] for leaf in record] for record in records], pa.list_(pa.string()))}
    labels = options.pop("labels", None)
    if labels is not None:
        table["ill"] = pa.array(labels, pa.string())
    problem = SetProblem({"items": tree}, {}, guarantees)
    return Apriori().decide(TableEngine(pa.table(table), batch), problem, lambda progress: None, **options)


@QUIET
@given(cases(), st.integers(2, 4), st.integers(1, 4), st.sampled_from([0, 1 << 10]))
def test_the_same_cut_as_step_by_step(case, k, m, cells):
    hierarchy, records = case
    assume(len(records) >= k and not 0 < sum(map(bool, records)) < k)
    with patch.multiple(
        "shoal.data.combinations", _PAIRS=cells, _CELLS=cells, _ITEMS=20
    ):  # a table of counters, or none
        decision = decide(hierarchy, records, KMAnonymity(k, m))
    cut = decision.recoding.nodes[0].tolist()
    tree = Tree(hierarchy.parents, hierarchy.leaf_count)
    assert cut == descend(records, tree, k, m)
    assert is_km_anonymous(shown(records, cut), k, m)
    held = sum(map(len, records))
    cost = item_cost(tree, tree.costs(records), cut)
    assert decision.loss == (Fraction(cost, held * tree.leaves) if held else 0)
    for node in set(cut) & {v for v in range(tree.root + 1) if tree.children[v]}:  # none can be opened
        if any(leaf in record for record in records for leaf in range(tree.leaves) if cut[leaf] == node):
            lower = [tree.below(node, leaf) if v == node else v for leaf, v in enumerate(cut)]
            assert not is_km_anonymous(shown(records, lower), k, m)


@QUIET
@given(cases(), st.integers(2, 3), st.integers(1, 3))
def test_climbing_ends_at_a_cut_that_holds(case, k, m):
    hierarchy, records = case
    assume(not 0 < sum(map(bool, records)) < k)
    cut = climb(records, Tree(hierarchy.parents, hierarchy.leaf_count), k, m)
    assert is_km_anonymous(shown(records, cut), k, m)


@QUIET
@given(cases(), st.integers(2, 3), st.integers(2, 3), st.integers(1, 2), st.data())
def test_diversity(case, k, l, m, data):
    hierarchy, records = case
    label = st.sampled_from(["a", "b", "c", "d", None])
    labels = data.draw(st.lists(label, min_size=len(records), max_size=len(records)))
    tree = Tree(hierarchy.parents, hierarchy.leaf_count)
    holding = [(record, label) for record, label in zip(records, labels, strict=True) if record]
    least = max(k, l)
    root = [[tree.root] if record else [] for record in records]
    possible = len(records) >= least and not 0 < len(holding) < least and is_lm_diverse(root, labels, l, 1)
    promise = (KMAnonymity(k, m), LMDiversity(l, m, "ill"))
    if not possible:
        with pytest.raises(Infeasible):
            decide(hierarchy, records, *promise, labels=labels)
        return
    cut = decide(hierarchy, records, *promise, labels=labels).recoding.nodes[0].tolist()
    assert is_km_anonymous(shown(records, cut), k, m)
    assert is_lm_diverse(shown(records, cut), labels, l, m)
    assert cut == descend(records, tree, least, m, labels, l)


@QUIET
@given(cases(records=24), st.integers(2, 3), st.integers(1, 2), st.booleans(), st.integers(2, 8))
def test_local_recoding(case, k, m, diverse, block):
    hierarchy, records = case
    labels = [str(at % 5) for at in range(len(records))]
    promise = (KMAnonymity(k, m), *([LMDiversity(2, m, "ill")] if diverse else []))
    try:
        whole = decide(hierarchy, records, *promise, labels=labels)
    except Infeasible:
        return
    with patch("shoal.methods.sets.local_parts._RECORDS", block):
        decision = decide(hierarchy, records, *promise, labels=labels, local=True)
    recoding = decision.recoding
    assert decision.loss <= whole.loss
    sets = ItemSets.of_codes(records, recoding.items)
    parts = np.zeros(len(records), np.int64)
    if recoding.part_of is not None:
        parts = recoding.part_of(pa.record_batch([sets.lists()], ["items"])).to_numpy()
        assert decision.loss < whole.loss and set(parts) <= set(range(recoding.parts))
    published = recoding.over(sets, parts)
    shown_sets = [published.record(at).tolist() for at in range(len(records))]
    for part in set(parts.tolist()):
        assert is_km_anonymous([one for one, at in zip(shown_sets, parts, strict=True) if at == part], k, m)
    assert is_km_anonymous(shown_sets, k, m)
    assert not diverse or is_lm_diverse(shown_sets, labels, 2, m)
    release = Generalized.of(sets, np.ones(len(records), np.int64), recoding, parts)
    assert ItemNCP().of(release) == decision.loss


def test_local_recoding_of_a_table_in_disguise():
    paths = [(f"{column}{value}", column, "*") for column in "abcd" for value in range(4)]
    tree = Hierarchy.from_paths(paths)
    half = [[0, 4, 8, 12], [1, 5, 9, 13]] * 3
    records = half + [[2, 7, 10, 15], [3, 6, 11, 14]] * 3 + [[0, 7, 11, 12]]
    decision = decide(tree, records, KMAnonymity(3, 2), local=True)
    assert decision.recoding.parts > 1
    assert decision.loss < decide(tree, records, KMAnonymity(3, 2)).loss


def test_too_few_records_with_items():
    tree = Hierarchy.from_paths([("a", "*"), ("b", "*")])
    with pytest.raises(Infeasible, match="Only 1 of the 3 records"):
        decide(tree, [[0], [], []], KMAnonymity(2, 1))
    decision = decide(tree, [[0], [], []], KMAnonymity(2, 1), leave_out=True)
    assert decision.recoding.nodes.tolist() == [[-1, -1]]
    assert decision.loss == 1
    assert decide(tree, [[], [], []], KMAnonymity(2, 1)).loss == 0
    with pytest.raises(Infeasible, match="There are 2 records"):
        decide(tree, [[0], [0]], KMAnonymity(3, 1))


def test_items_that_the_hierarchy_does_not_have():
    tree = Hierarchy.from_paths([("a", "*"), ("b", "*")])
    table = pa.table({"items": [["a"], ["secret"], ["b", None], ["a"]]})
    problem = SetProblem({"items": tree}, {}, (KMAnonymity(2, 1),))
    with pytest.raises(DataError, match="2 records hold items") as told:
        Apriori().decide(TableEngine(table), problem, lambda progress: None)
    assert "secret" not in str(told.value)


def test_a_missing_label_counts_as_the_most_frequent():
    assert not too_alike({"a": 1, "b": 1}, 2)
    assert too_alike({"a": 1, "b": 1, None: 1}, 2)


def test_the_hash_table_counts_as_the_plain_one(monkeypatch):
    from shoal.data.combinations import Units
    from shoal.kernels.sets import combination_supports as module

    generator = np.random.default_rng(1)
    sizes = generator.integers(0, 25, 300)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    leaves = generator.integers(0, 300, offsets[-1]).astype(np.int32)
    units = Units(
        (300 + np.arange(300) // 10).astype(np.int32),
        np.arange(300, dtype=np.int32),
        (300 + np.arange(300) // 10).astype(np.int32),
        np.arange(330, dtype=np.int32),
    )
    starts, found = module.units_of(offsets, leaves, units.node_of, units.child_of, 330)
    ones = np.ones(300, np.int64)
    plain = module.combination_supports(starts, found, ones, units.parent, 330, 3)
    hashed = module.combination_supports(starts, found, ones, units.parent, 5000, 3)  # more units than there are
    assert _counter(*plain) == _counter(*hashed)
    for size in (1, 2, 3):
        table = np.zeros(300 * 330 ** (size - 1), np.int64)
        for _ in range(2):
            module.add_to_table(starts, found, ones, 300, 330, size, table)
        once = module.combination_supports(starts, found, 2 * ones, units.parent, 330, size)
        assert _counter(*module.in_table(table, units.parent, 330, size)) == _counter(*once)


def _counter(made, counts):
    return dict(zip(map(tuple, made.tolist()), counts.tolist(), strict=True))
