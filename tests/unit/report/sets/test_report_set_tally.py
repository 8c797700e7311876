"""From counts about item sets to what a public report shows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.attacks.sets.crowds import Fitting
from shoal.report import tally
from shoal.report.sets import tally as set_tally


@pytest.mark.parametrize("largest", [6, 9, 15, 400])
def test_the_largest_set_of_somebody_is_not_to_be_seen(largest):
    """Whatever the largest set of a single person, the bins are the same."""
    bins = tally.sizes({1: 40, 2: 30, 3: 20, largest: 1}, {1: 91}, 5)
    assert [(one.low, one.high) for one in bins] == [(0, 0), (1, 1), (2, 2), (3, None)]
    assert bins == tally.sizes({1: 40, 2: 30, 3: 20, 5: 1}, {1: 91}, 5)
    assert bins[-1].before == 21


def test_published_sizes_have_their_bins():
    bins = tally.sizes({1: 9}, {1: 5, 4: 4}, 5)
    assert [one.after for one in bins] == [0, 5, 0, 0, 4]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({2: 4, 3: 6}, {2: 5, 3: 5}),  # one person has an item less
        (
            {1: 10, 2: 10, 3: 10, 4: 10},
            {1: 14, 2: 7, 3: 13, 4: 6},
        ),  # in no bin fewer than 3, in the first two together 1
        ({1: 10, 2: 10}, {1: 10, 2: 9}),  # hidden
    ],
)
def test_few_who_changed_are_not_told_by_subtraction(before, after):
    bins = tally.sizes(before, after, 3)
    assert {one.before for one in bins} == {"withheld"}
    assert sum(one.after for one in bins) == sum(after.values())


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=60), st.integers(0, 5), st.integers(2, 6))
def test_no_row_of_bins_tells_that_few_changed(people, hidden, k):
    """Whatever bins somebody puts together that follow each other: before and after are equal, or k apart."""
    before = Counter(old for old, _ in people)
    after = Counter(new for _, new in people[hidden:])
    bins = tally.sizes(before, after, k)
    for start in range(len(bins)):
        for end in range(start + 1, len(bins) + 1):
            row = bins[start:end]
            if all(isinstance(one.before, int) for one in row):
                assert not 0 < abs(sum(one.before - one.after for one in row)) < k


def test_many_who_changed_are_told():
    bins = tally.sizes({1: 10, 2: 20}, {1: 15, 2: 15}, 5)
    assert [(one.before, one.after) for one in bins] == [(0, 0), (10, 15), (20, 15)]


def test_items_of_one_person_each_look_like_items_of_few():
    """Below k nothing tells whether an item is held by one person or by some."""
    alone, few = (set_tally.supports({held: 60}, {9: 3}, 5) for held in (1, 4))
    assert alone == few
    assert set_tally.supports({1: 60}, {}, 5)[0].high == set_tally.supports({4: 60}, {}, 5)[0].high


def test_thresholds_are_public_and_end_where_they_end():
    assert [(one.low, one.high, one.records) for one in set_tally.thresholds({0: 2, 2: 7})] == [
        (0, 0, 2),
        (1, 1, 0),
        (2, 2, 7),
    ]


@given(st.lists(st.lists(st.integers(1, 8), min_size=30, max_size=30), min_size=1, max_size=4), st.integers(2, 6))
@example([[1] * 10 + [2] * 2 + [8] * 18, [1] * 12 + [8] * 18], 5)
def test_no_small_number_comes_out_by_subtraction(draws, k):
    """Who knows more is left with fewer records that fit. Everybody who is unique to somebody is among those whom few fit, to the
    same and to all who know more: of such numbers, no two that are told differ by fewer than k people."""
    fits = np.sort(np.array(draws), axis=0)[::-1]
    before = [(known, Fitting(one, np.ones(30, np.int64))) for known, one in enumerate(fits, start=1)]
    made = set_tally.attackers(before, [None] * len(before), [True] * len(before), k)
    told = [(one.before.unique, one.before.small) for one in made]
    for place, (unique, small) in enumerate(told):
        inside = [count for pair in told[:place] for count in pair]
        pairs = [(unique, part) for part, _ in told[:place]] + [(small, part) for part in (*inside, unique)]
        pairs += [(unique, 0), (small, 0), (30, unique), (30, small)]
        for whole, part in pairs:
            if isinstance(whole, int) and isinstance(part, int):
                assert not 0 < whole - part < k
