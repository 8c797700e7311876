"""Whom two releases tell apart, against the definition counted person by person; and nobody is missed, whoever was dealt where."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.together.lines import Lines, below, given_away, left

ABSENT = -1
few = st.integers(0, 2)


def lines_of(line, parts):
    """line: of each person. parts: of each line, the class of each of its people; ABSENT: suppressed."""
    counted = [Counter(one for one in classes if one != ABSENT) for classes in parts]
    flat = [(at, n) for one in counted for at, n in sorted(one.items())]
    return Lines(
        np.bincount(line, minlength=len(parts)),
        np.cumsum([0, *map(len, counted)]),
        np.array([at for at, _ in flat], np.int64),
        np.array([n for _, n in flat], np.int64),
    )


def tidy(line):
    """Lines by numbers without gaps."""
    return np.unique(np.array(line, np.int64), return_inverse=True)[1].reshape(-1)


@st.composite
def whole(draw, most=9):
    """A release in which each line lies in one class, or is suppressed: lines, the line and the class of each person."""
    line = tidy(draw(st.lists(st.integers(0, 4), min_size=1, max_size=most)))
    class_of = draw(st.lists(st.integers(ABSENT, 2), min_size=5, max_size=5))
    parts = [[class_of[one]] * int((line == one).sum()) for one in range(line.max() + 1)]
    return lines_of(line, parts), line, np.array(class_of)[line]


@st.composite
def two(draw, release):
    first, second = draw(release), draw(release)
    people = min(len(first[1]), len(second[1]))
    return first, second, people


def groups_below(ours, theirs, k):
    """By definition: who is in both, in a pair of classes that fewer than k share."""
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True)]
    sizes = Counter(pair for pair in pairs if ABSENT not in pair)
    return [ABSENT not in pair and sizes[pair] < k for pair in pairs]


def cut(release, people):
    """The same people in both; whoever is beyond is in one of the two only."""
    _, line, shown = release
    return line[:people], shown[:people]


@settings(max_examples=300)
@given(two(whole()), st.integers(2, 4))
def test_those_in_small_groups_of_both_are_found(releases, k):
    first, second, people = releases
    (line, ours), (other, theirs) = cut(first, people), cut(second, people)
    found = below(first[0], second[0], line, other, k)
    assert found.tolist() == groups_below(ours.tolist(), theirs.tolist(), k)


@settings(max_examples=300)
@given(two(whole()), st.lists(few, min_size=9, max_size=9), st.integers(2, 3))
def test_those_whose_private_fact_is_given_away_are_found(releases, values, l):
    first, second, people = releases
    (line, ours), (other, theirs) = cut(first, people), cut(second, people)
    held = values[:people]
    pairs = list(zip(ours.tolist(), theirs.tolist(), strict=True))
    known = {pair: {v for p, v in zip(pairs, held, strict=True) if p == pair} for pair in pairs}
    found = given_away(first[0], second[0], line, other, np.array(held), l)
    assert found.tolist() == [ABSENT not in pair and len(known[pair]) < l for pair in pairs]


def subtracted(before, after, k):
    """By definition: classes of one release and classes of the other that hold the same people but for those who left; who left is
    given away where they are 1 to k - 1. before, after: the class of each person."""
    people = range(len(before))
    away = set()
    classes = [sorted(set(shown) - {ABSENT}) for shown in (before, after)]
    every = [[some for n in range(len(one) + 1) for some in combinations(one, n)] for one in classes]
    for some, others in product(*every):
        inside, there = {p for p in people if before[p] in some}, {p for p in people if after[p] in others}
        gone = {p for p in inside if after[p] == ABSENT}
        if inside - gone == {p for p in there if before[p] != ABSENT} and 0 < len(gone) < k:
            away |= gone
    return [p in away for p in people]


def in_other(line, people):
    """The line in the other release, of all people of one: -1 beyond those who are in both."""
    return lambda others: np.array([others[p] if p < people else -1 for p in range(len(line))])


@settings(max_examples=300)
@given(two(whole()), st.integers(2, 4))
def test_those_whom_the_difference_gives_away_are_found(releases, k):
    first, second, people = releases
    other = in_other(first[1], people)(second[1])
    after = [int(second[2][p]) if p < people else ABSENT for p in range(len(first[1]))]
    found = left(first[0], second[0], first[1], other, k)
    assert found.tolist() == subtracted(first[2].tolist(), after, k)


@st.composite
def dealt(draw):
    """A release of few people in which lines may lie in several classes: the line of each person, and the classes of each line."""
    line = tidy(draw(st.lists(few, min_size=1, max_size=5)))
    parts = [draw(st.lists(st.integers(ABSENT, 1), min_size=n, max_size=n)) for n in np.bincount(line).tolist()]
    return line, parts


def dealings(line, parts):
    """Every way in which the people of each line can have been dealt out to its classes."""
    for ways in product(*(sorted(set(permutations(classes))) for classes in parts)):
        left_ = [list(way) for way in ways]
        yield [left_[one].pop(0) for one in line.tolist()]


@settings(max_examples=150, deadline=None)
@given(dealt(), dealt(), st.lists(few, min_size=5, max_size=5), st.integers(2, 3))
def test_nobody_is_missed_whoever_was_dealt_where(first, second, values, k):
    (line, parts), (other, other_parts) = first, second
    one, two_ = lines_of(line, parts), lines_of(other, other_parts)
    people = min(len(line), len(other))
    arrays = (one, two_, line[:people], other[:people])
    told = below(*arrays, k)
    away = given_away(*arrays, np.array(values[:people]), k)
    gone = left(one, two_, line, in_other(line, people)(other), k)
    for ours in dealings(line, parts):
        for theirs in dealings(other, other_parts):
            assert not (np.array(groups_below(ours[:people], theirs[:people], k)) & ~told).any()
            pairs = list(zip(ours[:people], theirs[:people], strict=True))
            for p, pair in enumerate(pairs):
                held = {values[q] for q in range(people) if pairs[q] == pair}
                assert away[p] or ABSENT in pair or len(held) >= k
            after = [*theirs[:people], *[ABSENT] * (len(line) - people)]
            assert not (np.array(subtracted(ours, after, k)) & ~gone).any()


@pytest.mark.parametrize("k", [2, 5])
def test_one_release_twice_tells_nobody_apart(k):
    line = np.repeat(np.arange(4), k)
    lines = lines_of(line, [[one] * k for one in range(4)])
    assert not below(lines, lines, line, line, k).any()
    assert not left(lines, lines, line, line, k).any()


def test_one_person_who_left_is_given_away():
    line = np.repeat(np.arange(2), 3)
    before = lines_of(line, [[0] * 3, [1] * 3])
    after = lines_of(line[1:], [[0] * 2, [1] * 3])
    found = left(before, after, line, np.array([-1, *line[1:]]), 2)
    assert found.tolist() == [True, False, False, False, False, False]


def test_tuples_that_were_dealt_out_alike_raise_no_alarm():
    """A hundred people with the same values in two classes, all in one class of the other release."""
    line = np.zeros(100, np.int64)
    split, joined = lines_of(line, [[0] * 60 + [1] * 40]), lines_of(line, [[0] * 100])
    assert not below(split, joined, line, line, 5).any()
