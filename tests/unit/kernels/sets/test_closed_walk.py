"""Assignments of a ring: disjoint, complete, and with every edge equally likely after a uniform pick."""

from __future__ import annotations

import os
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.set_oracle import ring_matchings
from shoal.kernels.sets.closed_walk import assignments


@settings(deadline=None)
@given(records=st.integers(1, 40), data=st.data())
def test_rounds_are_disjoint_assignments(records, data):
    k = data.draw(st.integers(1, records))
    rounds = assignments(records, k, os.urandom)
    assert (np.sort(rounds, axis=0) == np.arange(k)[:, None]).all()  # every record makes every step once
    for steps in rounds:
        assert len(set((np.arange(records) + steps) % records)) == records


def test_every_edge_is_as_likely_as_any_other():
    """All k rounds hold each of the n·k edges once, so a uniform pick gives 1/k, whatever the walks do."""
    records, k = 12, 4
    held = sum(
        np.stack([r == step for step in range(k)]) for _ in range(50) for r in assignments(records, k, os.urandom)
    )
    assert (held == 50).all()


@pytest.mark.parametrize(("records", "k"), [(5, 2), (6, 3), (7, 3), (8, 4)])
def test_extraction_reaches_matchings_and_nothing_else(records, k):
    matchings = set(ring_matchings(records, k))
    seen = Counter(tuple(r) for _ in range(600) for r in assignments(records, k, os.urandom))
    assert set(seen) <= matchings
    # all that leave a regular rest are possible; on these small rings every matching does
    assert len(seen) >= min(len(matchings), 20) * 0.9


def test_walks_go_on_when_random_numbers_run_out():
    sizes = iter([4, 8, 4, 40] * 10_000)
    rounds = assignments(9, 4, lambda _: os.urandom(next(sizes)))
    assert (np.sort(rounds, axis=0) == np.arange(4)[:, None]).all()


def test_all_pairs_of_rounds_are_disjoint():
    rounds = assignments(30, 5, os.urandom)
    assert all((a != b).all() for a, b in combinations(rounds, 2))
