"""The local search, step by step: no class too small, no record lost, boxes and prices as defined, and never dearer than before."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_trees import box_of, ground_of, groupings, tables
from shoal.kernels.tables.boxes import box_price, smallest_boxes
from shoal.kernels.tables.classes import make_classes, total_price
from shoal.kernels.tables.moving import dissolve_classes, move_records
from shoal.kernels.tables.neighbourhood import improve, shown_bits
from shoal.methods.tables import local_search as module
from shoal.methods.tables.floor import floor_of
from shoal.methods.tables.local_search import local_search
from shoal.methods.tables.merging import merge_failing

LOSSES = ["glm", "ncp", "entropy", "dm"]


def quiet(_) -> None:
    pass


@st.composite
def starts(draw, rows=24):
    """A table, a k, and classes of at least k records over its rows."""
    trees, found = draw(tables(rows=rows))
    k = draw(st.integers(1, min(4, len(found))))
    weights = {"a": 0.0} if len(trees) > 1 and draw(st.integers(0, 4)) == 0 else {}
    ground = ground_of(trees, found, k, draw(st.sampled_from(LOSSES)), weights)
    codes = np.array(found, np.int32)
    groups = draw(groupings(len(found), k))
    classes = make_classes(ground.priced, codes, groups, k)
    return SimpleNamespace(trees=trees, rows=found, k=k, ground=ground, codes=codes, groups=groups, classes=classes)


def check(start) -> None:
    """The classes are what their members make them."""
    classes, codes, k, ground = start.classes, start.codes, start.k, start.ground
    seen = []
    for number in range(len(classes.sizes)):
        members, before, record = [], -1, int(classes.head[number])
        while record >= 0:
            assert classes.before[record] == before and classes.class_of[record] == number
            members.append(record)
            before, record = record, int(classes.after[record])
        assert len(members) == classes.sizes[number]
        assert not members or len(members) >= k
        seen += members
        if members:
            box = smallest_boxes(ground.priced, codes[members], np.zeros(len(members), np.int32), 1)[0]
            assert classes.prices[number] == pytest.approx(box_price(ground.priced, box), abs=1e-9)
            wide = [prices_of(ground, c).any() for c in range(len(start.trees))]
            # where nothing is paid for any value, any box will do
            assert (classes.boxes[number] == box)[wide].all()
            around = box_of(start.trees, [start.rows[i] for i in members])
            assert [t.leaves_below(n) for t, n in zip(start.trees, around, strict=True)] == [
                t.leaves_below(int(n)) for t, n in zip(start.trees, box, strict=True)
            ]
    assert sorted(seen) == list(range(len(codes)))
    free = classes.free[: classes.free_count[0]].tolist()
    assert sorted(free) == np.flatnonzero(classes.sizes == 0).tolist()


def prices_of(ground, c):
    h = ground.hierarchies[c]
    return ground.priced.prices[ground.priced.offsets[c] : ground.priced.offsets[c] + len(h.labels)]


@settings(deadline=None, max_examples=250)
@given(
    start=starts(),
    plan=st.lists(st.sampled_from(["move", "dissolve", "improve"]), min_size=1, max_size=6),
    seed=st.integers(1, 99),
)
def test_every_step_keeps_the_promise_and_costs_less(start, plan, seed):
    classes, trees, k = start.classes, start.ground.priced, start.k
    check(start)
    records, rooms = len(start.codes), len(classes.sizes)
    failures = np.zeros(rooms, np.int64)
    floors = np.zeros(records)
    state = np.array([seed], np.uint64)
    paid = total_price(classes)
    for step in plan:
        if step == "move":
            changed = move_records(trees, classes, k, 0, records)
        elif step == "dissolve":
            changed = dissolve_classes(trees, classes, k, 0, rooms)
        else:
            bits = shown_bits(trees, classes)
            changed = improve(trees, classes, floors, failures, bits, k, max(15, 3 * k), 8, 2_000, 10, state)
            assert np.array_equal(bits, shown_bits(trees, classes))
        check(start)
        now = total_price(classes)
        assert now <= paid + 1e-9
        assert not changed or now < paid
        paid = now


@settings(deadline=None, max_examples=250)
@given(data=st.data(), counts=st.lists(st.integers(1, 14), min_size=1, max_size=8), k=st.integers(1, 5))
def test_a_tuple_that_settles_leaves_no_class_too_small(data, counts, k):
    counts = np.array(counts, np.int64)
    groups = data.draw(groupings(len(counts), 1))
    sizes = np.bincount(groups, weights=counts)
    groups = np.unique(np.where(sizes[groups] < k, groups[np.argmax(sizes[groups])], groups), return_inverse=True)[
        1
    ].astype(np.int32)
    if np.bincount(groups, weights=counts).min() < k:
        return
    placed, settled = module._settle(groups, counts, k)
    tuples = np.repeat(np.arange(len(counts)), counts)
    assert len(placed) == len(settled) == counts.sum()
    assert min(Counter(placed.tolist()).values()) >= k
    for number in set(placed.tolist()):
        inside = placed == number
        assert settled[inside].all() or not settled[inside].any()
        if settled[inside].any():
            assert len(set(tuples[inside])) == 1  # nothing is paid there
        assert len(set(tuples[inside])) == 1 or len(set(groups[tuples[inside]])) == 1


@pytest.mark.parametrize("block", [4, 40_000])
@settings(deadline=None, max_examples=60)
@given(table=tables(rows=40), k=st.integers(1, 5), loss=st.sampled_from(LOSSES), use_floor=st.booleans())
def test_the_whole_search_only_improves(block, table, k, loss, use_floor):
    trees, rows = table
    if len(rows) < k:
        return
    ground = ground_of(trees, rows, k, loss)
    tuples = len(ground.frequency.counts)
    groups = merge_failing(ground, np.arange(tuples, dtype=np.int32))
    floors = floor_of(ground).prices if use_floor else np.zeros(tuples)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        patch.setattr(module, "_SMALL_BLOCK", block)
        found = local_search(ground, groups, floors, 0.02, quiet)
    assert np.array_equal(np.bincount(found.tuples, minlength=tuples), ground.frequency.counts)
    assert np.bincount(found.groups).min() >= k
    codes = ground.frequency.codes
    after = cost(ground, codes[found.tuples], found.groups)
    before = cost(ground, codes[found.tuples], groups[found.tuples])
    assert after <= before + 1e-9
    assert not ground._breaks(ground.recoding_of_parts(found.tuples, found.groups).recoded)


def cost(ground, codes, groups):
    boxes = smallest_boxes(ground.priced, codes, groups.astype(np.int32), int(groups.max()) + 1)
    return sum(box_price(ground.priced, boxes[group]) for group in groups)


def test_the_rest_of_a_group_borrows_from_the_tuple_that_could_stand_alone():
    from shoal.hierarchies.hierarchy import Hierarchy

    tree = Hierarchy.from_paths([(f"v{i}", f"g{i // 2}", "*") for i in range(6)])
    rows = [(0, 0)] * 10 + [(1, 1), (3, 2)]
    ground = ground_of([tree, tree], rows, 5)
    found = local_search(ground, np.zeros(3, np.int32), np.zeros(3), 1.0, quiet)
    decision = ground.decide(ground.recoding_of_parts(found.tuples, found.groups))
    assert sorted(decision.recoding.recoded.class_sizes.tolist()) == [5, 7]


def test_it_ends_when_nothing_is_left_to_gain():
    import time

    from shoal.hierarchies.hierarchy import Hierarchy

    tree = Hierarchy.from_paths([(f"v{i}", "*") for i in range(4)])
    ground = ground_of([tree], [(0,), (0,), (1,), (1,), (2,), (3,)], 2)
    started = time.monotonic()
    local_search(ground, np.array([0, 1, 2, 2], np.int32), np.zeros(4), 600.0, quiet)
    assert time.monotonic() - started < 60
