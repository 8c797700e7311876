"""Tables with item sets, worked on block by block: the promises hold whatever the blocks are, and delta holds for the whole."""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles import mixed_oracle as oracle
from oracles.random_trees import hierarchies
from properties.mixed.test_mixed_methods import cases, decide, originals, published
from shoal.errors import Infeasible
from shoal.guarantees.k_km_anonymity import KKMAnonymity
from shoal.guarantees.k_lm_diversity import KLMDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.kernels.tables.cut_ends import end_of
from shoal.loss import MIXED_LOSSES
from shoal.loss.mixed.release import MixedRelease
from shoal.methods.mixed.clusters import Prices
from shoal.methods.mixed.coarse import Coarse, cut_up, least_records

QUIET = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], max_examples=150
)
NAMES = ["rum-bound", "tum-bound", "rfirst"]


@st.composite
def flat(draw):
    """Values below one root, few records of each: blocks are cut in the order of the values, and their clusters show the same."""
    values = {name: Hierarchy.from_paths([(f"{name}{leaf}", "*") for leaf in range(9)]) for name in "ab"}
    sets = {"s": Hierarchy.from_paths([(f"i{item}", "*") for item in range(4)])}
    records = draw(st.integers(12, 20))
    table = {"a": [f"a{row % 9}" for row in range(records)]}
    leaves, items = st.integers(0, 1), st.sets(st.sampled_from(sets["s"].labels[:4]), max_size=2).map(sorted)
    table["b"] = [f"b{leaf}" for leaf in draw(st.lists(leaves, min_size=records, max_size=records))]
    table["s"] = draw(st.lists(items, min_size=records, max_size=records))
    table["ill"] = draw(st.lists(st.sampled_from("xyz"), min_size=records, max_size=records))
    return values, sets, table


@QUIET
@given(
    cases() | flat(),
    st.sampled_from(NAMES),
    st.integers(2, 3),
    st.integers(1, 2),
    st.sampled_from(["sets", "hierarchy"]),
    st.sampled_from(["r", "t", "rt"]),
    st.sampled_from(["item-ncp", "ul"]),
    st.integers(2, 8),
    st.sampled_from(["0.3", "0.6", "0.9"]),
)
def test_promises_hold_whatever_the_blocks_are(case, name, k, m, items, merge, loss, most, delta):
    values, _, _ = case
    options = {"items": items, "blocks": most}
    if name.endswith("bound"):
        options |= {"merge": merge, "delta": float(delta)}
    try:
        decision = decide(case, name, [KKMAnonymity(k, m)], loss=loss, **options)
    except Infeasible:
        return
    found = published(decision.recoding)
    assert Counter((raw, own) for members in found.values() for raw, own, _ in members) == Counter(originals(case))
    for members in found.values():
        assert oracle.holds([shown for _, _, shown in members], k, m)
        for _, own, shown in members:
            assert all(any(item in label for label in shown) for item in own)
            assert all(label & own for label in shown)
    shown_by = defaultdict(set)  # a tuple lies in one class with all its records
    for shows, members in found.items():
        for raw, _, _ in members:
            shown_by[raw].add(shows)
    assert all(len(classes) == 1 for classes in shown_by.values())
    release = MixedRelease.of(decision.recoding)
    weights = [Fraction(1, len(values))] * len(values)
    table_loss, item_loss = (MIXED_LOSSES[figure]().of(release, weights) for figure in ("ncp", loss))
    measured = table_loss if name == "tum-bound" else item_loss
    assert float(decision.loss) == pytest.approx(float(measured), abs=1e-9)
    if name == "rum-bound":
        assert table_loss <= Fraction(delta)
    if name == "tum-bound":
        assert item_loss <= Fraction(delta) + Fraction(1, 10**9)


@QUIET
@given(cases() | flat(), st.sampled_from(NAMES), st.integers(2, 3), st.integers(1, 2), st.booleans(), st.integers(2, 8))
def test_diversity_holds_whatever_the_blocks_are(case, name, k, m, of_items, most):
    _, sets, table = case
    kept = {"s": tuple(sets["s"].labels[:2])} if of_items else {}
    options = {"blocks": most} | ({"delta": 1.0} if name.endswith("bound") else {})
    try:
        recoding = decide(case, name, [KLMDiversity(k, 2, m, "s" if of_items else "ill")], kept, **options).recoding
    except Infeasible:
        return
    found = published(recoding)
    every = Counter((raw, own) for members in found.values() for raw, own, _ in members)
    assert every == Counter(originals(case, kept))
    shows = {(raw, own): (one, shown) for one, members in found.items() for raw, own, shown in members}
    classes = defaultdict(list)
    for at, original in enumerate(originals(case, kept)):
        one, shown = shows[original]
        secret = {i for i in table["s"][at] if i in kept["s"]} if of_items else table["ill"][at]
        classes[one].append((shown, secret))
    for members in classes.values():
        told = [secret for _, secret in members]
        if of_items:
            held = [[at for at, secret in enumerate(told) if item in secret] for item in kept["s"]]
        else:
            held = [[at for at, secret in enumerate(told) if secret in (value, None)] for value in [*"xyzwuv", None]]
        assert oracle.holds([shown for shown, _ in members], k, m, held)


@QUIET
@given(cases(), st.sampled_from(NAMES))
def test_one_block_is_no_block(case, name):
    """Blocks that hold all records, and none at all, give the same."""
    options = {"delta": 0.9} if name.endswith("bound") else {}
    made = []
    for blocks in (0, 1000):
        try:
            decision = decide(case, name, [KKMAnonymity(2, 1)], **options, blocks=blocks)
        except Infeasible:
            made.append(None)
            continue
        assert decision.blocks == 0
        made.append({shows: Counter(members) for shows, members in published(decision.recoding).items()})
    assert made[0] == made[1]


def test_clusters_of_two_blocks_that_show_the_same_are_one_class():
    """And their items are mapped together: each block alone would show its own item."""
    tree = Hierarchy.from_paths([(f"a{leaf}", "*") for leaf in range(8)])
    items = Hierarchy.from_paths([("i", "*"), ("j", "*")])
    held = [["i"] if row < 4 else ["j"] for row in range(7)] + [["i"]]
    case = {"a": tree}, {"s": items}, {"a": [f"a{row}" for row in range(8)], "s": held, "ill": ["x"] * 8}
    decision = decide(case, "rfirst", [KKMAnonymity(4, 1)], blocks=4)
    assert (decision.blocks, decision.classes) == (2, 1)
    (members,) = published(decision.recoding).values()
    assert {shown for _, _, shown in members} == {frozenset({frozenset({"i", "j"})})}


@st.composite
def tuples(draw):
    trees = [draw(hierarchies(name)) for name in "ab"[: draw(st.integers(1, 2))]]
    row = st.tuples(*(st.integers(0, tree.leaf_count - 1) for tree in trees))
    rows = draw(st.lists(row, min_size=1, max_size=30, unique=True))
    counts = draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    return trees, np.array(rows, np.int32).reshape(len(rows), -1), np.array(counts, np.int64)


@QUIET
@given(tuples(), st.integers(1, 5), st.integers(2, 20), st.randoms(use_true_random=False))
def test_the_partition(case, k, most, random):
    trees, codes, counts = case
    prices = Prices.of(trees, [Fraction(1, len(trees))] * len(trees), int(counts.sum()))
    least = least_records(k, most)
    tree, blocks = cut_up(prices.nodes, codes, counts, [1.0] * len(trees), least, most)
    numbers = end_of(tree, codes)
    assert set(numbers.tolist()) == set(range(blocks))
    records = np.bincount(numbers, weights=counts)
    assert blocks == 1 or records.min() >= least >= k
    order = list(range(len(codes)))
    random.shuffle(order)
    again, same = cut_up(prices.nodes, codes[order], counts[order], [1.0] * len(trees), least, most)
    assert same == blocks
    assert np.array_equal(end_of(again, codes), numbers)
    columns = {f"c{c}": tree for c, tree in enumerate(trees)}
    sent = pickle.loads(pickle.dumps(Coarse(columns, tree, blocks)))
    assert np.array_equal(end_of(sent.tree, codes), numbers)
