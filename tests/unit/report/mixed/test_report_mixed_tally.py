"""What is told of attackers who know values and items: no number of people below k, neither printed nor by subtraction."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.mixed.crowds import knowing_both, knowing_both_all
from shoal.report.masking import BELOW_K
from shoal.report.mixed import tally as mixed_tally
from shoal.report.sets import tally as set_tally
from shoal.report.tables import tally

ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.frozensets(st.integers(0, 5), max_size=4), st.integers(1, 9)),
    min_size=1,
    max_size=14,
)


def _found(rows):
    sets = [sorted(items) for _, items, _ in rows]
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    items = np.array([item for one in sets for item in one], np.int32)
    arrays = np.array([row[0] for row in rows], np.int64), offsets, items, np.array([row[2] for row in rows], np.int64)
    return [*knowing_both(*arrays), knowing_both_all(*arrays)]


def _risk(rows, k):
    classes = Counter()
    for number, _, count in rows:
        classes[number] += count
    return tally.risk(Counter(classes.values()), {int(sum(classes.values())): 1}, k)


def _by_subtraction(told, total):
    """told: (unique, small) of each attacker, who knows less first. All differences of numbers of which one holds the other."""
    for i, (unique, small) in enumerate(told):
        for j, (more_unique, more_small) in enumerate(told[i:], start=i):
            yield from (
                ((more_unique, unique), (more_small, unique), (more_small, small)) if j > i else ((small, unique),)
            )
        yield from ((total, unique), (total, small))


@settings(deadline=None, max_examples=300)
@given(ROWS, st.integers(2, 6))
def test_no_small_number_comes_out(rows, k):
    found, total = _found(rows), sum(row[2] for row in rows)
    risk = _risk(rows, k)
    known = list(zip((0, 1, 2, 3, None), found, strict=True))
    made = mixed_tally.attackers(risk, known, found, [True] * 5, k)
    told = []
    for attacker, one in zip(made, found, strict=True):
        odds = attacker.before
        for number, true in ((odds.unique, one.unique), (odds.small, one.below(k))):
            assert not isinstance(number, int) or (number == true and not 0 < number < k)
            assert number != BELOW_K or true < k
        told.append((odds.unique, odds.small))
    below = sum(place.before for place in risk.sizes if place.low < k and isinstance(place.before, int))
    pairs = [*_by_subtraction(told, total), *((small, below) for _, small in told[1:])]
    for whole, part in pairs:
        if isinstance(whole, int) and isinstance(part, int):
            assert not 0 < whole - part < k
    for at, true in enumerate((found[0].unique, found[0].below(k))):
        if not isinstance(told[0][at], int):  # hidden: nobody says that it is as large
            assert not any(isinstance(one[at], int) and one[at] - true < k for one in told[1:])
    assert told[0][0] == risk.before.uniques
    assert all(one.after == set_tally.public_odds(fits, k) for one, fits in zip(made, found, strict=True))


@settings(deadline=None, max_examples=300)
@given(ROWS, st.integers(2, 6))
def test_nor_of_those_who_know_items_alone(rows, k):
    rows = [(0, items, count) for _, items, count in rows]
    found = _found(rows)[1:]
    made = set_tally.attackers(list(zip((1, 2, 3, None), found, strict=True)), [None] * 4, [True] * 4, k)
    told = [(one.before.unique, one.before.small) for one in made]
    for whole, part in _by_subtraction(told, sum(row[2] for row in rows)):
        if isinstance(whole, int) and isinstance(part, int):
            assert not 0 < whole - part < k


def test_what_the_class_sizes_hide_does_not_come_out_of_who_knows_more():
    """103 people of 200 stand in small classes, three of them not alone. Nobody has an item: whoever knows some knows no more."""
    rows = [*((i, frozenset(), 1) for i in range(100)), (100, frozenset(), 3), (101, frozenset(), 97)]
    found = _found(rows)
    known = list(zip((0, 1, 2, 3, None), found, strict=True))
    made = mixed_tally.attackers(_risk(rows, 5), known, found, [True] * 5, 5)
    assert [one.before.unique for one in made] == ["withheld"] * 5
    assert made[0].before.small == 103


def test_a_hidden_zero_does_not_come_out():
    """Nobody stands alone, and some classes of few are there: which ones is hidden."""
    rows = [(0, frozenset({1}), 3), (1, frozenset({1}), 9), (2, frozenset({2}), 9)]
    found = _found(rows)
    made = mixed_tally.attackers(
        _risk(rows, 5), list(zip((0, 1, 2, 3, None), found, strict=True)), found, [True] * 5, 5
    )
    assert made[0].before.unique != 0 and all(one.before.unique != 0 for one in made)
