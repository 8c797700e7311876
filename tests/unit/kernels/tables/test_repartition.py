"""Dividing a few records anew: as cheap as the best of all divisions, and never a class that is too small."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_trees import ground_of, partitions, tables
from shoal.kernels.tables.boxes import box_price, joint_price, smallest_boxes
from shoal.kernels.tables.repartition import ABSORBED, repartition

LOSSES = ["glm", "ncp", "entropy"]


def class_cost(ground, codes, members):
    box = smallest_boxes(ground.priced, codes[members], np.zeros(len(members), np.int32), 1)[0]
    return len(members) * box_price(ground.priced, box)


def cheapest(ground, codes, absorbed, k):
    """Over every choice of who is absorbed, and every division of the others."""
    records = range(len(codes))
    known = {}
    best = math.inf
    for outside in product((False, True), repeat=len(codes)):
        paid = sum(absorbed[i] for i in records if outside[i])
        inside = [i for i in records if not outside[i]]
        if paid >= best:
            continue
        for classes in partitions(inside, k):
            for members in map(tuple, classes):
                if members not in known:
                    known[members] = class_cost(ground, codes, list(members))
            best = min(best, paid + sum(known[tuple(members)] for members in classes))
    return best


def near(ground, codes, k):
    """What each record pays at least: the price of the box with its (k-1)-th nearest."""
    prices = [sorted(joint_price(ground.priced, a, b, np.inf) for b in codes) for a in codes]
    return np.array([row[min(k, len(codes)) - 1] for row in prices])


@settings(deadline=None, max_examples=250)
@given(
    table=tables(rows=7),
    k=st.integers(1, 4),
    loss=st.sampled_from(LOSSES),
    outside=st.lists(st.one_of(st.just(math.inf), st.floats(0, 1)), min_size=7, max_size=7),
    use_floors=st.booleans(),
    limit=st.one_of(st.just(math.inf), st.floats(0, 3)),
    steps=st.one_of(st.just(10**7), st.integers(1, 60)),
)
def test_it_is_as_cheap_as_the_best_of_all_divisions(table, k, loss, outside, use_floors, limit, steps):
    trees, rows = table
    ground = ground_of(trees, rows, 1, loss)
    codes = np.array(rows, np.int32)
    floors = near(ground, codes, k) if use_floors else np.zeros(len(rows))
    absorbed = np.array(outside[: len(rows)])
    parts = np.full(len(rows), -9, np.int64)
    found = repartition(ground.priced, codes, floors, absorbed, k, limit, steps, parts)
    best = cheapest(ground, codes, absorbed, k)
    if steps == 10**7 and best < limit - 1e-9:
        assert found == pytest.approx(best, abs=1e-9)
    assert found >= min(best, limit) - 1e-9
    if found < limit:  # whatever it says is a division that costs this much
        sizes = Counter(part for part in parts.tolist() if part != ABSORBED)
        assert sorted(sizes) == list(range(len(sizes)))
        assert all(size >= k for size in sizes.values())
        members = [np.flatnonzero(parts == part) for part in sizes]
        cost = absorbed[parts == ABSORBED].sum() + sum(class_cost(ground, codes, inside) for inside in members)
        assert found == pytest.approx(cost, abs=1e-9)
    else:
        assert found == limit


@settings(deadline=None, max_examples=10)
@given(table=tables(rows=8, least=8), k=st.integers(2, 4))
def test_eight_records(table, k):
    trees, rows = table
    ground = ground_of(trees, rows, 1)
    codes = np.array(rows, np.int32)
    absorbed = np.full(8, math.inf)
    parts = np.empty(8, np.int64)
    found = repartition(ground.priced, codes, near(ground, codes, k), absorbed, k, math.inf, 10**7, parts)
    assert found == pytest.approx(cheapest(ground, codes, absorbed, k), abs=1e-9)
