"""The floor: below the best of all groupings, below what every method finds, above the bound by nearest neighbours. And the quick
starts: groups large enough, and merged until they keep every promise."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import random_tables
from oracles.random_tables import frequency_set
from oracles.random_trees import ground_of, loss_of_classes, partitions, tables
from properties.tables.test_grouping_methods import Counted, problem_of, quiet
from properties.tables.test_search import GUARANTEES, breaks
from shoal.errors import Infeasible
from shoal.guarantees import KAnonymity, LDiversity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.kernels.tables.boxes import joint_price
from shoal.methods.tables import auto, starts
from shoal.methods.tables import floor as module
from shoal.methods.tables.auto import Auto
from shoal.methods.tables.cluster import Cluster
from shoal.methods.tables.floor import floor_of
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.merging import merge_failing
from shoal.methods.tables.mondrian import Mondrian
from shoal.methods.tables.mstk import Mstk
from shoal.methods.tables.optimal import Optimal
from shoal.methods.tables.starts import opened, peeled

LOSSES = ["glm", "ncp", "entropy"]


def shared_at_least(ground, k):
    """(tuples,): the price of the box around a record and its (k-1)-th nearest other, the record's equals among them."""
    codes, counts = ground.frequency.codes, ground.frequency.counts
    bound = []
    for one in codes:
        prices = sorted(
            (joint_price(ground.priced, one, other, np.inf), n) for other, n in zip(codes, counts, strict=True)
        )
        bound.append(
            next(
                price
                for price, so_far in zip([p for p, _ in prices], np.cumsum([n for _, n in prices]), strict=True)
                if so_far >= k
            )
        )
    return np.array(bound)


@settings(deadline=None, max_examples=150)
@given(table=tables(rows=7, columns=2), k=st.integers(1, 4), loss=st.sampled_from(LOSSES))
def test_no_grouping_of_a_tiny_table_is_below_the_floor(table, k, loss):
    trees, rows = table
    if len(rows) < k:
        return
    ground = ground_of(trees, rows, k, loss)
    floor = floor_of(ground)
    best = min(loss_of_classes(loss, trees, rows, classes) for classes in partitions(range(len(rows)), k))
    assert floor.loss <= best + (2e-6 if loss == "entropy" else 1e-9)  # bits are counted in fixed point
    assert floor.loss >= 0
    assert (floor.prices >= shared_at_least(ground, k) - 1e-9).all()


@settings(deadline=None, max_examples=100)
@given(table=tables(rows=30), k=st.integers(1, 5), loss=st.sampled_from(LOSSES), work=st.integers(1, 400))
def test_it_is_the_cheapest_shared_box_of_each_record_and_blocks_stay_below(table, k, loss, work):
    trees, rows = table
    if len(rows) < k:
        return
    ground = ground_of(trees, rows, k, loss)
    whole = floor_of(ground)
    assert (whole.prices >= shared_at_least(ground, k) - 1e-9).all()
    times = Counter(rows)
    for i, code in enumerate(map(tuple, ground.frequency.codes.tolist())):
        prices = []
        for box in boxes_around(trees, code):
            inside = sum(
                n
                for row, n in times.items()
                if all(t.first[b] <= r <= t.last[b] for t, b, r in zip(trees, box, row, strict=True))
            )
            if inside >= k:
                prices.append(sum(ground.priced.prices[ground.priced.offsets[c] + b] for c, b in enumerate(box)))
        assert whole.prices[i] == pytest.approx(min(prices), abs=1e-9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_WORK", work)
        blocks = floor_of(ground)
    assert (blocks.prices <= whole.prices + 1e-9).all() and blocks.loss <= whole.loss + 1e-9


def boxes_around(trees, code):
    boxes = [[]]
    for tree, leaf in zip(trees, code, strict=True):
        above = [n for n in range(len(tree.labels)) if tree.first[n] <= leaf <= tree.last[n]]
        boxes = [[*box, node] for box in boxes for node in above]
    return boxes


METHODS = [
    (Optimal(), {}),
    (Mondrian(), {}),
    (Mondrian(), {"mode": "relaxed"}),
    (Cluster(), {}),
    (Mstk(), {}),
    (Auto(), {"budget": 0.05}),
]


@pytest.mark.parametrize(
    ("method", "options"),
    METHODS,
    ids=lambda part: getattr(part, "name", " ".join(map(str, part.values())) if isinstance(part, dict) else ""),
)
@settings(deadline=None, max_examples=40)
@given(
    table=tables(rows=30),
    k=st.integers(2, 5),
    loss=st.sampled_from([*LOSSES, "dm"]),
    limit=st.sampled_from(["0", "0.3"]),
)
def test_no_method_is_below_it(method, options, table, k, loss, limit):
    from dataclasses import replace
    from fractions import Fraction

    trees, rows = table
    if len(rows) < k:
        return
    ground = ground_of(trees, rows, k, loss)
    problem = replace(ground.problem, suppression=Fraction(limit))
    try:
        decision = method.decide(Counted(ground.frequency), problem, quiet, **options)
    except Infeasible:
        return
    assert floor_of(ground).loss <= float(decision.loss) * (1 + 1e-9)
    assert decision.floor is None or decision.floor <= float(decision.loss) * (1 + 1e-9)


def test_a_label_that_stands_at_several_levels():
    """At no level of this file do all values below `g` show it; a class may show it all the same."""
    tree = Hierarchy.from_paths([("a", "g", "*", "*"), ("b", "h", "g", "*"), ("c", "c", "c", "*")])
    ground = ground_of([tree], [(0,), (1,), (2,), (2,)], 2)
    assert floor_of(ground).loss == pytest.approx(0.25)


@pytest.mark.parametrize("nodes", [60_000, 4])
@settings(deadline=None, max_examples=80)
@given(
    table=tables(rows=40), k=st.integers(1, 5), loss=st.sampled_from(LOSSES), members=st.sampled_from([25_000_000, 30])
)
def test_the_quick_starts_form_groups_that_are_large_enough(nodes, table, k, loss, members):
    trees, rows = table
    if len(rows) < k:
        return
    ground = ground_of(trees, rows, k, loss)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(starts, "_NODES", nodes)
        patch.setattr(starts, "_MEMBERS", members)
        peel, levels = peeled(ground)
        open_ = opened(ground, floor_of(ground), levels)
    for groups in (peel, open_):
        assert len(groups) == len(ground.frequency.counts)
        kept = groups >= 0
        sizes = np.bincount(groups[kept], weights=ground.frequency.counts[kept])
        assert (sizes >= k).all()
    assert ground.frequency.counts[peel < 0].sum() < k  # at the top all that is left would be one class
    assert len(levels) and (levels <= [len(ladder) - 1 for ladder in ground.ladders]).all()


@settings(deadline=None, max_examples=40)
@given(table=tables(rows=30), k=st.integers(2, 4), work=st.sampled_from([1, 10**9]))
def test_no_time_to_peel(table, k, work):
    """Then all is left to be cut up, and boxes are opened where the floor is reached, if that is known."""
    trees, rows = table
    if len(rows) < k:
        return
    ground = ground_of(trees, rows, k)
    groups, levels = peeled(ground, 0.0)
    assert (groups == -1).all() and levels.shape == (0, len(trees))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_WORK", work)
        found = opened(ground, floor_of(ground), levels)
    kept = found >= 0
    assert (np.bincount(found[kept], weights=ground.frequency.counts[kept]) >= k).all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auto, "_FEW", 0)
        patch.setattr(auto, "peeled", lambda ground, seconds: peeled(ground, 0.0))
        decision = Auto().decide(Counted(ground.frequency), ground.problem, quiet, budget=0.05)
    assert {attempt.method: attempt.loss for attempt in decision.tried}["peel"] is not None
    assert decision.recoding.over(ground.frequency).class_sizes.min() >= k


def test_too_many_merges_are_not_begun():
    trees = [Hierarchy.from_paths([(f"v{i}", f"g{i // 2}", "*") for i in range(8)])]
    rows = [(i,) for i in range(8) for _ in range(3)]
    frequency = frequency_set(trees, rows, [0] * 23 + [1])
    problem = problem_of(trees, (KAnonymity(2), LDiversity(2, "s")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(auto, "_MERGES", 0)
        decision = Auto().decide(Counted(frequency), problem, quiet, budget=1)
    tried = {attempt.method: attempt for attempt in decision.tried}
    assert tried["peel"].loss is None and tried["peel"].note.startswith("Not tried to the end")
    assert tried["mondrian"].loss == decision.loss == 1


@settings(deadline=None, max_examples=150)
@given(table=random_tables.tables(sensitive=True), promise=st.sampled_from(sorted(GUARANTEES)), data=st.data())
def test_merging_ends_with_every_promise_kept_or_says_that_nothing_can(table, promise, data):
    trees, rows, values = table
    guarantees = GUARANTEES[promise]
    everyone = list(range(len(rows)))
    try:
        ground = Ground.over(frequency_set(trees, rows, values), problem_of(trees, guarantees))
    except Infeasible:
        assert len(rows) < max(g.k for g in guarantees if isinstance(g, KAnonymity))
        return
    tuples = [tuple(code) for code in ground.frequency.codes.tolist()]
    drawn = data.draw(st.lists(st.integers(0, 9), min_size=len(tuples), max_size=len(tuples)))
    try:
        groups = merge_failing(ground, np.array(drawn, np.int32))
    except Infeasible:
        assert any(breaks(g, rows, values, everyone, everyone) for g in guarantees)
        return
    assert sorted(set(groups.tolist())) == list(range(groups.max() + 1))
    assert all(
        groups[i] == groups[j] for i in range(len(tuples)) for j in range(i) if drawn[i] == drawn[j]
    )  # only merged
    for number in range(groups.max() + 1):
        inside = [i for i in everyone if groups[tuples.index(rows[i])] == number]
        assert not any(breaks(g, rows, values, inside, everyone) for g in guarantees)
