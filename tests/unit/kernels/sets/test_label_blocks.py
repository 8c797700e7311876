"""Blocks in which labels differ: possible whenever no label is too frequent, and never broken."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from oracles.set_oracle import arrays, block_price
from shoal.kernels.sets.block_cuts import cut_into_blocks, weights
from shoal.kernels.sets.label_sequence import label_sequence


@settings(deadline=None, max_examples=400)
@given(
    labels=st.lists(st.integers(0, 6), min_size=2, max_size=40) | st.lists(st.integers(0, 2), min_size=2, max_size=40),
    l=st.integers(2, 5),
)
def test_eligible_labels_can_always_be_divided(labels, l):
    assume(max(Counter(labels).values()) * l <= len(labels))
    cuts, sequence = label_sequence(np.array(labels, np.int32), 7, l)
    assert sorted(sequence) == list(range(len(labels)))
    assert cuts[0] == 0 and cuts[-1] == len(labels)
    for low, high in pairwise(cuts):
        group = [labels[i] for i in sequence[low:high]]
        assert len(set(group)) == len(group) and l <= len(group) < 2 * l


def test_many_alike_in_a_row_do_not_make_it_slow():
    labels = np.repeat(np.arange(4, dtype=np.int32), 50_000)
    cuts, sequence = label_sequence(labels, 4, 3)
    groups = labels[sequence]
    assert all(len(set(groups[a:b])) == b - a >= 3 for a, b in pairwise(cuts))


def allowed(labels, l):
    known = [label for label in labels if label >= 0]
    return bool(known) and max(Counter(known).values()) * l <= len(known)


@settings(deadline=None, max_examples=200)
@given(
    records=st.lists(st.tuples(st.frozensets(st.integers(0, 5)), st.integers(-1, 4)), min_size=2, max_size=10),
    least=st.integers(2, 4),
    l=st.integers(2, 3),
)
def test_labelled_blocks_are_the_cheapest_of_those_allowed(records, least, l):
    sets, labels = [one for one, _ in records], [label for _, label in records]
    most, count = 2 * least + 1, len(records)
    best = {0: (Fraction(0), 0)}
    for end in range(1, count + 1):
        starts = [s for s in range(max(0, end - most), end - least + 1) if s in best and allowed(labels[s:end], l)]
        if starts:
            best[end] = min((best[s][0] + block_price(sets, range(s, end), s), end - s) for s in starts)
    assume(count in best)
    offsets, items = arrays(sets)
    cuts = cut_into_blocks(
        offsets, items, 6, np.arange(count), weights(np.diff(offsets)), least, most, np.array(labels, np.int32), l
    ).tolist()
    found = list(pairwise(cuts))
    assert all(allowed(labels[a:b], l) and least <= b - a <= most for a, b in found)
    assert sum(block_price(sets, range(a, b), a) for a, b in found) == best[count][0]
