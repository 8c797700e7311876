"""Votes, blocks and rings of item sets against the definition."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.set_oracle import arrays, base_of, best_blocks, block_price, differ_of
from shoal.kernels.sets.block_cuts import cut_into_blocks, weights
from shoal.kernels.sets.voting import tie, vote

UNIVERSE = 7
NO_LABELS = np.empty(0, np.int32)
SETS = st.lists(st.frozensets(st.integers(0, UNIVERSE - 1)), min_size=2, max_size=12)


@settings(deadline=None)
@given(sets=SETS, data=st.data())
def test_votes(sets, data):
    offsets, items = arrays(sets)
    groups = data.draw(st.lists(st.lists(st.integers(0, len(sets) - 1), min_size=1, max_size=6), max_size=5))
    names = np.array([data.draw(st.integers(0, 1000)) for _ in groups], np.int64)
    starts = np.cumsum([0, *map(len, groups)], dtype=np.int64)
    members = np.array([m for group in groups for m in group], np.int64)
    shown = vote(offsets, items, UNIVERSE, starts, members, names)
    for g, group in enumerate(groups):
        inside = [sets[m] for m in group]
        base = base_of(inside, names[g])
        apart = [len(one ^ base) for one in inside]
        assert shown.base[shown.base_starts[g] : shown.base_starts[g + 1]].tolist() == sorted(base)
        assert shown.differ[shown.differ_starts[g] : shown.differ_starts[g + 1]].tolist() == sorted(differ_of(inside))
        assert shown.apart[starts[g] : starts[g + 1]].tolist() == apart
        assert shown.at_most[g] == max(apart)


@settings(deadline=None)
@given(sets=SETS, k=st.integers(1, 4), data=st.data())
def test_blocks_are_the_cheapest(sets, k, data):
    if len(sets) < k:
        return
    offsets, items = arrays(sets)
    order = np.array(data.draw(st.permutations(range(len(sets)))))
    cuts = cut_into_blocks(
        offsets, items, UNIVERSE, order, weights(np.diff(offsets)), k, 2 * k - 1, NO_LABELS, 0
    ).tolist()
    sizes = np.diff(cuts)
    assert cuts[0] == 0 and cuts[-1] == len(sets) and sizes.min() >= k and sizes.max() <= 2 * k - 1
    price = sum(block_price(sets, order[a:b], a) for a, b in pairwise(cuts))
    assert price == best_blocks(sets, order, k)


@settings(deadline=None)
@given(blocks=st.integers(1, 4), k=st.integers(1, 4), data=st.data())
def test_a_ring_costs_the_mean_of_its_aligned_blocks(blocks, k, data):
    size = blocks * k
    sets = data.draw(st.lists(st.frozensets(st.integers(0, UNIVERSE - 1)), min_size=size, max_size=size))
    offsets, items = arrays(sets)
    windows = (np.arange(size)[:, None] + np.arange(k)) % size
    shown = vote(offsets, items, UNIVERSE, np.arange(size + 1) * k, windows.ravel(), np.arange(size))
    lengths = np.maximum(np.diff(offsets), 1)[windows.ravel()]
    ring = sum(Fraction(int(a), int(b)) for a, b in zip(shown.apart, lengths, strict=True)) / k
    aligned = [
        sum(block_price(sets, [(s + i) % size for i in range(k)], s % size) for s in range(offset, size + offset, k))
        for offset in range(k)
    ]
    assert ring == sum(aligned) / k
    assert min(aligned) <= ring


def test_weights_are_exact_while_they_can_be():
    lengths = np.array([0, 1, 2, 3, 12])
    ratios = weights(lengths)
    assert (ratios * np.maximum(lengths, 1) == ratios[0]).all()
    many = weights(np.arange(1, 400))
    assert (np.abs(many * np.arange(1, 400) / many[0] - 1) < 1e-6).all()


def test_ties_go_both_ways():
    share = np.mean([tie(item, group) for item in range(300) for group in range(300)])
    assert abs(share - 0.5) < 0.01
    by_group = [np.mean([tie(item, group) for item in range(300)]) for group in range(100)]
    by_item = [np.mean([tie(item, group) for group in range(300)]) for item in range(100)]
    assert min(by_group + by_item) > 0.35 and max(by_group + by_item) < 0.65
