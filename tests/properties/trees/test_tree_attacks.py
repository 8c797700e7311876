"""Attacks on trees: what fits is counted as by hand, a promise that holds is never undercut, and a planted leak is found."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.trees_by_hand import (
    FIRST,
    HIERARCHIES,
    SHAPE,
    forests,
    keeps,
    labels_of,
    on_one_path,
    recodings,
    relations_of,
)
from shoal.attacks.trees.fragments import Known, ShownRecords, TreeAttacker, fragment_risk
from shoal.attacks.trees.negation import attack_by_absence
from shoal.data.trees import Forest
from shoal.errors import InternalError
from shoal.loss.trees.release import TreeRelease
from shoal.recoding.trees.rules import TreeRecoding

QUIET = settings(deadline=None)
RAW = TreeRecoding(SHAPE, HIERARCHIES, tuple(HIERARCHIES[name].levels[0] for name in SHAPE.names))


def label(name, value=0):
    return int(FIRST[SHAPE.names.index(name)]) + value


def counted(forest, counts):
    return Forest(forest.offsets, forest.labels, forest.parents, np.array(counts, np.int64))


@st.composite
def weighted(draw):
    forest = draw(forests())
    return counted(forest, draw(st.lists(st.integers(1, 3), min_size=len(forest), max_size=len(forest))))


def rows(forest):
    """The paths of every record."""
    return [forest.paths(tree) for tree in range(len(forest)) for _ in range(int(forest.records[tree]))]


@given(weighted(), st.data())
@QUIET
def test_what_fits_is_what_fits_by_hand(forest, data):
    shown, paths = ShownRecords(forest), rows(forest)
    assert shown.records == len(paths)
    target = data.draw(st.sampled_from(paths))
    labels = data.draw(st.lists(st.sampled_from(sorted(labels_of(target)) or [0]), unique=True, max_size=3))
    pairs = sorted(pair for pair in relations_of(target) if set(pair) <= set(labels))
    known = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    for path in (False, True):
        fits = [
            set(labels) <= labels_of(one)
            and set(known) <= relations_of(one)
            and (not path or len(labels) < 2 or frozenset(labels) in on_one_path(one, len(labels)))
            for one in paths
        ]
        found = shown.fitting(Known(tuple(labels), tuple(known), path))
        assert [bool(found >> record & 1) for record in range(len(paths))] == fits


@given(weighted(), recodings(), st.integers(2, 4), st.integers(1, 3), st.integers(0, 2))
@QUIET
def test_a_promise_that_holds_is_never_undercut(forest, recoding, k, m, n):
    release = TreeRelease.of(recoding, forest)
    attacker = TreeAttacker(release, np.random.default_rng(3))
    records = rows(release.shown)
    if keeps(records, k, m, n, strict=False):
        assert attacker.attack(m, n, attacks=40).least >= k
    if keeps(records, k, m, n, strict=True):
        assert attacker.attack(m, 0, path=True, attacks=40).least >= k
    assert attacker.attack(9, 99, attacks=20).least >= 1
    assert attacker.attack(9, 99, path=True, attacks=20).least >= 1


@given(weighted(), st.integers(2, 4), st.integers(1, 3), st.integers(0, 2))
@QUIET
def test_risk_is_that_of_the_definition(forest, k, m, n):
    records = rows(forest)
    risk = fragment_risk(ShownRecords(forest), k, m, n)
    known = [(labels_of(paths), relations_of(paths)) for paths in records]

    def rare(labels, relations):
        return any(
            sum(set(some) <= a and set(chosen) <= b for a, b in known) < k
            for size in range(m + 1)
            for some in combinations(sorted(labels), size)
            for number in range(n + 1)
            for chosen in combinations([pair for pair in relations if set(pair) <= set(some)], number)
        )

    assert risk.exact and risk.looked_at == len(records)
    assert risk.at_risk == sum(rare(*one) for one in known)


@given(weighted(), recodings(), st.integers(0, 4), st.sampled_from(["original", "generalized"]))
@QUIET
def test_absent_values_never_rule_out_the_person(forest, recoding, q, values):
    attacker = TreeAttacker(TreeRelease.of(recoding, forest), np.random.default_rng(5))
    found = attack_by_absence(attacker, 2, 1, q, 3, values, attacks=30)
    assert found.least >= 1
    assert sum(found.sizes.values()) == pytest.approx(found.below.rate)


def planted(odd):
    """Fifty alike records, and one that is not."""
    alike = {(label("place"), label("illness"), label("cure")), (label("sex"),)}
    return Forest.of_paths([alike] * 50 + [odd], SHAPE, FIRST)


def test_a_planted_leak_is_found():
    """One value that nobody else has."""
    forest = planted({(label("place"), label("illness"), label("cure")), (label("sex"),), (label("sex", 1),)})
    attacker = TreeAttacker(TreeRelease.of(RAW, forest), np.random.default_rng(7))
    found = attacker.attack(2, 1, attacks=2_000)
    assert found.least == 1 and not found.keeps(2)
    assert 0 < found.below(2).successes < 2_000
    risk = fragment_risk(ShownRecords(forest), 2, 1, 0)
    assert (risk.at_risk, risk.looked_at, risk.exact) == (1, 51, True)


def test_a_leak_of_structure_alone_is_found():
    """Values do not tell the odd one, its relation does."""
    place, other, below = label("place"), label("place", 1), (label("illness"), label("cure"))
    alike = {(place, *below), (other,)}
    others = Forest.of_paths([alike] * 50 + [{(place,), (other, *below)}], SHAPE, FIRST)
    assert fragment_risk(ShownRecords(others), 5, 2, 0).at_risk == 0
    assert fragment_risk(ShownRecords(others), 5, 2, 1).at_risk == 1
    attacker = TreeAttacker(TreeRelease.of(RAW, others), np.random.default_rng(7))
    assert attacker.attack(2, 0, attacks=3_000).least >= 5
    assert attacker.attack(2, 1, attacks=3_000).least == 1


def test_what_pairs_hide_a_path_may_tell():
    """ERRATA 000-5: two relations are common, all three values on one path are not."""
    place, other, illness, cure = label("place"), label("place", 1), label("illness"), label("cure")
    odd = {(place, illness, cure), (other,)}
    common = {(place, illness), (place, cure), (other, illness, cure)}
    forest = Forest.of_paths([odd] + [common] * 9, SHAPE, FIRST)
    attacker = TreeAttacker(TreeRelease.of(RAW, forest), np.random.default_rng(7))
    assert attacker.attack(4, 6, attacks=500).least >= 5
    assert attacker.attack(3, 0, path=True, attacks=500).least == 1


def test_absence_tells_when_values_are_shown_as_they_are():
    """Half have another value besides: who knows that a person has not is left with the other half, unless it is blurred."""
    sex = [label("sex", value) for value in range(4)]
    forest = Forest.of_paths([{(sex[0],)}] * 4 + [{(sex[0],), (sex[2],)}] * 8, SHAPE, FIRST)
    attacker = TreeAttacker(TreeRelease.of(RAW, forest), np.random.default_rng(7))
    everything = len(FIRST) * 4
    raw = attack_by_absence(attacker, 1, 0, everything, 6, "original", attacks=300)
    assert raw.least == 4 and raw.below.successes > 0
    assert raw.breached == pytest.approx(4 * raw.below.rate)
    assert attack_by_absence(attacker, 1, 0, 0, 6, "original", attacks=300).below.successes == 0
    nodes = tuple(HIERARCHIES[name].levels[1 if name == "sex" else 0] for name in SHAPE.names)
    blurred = TreeAttacker(TreeRelease.of(TreeRecoding(SHAPE, HIERARCHIES, nodes), forest), np.random.default_rng(7))
    assert attack_by_absence(blurred, 1, 0, everything, 6, "original", attacks=300).below.successes == 0
    assert attack_by_absence(blurred, 1, 0, everything, 6, "generalized", attacks=300).least == 4
    top = tuple(HIERARCHIES[name].levels[2 if name == "sex" else 0] for name in SHAPE.names)
    hidden = TreeAttacker(TreeRelease.of(TreeRecoding(SHAPE, HIERARCHIES, top), forest), np.random.default_rng(7))
    assert attack_by_absence(hidden, 1, 0, everything, 6, "generalized", attacks=300).below.successes == 0


def test_nobody_can_be_attacked_in_an_empty_release():
    with pytest.raises(InternalError, match="needs a record"):
        TreeAttacker(TreeRelease.of(RAW, Forest.of_paths([], SHAPE, FIRST)))
