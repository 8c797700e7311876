"""Whom two releases tell apart by things that are known of people, against the definition counted person by person."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.together.changes import left_by_things
from shoal.attacks.together.crowds import ALL, Sight, crowd
from shoal.attacks.together.lines import Lines
from shoal.attacks.together.marks import NONE, Marks, Ragged
from shoal.kernels.sets.few_fit import ENOUGH, FEW, NOT_LOOKED_AT

ITEMS = 4


class Person:
    """Of one release: what each item is shown as (None: left out), what else the record shows, and the class."""

    def __init__(self, items, shows, chains, place):
        self.items, self.shows, self.chains, self.place = items, shows, chains, place

    def shown(self):
        return {self.shows[item] for item in self.items} - {None} | set(self.chains)

    def known(self, chosen):
        """What the record shows of these items, and the chains all of whose members are among it."""
        marks = {self.shows[item] for item in chosen if item in self.items} - {None}
        return marks | {chain for chain in self.chains if set(chain) <= marks}


@st.composite
def release(draw, sets, items):
    """Every different set of items is a line, in one class, with labels of a way that depends on its items."""
    ways = draw(
        st.lists(st.lists(st.sampled_from([None, 0, 1, 2]), min_size=ITEMS, max_size=ITEMS), min_size=1, max_size=2)
    )
    different = sorted(set(sets))
    kinds = {}
    for one in different:
        held = [item for item in one if item in items]
        way = ways[sum(one) % len(ways)]
        marks = {way[item] for item in held} - {None}
        pairs = [pair for pair in combinations(sorted(marks), 2) if draw(st.booleans())]
        kinds[one] = Person(held, way, pairs, draw(st.integers(0, 1)))
    return [kinds[one] for one in sets]


def sight_of(people, sets):
    """The same as arrays; chains are numbered after the labels."""
    different = sorted(set(sets))
    line = np.array([different.index(one) for one in sets], np.int64)
    first = [people[sets.index(one)] for one in different]
    chains = sorted({chain for one in people for chain in one.chains})
    count = np.bincount(line, minlength=len(different)).astype(np.int64)
    everyone = np.arange(len(different) + 1, dtype=np.int64)
    lines = Lines(count, everyone, np.array([one.place for one in first], np.int64), count)
    marks = Marks(
        pa.array([bytes([item]) for item in range(ITEMS)], pa.binary()),
        Ragged.of(one.items for one in first),
        Ragged.of([NONE if one.shows[item] is None else one.shows[item] for item in one.items] for one in first),
        Ragged.empty(len(different)),
        np.full(len(different), NONE, np.int64),
        Ragged.of(chains),
        np.arange(3, 3 + len(chains), dtype=np.int64),
        Ragged.of([chains.index(chain) for chain in one.chains] for one in first),
    )
    return Sight(lines, marks), line


@st.composite
def two(draw):
    """Two releases of the same people; the second may know of other items."""
    item_set = st.sets(st.integers(0, ITEMS - 1), max_size=ITEMS).map(lambda one: tuple(sorted(one)))
    sets = draw(st.lists(item_set, min_size=1, max_size=9))
    items = draw(st.sets(st.integers(0, ITEMS - 1))), draw(st.sets(st.integers(0, ITEMS - 1)))
    return sets, [draw(release(sets, one)) for one in items]


def told_apart(sets, releases, m, k, values=None, l=0):
    """By definition: every choice of up to m items, the empty one too."""
    first, second = releases
    people = range(len(sets))

    def candidates(person, chosen):
        return [
            one
            for one in people
            if all(
                side[one].place == side[person].place and side[person].known(chosen) <= side[one].shown()
                for side in (first, second)
            )
        ]

    found = []
    for person in people:
        choices = [chosen for size in range(m + 1) for chosen in combinations(sets[person], size)]
        left = [candidates(person, chosen) for chosen in choices]
        few = any(len(one) < k for one in left)
        found.append(few or any(values is not None and len({values[x] for x in one}) < l for one in left))
    return found


@settings(max_examples=400)
@given(two(), st.integers(1, 3), st.integers(2, 4))
def test_those_whom_few_fit_in_both_are_found(case, m, k):
    sets, releases = case
    (first, ours), (second, theirs) = (sight_of(one, sets) for one in releases)
    found = crowd(first, second, ours, theirs, m, k)
    assert set(found.tolist()) <= {ENOUGH, FEW}
    assert (found == FEW).tolist() == told_apart(sets, releases, m, k)


@settings(max_examples=200)
@given(two(), st.integers(1, 2), st.lists(st.integers(0, 2), min_size=9, max_size=9), st.integers(2, 3))
def test_those_whose_private_fact_is_given_away_are_found(case, m, values, l):
    sets, releases = case
    values = values[: len(sets)]
    (first, ours), (second, theirs) = (sight_of(one, sets) for one in releases)
    found = crowd(first, second, ours, theirs, m, 1, values=np.array(values), l=l)
    assert (found == FEW).tolist() == told_apart(sets, releases, m, 1, values, l)


@settings(max_examples=150)
@given(two(), st.integers(2, 3))
def test_everything_known_is_the_same_as_all_items(case, k):
    sets, releases = case
    (first, ours), (second, theirs) = (sight_of(one, sets) for one in releases)
    found = crowd(first, second, ours, theirs, ALL, k)
    assert (found == FEW).tolist() == told_apart(sets, releases, ITEMS, k)


@settings(max_examples=150)
@given(two(), st.integers(1, 2), st.integers(2, 3), st.integers(0, 30))
def test_beyond_the_budget_nobody_is_said_to_be_safe(case, m, k, budget):
    sets, releases = case
    (first, ours), (second, theirs) = (sight_of(one, sets) for one in releases)
    found = crowd(first, second, ours, theirs, m, k, budget=budget)
    for answer, truth in zip(found.tolist(), told_apart(sets, releases, m, k), strict=True):
        assert answer == NOT_LOOKED_AT or truth == (answer == FEW)


@settings(max_examples=150)
@given(st.data())
def test_nobody_is_missed_however_people_were_dealt_out(data):
    """People of the same set lie in two classes, nobody knows who where: whoever is told apart by one dealing is found."""
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=2))
    line = np.repeat(np.arange(len(sizes)), sizes)
    items = [data.draw(st.sets(st.integers(0, 1), min_size=1)) for _ in sizes]
    sights, dealt = [], []
    for _ in range(2):
        split = [data.draw(st.integers(0, size)) for size in sizes]  # so many of the line in class 0
        parts = [[(c, n) for c, n in ((0, a), (1, size - a)) if n] for a, size in zip(split, sizes, strict=True)]
        flat = [(c, n, number) for number, one in enumerate(parts) for c, n in one]
        lines = Lines(
            np.array(sizes, np.int64),
            np.cumsum([0, *map(len, parts)]).astype(np.int64),
            np.array([c for c, _, _ in flat], np.int64),
            np.array([n for _, n, _ in flat], np.int64),
        )
        marks = Marks(
            pa.array([b"a", b"b"], pa.binary()),
            Ragged.of(sorted(one) for one in items),
            Ragged.of(sorted(items[number]) for _, _, number in flat),
            Ragged.empty(len(flat)),
            np.full(len(sizes), NONE, np.int64),
        )
        sights.append(Sight(lines, marks))
        classes = [[0] * a + [1] * (size - a) for a, size in zip(split, sizes, strict=True)]
        dealt.append([[c for part in one for c in part] for one in product(*(_orders(one) for one in classes))])
    found = crowd(*sights, line, line, 1, 2) == FEW
    for ours, theirs in product(*dealt):
        for person, number in enumerate(line.tolist()):
            for item in items[number]:
                same = [
                    x
                    for x, other in enumerate(line.tolist())
                    if (ours[x], theirs[x]) == (ours[person], theirs[person]) and item in items[other]
                ]
                assert len(same) >= 2 or found[person]


def _orders(classes):
    """All ways to deal out so many of each."""
    ones = sum(classes)
    return [[int(i in chosen) for i in range(len(classes))] for chosen in combinations(range(len(classes)), ones)]


def test_a_record_that_may_stand_for_several_originals():
    """As in a ring: of everybody it is known which original they are, and a record shows all it may stand for."""
    everyone = np.arange(4, dtype=np.int64)
    one = np.ones(4, np.int64)
    lines = Lines(one, np.arange(5, dtype=np.int64), np.zeros(4, np.int64), one)

    def ring(step):
        edges = Ragged.of(sorted({c, (c + step) % 4}) for c in range(4))
        marks = Marks(pa.array([], pa.binary()), Ragged.empty(4), Ragged.empty(4), edges, everyone)
        return Sight(lines, marks)

    assert not (crowd(ring(1), ring(1), everyone, everyone, ALL, 2) == FEW).any()
    assert (crowd(ring(1), ring(2), everyone, everyone, ALL, 2) == FEW).all()


@pytest.mark.parametrize("m", [1, 2])
def test_nobody_in_both(m):
    nothing = Sight.nothing(0)
    none = np.zeros(0, np.int64)
    assert not len(crowd(nothing, nothing, none, none, m, 2))


@settings(max_examples=200)
@given(two(), st.lists(st.booleans(), min_size=9, max_size=9), st.integers(1, 2), st.integers(2, 3))
def test_those_who_left_and_whom_few_others_fit_are_found(case, stays, m, k):
    """By definition: candidates are those who left as well, in the same class, and whose records show what the person's shows."""
    sets, (people, _) = case
    sight, line = sight_of(people, sets)
    stays = np.array(stays[: len(sets)])
    found = left_by_things(sight, sight, line, np.where(stays, line, -1), m, k)
    for person, one in enumerate(people):
        left = [x for x in range(len(people)) if not stays[x] and people[x].place == one.place]
        few = not stays[person] and any(
            sum(one.known(chosen) <= people[x].shown() for x in left) < k
            for size in range(m + 1)
            for chosen in combinations(sets[person], size)
        )
        assert (found[person] == FEW) == few
