"""The floor with class mates: never above the best of all groupings of tiny tables, never below the floor without."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_trees import ground_of, loss_of_classes, partitions, tables
from shoal.kernels.tables.boxes import joint_price
from shoal.kernels.tables.mates import raise_shares
from shoal.methods.tables.floor import floor_of
from shoal.methods.tables.mates import floor_with_mates


@settings(deadline=None, max_examples=150)
@given(
    table=tables(rows=7, columns=2),
    k=st.integers(2, 4),
    loss=st.sampled_from(["glm", "ncp", "entropy"]),
    most=st.integers(1, 7),
    passes=st.integers(1, 3),
)
def test_no_grouping_of_a_tiny_table_is_below_it(table, k, loss, most, passes):
    trees, rows = table
    if len(rows) < k:
        return
    ground = ground_of(trees, rows, k, loss)
    floor = floor_of(ground)
    higher = floor_with_mates(ground, floor, most, passes)
    best = min(loss_of_classes(loss, trees, rows, classes) for classes in partitions(range(len(rows)), k))
    assert floor.loss <= higher <= best + (2e-6 if loss == "entropy" else 1e-9)  # bits are counted in fixed point


def bound_of(ground, floors, shares, k):
    """The claim as it stands, record by record."""
    records = np.repeat(np.arange(len(floors)), ground.frequency.counts).tolist()
    codes = ground.frequency.codes
    bound = sum(shares[r] for r in records)
    for i, r in enumerate(records):
        for s in records[:i]:
            least = max(floors[r], floors[s], joint_price(ground.priced, codes[r], codes[s], np.inf))
            bound -= max(0.0, shares[r] + shares[s] - 2 * least) / (k - 1)
    return bound


@settings(deadline=None, max_examples=60)
@given(table=tables(rows=9, columns=2), k=st.integers(2, 4), passes=st.integers(1, 2))
def test_the_kernel_gains_what_the_claim_says(table, k, passes):
    trees, rows = table
    if len(rows) < k:
        return
    ground = ground_of(trees, rows, k, "glm")
    floors = floor_of(ground).prices
    counts, shares = ground.frequency.counts.astype(np.int64), floors.copy()
    which = np.arange(len(floors), dtype=np.int64)
    gained = 0.0
    for _ in range(passes):
        gained += raise_shares(ground.priced, ground.frequency.codes, counts, floors, shares, which, k)
    before, after = (bound_of(ground, floors, u, k) for u in (floors, shares))
    assert gained >= 0 and after - before == pytest.approx(gained, abs=1e-9)
