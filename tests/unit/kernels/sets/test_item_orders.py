"""Orders of item sets against bitmaps and enumeration."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracles.set_oracle import arrays, cyclic_length, gray_rank
from shoal.kernels.sets.differences import differences
from shoal.kernels.sets.gray_order import gray_order
from shoal.kernels.sets.hamming import cyclic_sum, steps_along
from shoal.kernels.sets.segments import segments
from shoal.kernels.sets.tour import GIVEN, NEAREST, shorten


def sets_of(universe, least=0, most=40):
    return st.lists(st.frozensets(st.integers(0, universe - 1)), min_size=least, max_size=most)


@settings(deadline=None)
@given(sets=sets_of(6) | sets_of(70), wide=st.booleans())
@example(sets=[frozenset({0, 1, 2}), frozenset({0, 1, 2, 3})], wide=True)  # one ends where a word ends
def test_gray_order_is_that_of_the_bitmaps(sets, wide):
    universe = 1 << 20 if wide else 70  # few places to a word, or many
    offsets, items = arrays(sets)
    by_rank = sorted(range(len(sets)), key=lambda i: (gray_rank(sets[i], 70), i))
    assert gray_order(offsets, items, universe).tolist() == by_rank


@settings(deadline=None)
@given(sets=sets_of(9, least=2))
def test_distances(sets):
    offsets, items = arrays(sets)
    order = np.arange(len(sets))
    apart = differences(offsets, items, order, np.full(9, -1))
    assert apart.tolist() == [[len(a ^ b) for b in sets] for a in sets]
    assert cyclic_sum(offsets, items, order) == cyclic_length(sets, order.tolist())


@settings(deadline=None)
@given(steps=st.lists(st.integers(0, 9), min_size=1, max_size=14), least=st.integers(1, 5), more=st.integers(0, 3))
def test_segments_are_the_cheapest(steps, least, more):
    most = least + more
    cuts = segments(np.array(steps), least, most).tolist()
    assert cuts[0] == 0 and cuts[-1] == len(steps)
    ways = {0: [[0]]}
    for end in range(1, len(steps) + 1):
        ways[end] = [[*w, end] for size in range(least, most + 1) if size <= end for w in ways[end - size]]
    if ways[len(steps)]:
        assert cuts in ways[len(steps)]

        def price(way):
            return sum(steps[cut - 1] for cut in way[1:-1])

        assert price(cuts) == min(map(price, ways[len(steps)]))
    else:
        sizes = np.diff(cuts)
        assert len(sizes) == -(-len(steps) // most) and sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("start", [GIVEN, NEAREST])
@settings(deadline=None)
@given(sets=sets_of(8, least=4, most=30), data=st.data())
def test_a_tour_keeps_ends_and_gets_no_longer(start, sets, data):
    offsets, items = arrays(sets)
    order = np.array(data.draw(st.permutations(range(len(sets)))))
    cut = data.draw(st.integers(1, len(sets) - 1))
    cuts = np.array([0, cut, len(sets)])
    tour = shorten(offsets, items, 8, order, cuts, start, 3)
    for low, high in ((0, cut), (cut, len(sets))):
        assert sorted(tour[low:high]) == sorted(order[low:high])
        assert tour[low] == order[low] and tour[high - 1] == order[high - 1]
        inside = slice(low, high - 1)
        assert steps_along(offsets, items, tour)[inside].sum() <= steps_along(offsets, items, order)[inside].sum()


@settings(deadline=None)
@given(sets=sets_of(7, least=4, most=7))
def test_short_tours_are_nearly_the_shortest(sets):
    offsets, items = arrays(sets)
    order = np.arange(len(sets))
    tour = shorten(offsets, items, 7, order, np.array([0, len(sets)]), NEAREST, 20).tolist()

    def length(path):
        return sum(len(sets[a] ^ sets[b]) for a, b in pairwise(path))

    least = min(length((0, *inner, len(sets) - 1)) for inner in permutations(range(1, len(sets) - 1)))
    assert length(tour) == least
