"""Every attack finds a planted leak, keeps to the promise where it holds, and agrees with a plain count."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.attack import Attack, picking, simulate
from shoal.attacks.downcoding import downcoding
from shoal.attacks.meter import Meter
from shoal.attacks.private import GroupedFacts, homogeneity, inference, negation
from shoal.attacks.sets.crowds import knowing, knowing_all
from shoal.attacks.sets.linkage import absent_items, known_items
from shoal.attacks.tables.composition import Together
from shoal.attacks.tables.linkage import journalist, journalist_with_register, marketer, prosecutor
from shoal.attacks.tables.minimality import minimality
from shoal.attacks.trees.guesses import FragmentGuesses
from shoal.data.trees import Forest


def facts_of(records, missing=None):
    """From (group, value) of every record."""
    counted = sorted(Counter(records).items())
    groups, values = (np.array([key[at] for key, _ in counted], np.int64) for at in (0, 1))
    return GroupedFacts(groups, values, np.array([number for _, number in counted], np.int64), missing)


# ---- linkage --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("one", [prosecutor, marketer, lambda sizes, k: journalist(sizes, k, 5_000)])
def test_linkage_keeps_to_the_promise_where_classes_are_large(one):
    attack = one(np.full(40, 25), 25)
    assert attack.kept
    assert attack.meter.attacks >= 10_000
    assert attack.baseline < attack.meter.rate or attack.name.startswith("journalist")


def test_the_prosecutor_finds_one_person_who_stands_alone():
    attack = prosecutor(np.array([1, *[50] * 100]), 5)
    assert attack.meter.rate == 1
    assert attack.kept is False


def test_the_marketer_finds_that_many_stand_alone():
    attack = marketer(np.array([1] * 50 + [5] * 10), 5)
    assert attack.kept is False
    assert attack.meter.rate == pytest.approx(60 / 100, abs=0.03)


def test_the_journalist_finds_that_all_of_a_population_are_there():
    sizes = np.ones(100, np.int64)
    assert journalist(sizes, 5, 100).meter.rate == 1
    assert journalist(sizes, 5, 100_000).meter.rate < 0.05
    register = journalist_with_register(sizes, np.ones(100, np.int64), 5, 100)
    assert register.meter.rate == 1
    assert register.kept is False
    assert not register.public
    assert journalist_with_register(sizes, np.full(100, 40), 5, 4_000).kept


def test_a_register_that_names_nobody_helps_nobody():
    assert journalist_with_register(np.full(4, 5), np.zeros(4, np.int64), 5, 10).meter.successes == 0


# ---- private facts --------------------------------------------------------------------------------------------------


def test_homogeneity_finds_a_group_with_one_value():
    leak = facts_of([(0, 1)] * 5 + [(1, 1), (1, 2), (1, 3)])
    attack = homogeneity(leak, "illness", 2)
    assert (attack.meter.successes, attack.meter.attacks) == (5, 8)
    assert attack.kept is False
    fine = facts_of([(0, 1), (0, 2), (1, 1), (1, 3)])
    assert homogeneity(fine, "illness", 2).kept


def test_a_missing_value_does_not_hide_that_all_others_are_the_same():
    assert homogeneity(facts_of([(0, 1), (0, 9)], missing=9), "illness", 2).meter.rate == 1


@pytest.mark.parametrize("ruled_out", [1, 2, 3, 4])
def test_negation_finds_groups_with_few_values(ruled_out):
    records = [(0, value) for value in range(ruled_out + 1)] + [(1, value) for value in range(ruled_out + 2)]
    attack = negation(facts_of(records), "illness", ruled_out, ruled_out + 2)
    assert attack.meter.successes == ruled_out + 1
    assert attack.kept is False
    assert negation(facts_of(records[ruled_out + 1 :]), "illness", ruled_out, ruled_out + 2).kept


def test_inference_beats_its_baseline_and_control_where_a_record_gives_itself_away():
    leak = facts_of([(person // 2, person) for person in range(100)])  # two strangers in every group
    attack = inference(leak, "illness")
    assert attack.meter.rate == 0.5
    assert attack.control is not None
    assert attack.control.rate == 0
    assert attack.baseline == 0.01


def test_what_is_true_of_people_like_them_is_in_the_control_too():
    attack = inference(facts_of([(0, 1)] * 50 + [(1, 2)] * 50), "illness")
    assert attack.meter.rate == attack.control.rate == 1
    assert attack.baseline == 0.5


def test_a_bound_by_t_closeness():
    close = facts_of([(0, 1)] * 60 + [(0, 2)] * 40 + [(1, 1)] * 40 + [(1, 2)] * 60)  # 0.1 from half and half
    assert inference(close, "illness", 0.1).kept is True
    assert inference(close, "illness", 0.1).meter.rate == inference(close, "illness", 0.1).bound
    assert inference(facts_of([(0, 1)] * 900 + [(1, 2)] * 900), "illness", 0.1).kept is False


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_guesses_are_those_of_a_plain_count(records):
    facts = facts_of(records)

    def best(values):
        return min(Counter(values).items(), key=lambda one: (-one[1], one[0]))[0] if values else None

    guessed = without = 0
    for number, (group, value) in enumerate(records):
        mates = [v for g, v in records if g == group]
        guessed += best(mates) == value
        others = [(g, v) for at, (g, v) in enumerate(records) if at != number]
        without += best([v for g, v in others if g == group] or [v for _, v in others]) == value
    assert facts.guessed() == guessed
    assert facts.guessed_without_oneself() == without
    certain = sum(len({v for g, v in records if g == group}) == 1 for group, _ in records)
    assert homogeneity(facts, "x", None).meter.successes == certain


# ---- what records were ----------------------------------------------------------------------------------------------


def test_downcoding_undoes_a_blur_that_leaves_one_value():
    attack = downcoding(np.array([0, 1, 1]), np.array([10, 5, 5]), 10)
    assert attack.meter.rate == 15 / 20
    assert not attack.public
    assert downcoding(np.arange(20), np.ones(20, np.int64), 1).meter.rate == 1


def test_composition_finds_who_stands_alone_in_both():
    first, second = np.repeat(np.arange(4), 5), np.tile(np.arange(5), 4)
    together = Together.of(first, second, np.ones(20, np.int64))
    assert together.below(5) == 20
    assert together.attack().meter.rate == 1
    assert together.attack().baseline == 0.25  # of five classes with four each
    same = Together.of(first, first, np.ones(20, np.int64))
    assert same.below(5) == 0
    assert Together.of(first, np.full(20, -1), np.ones(20, np.int64)).attack() is None


def test_minimality_finds_a_method_that_lets_values_steer_it():
    def steered(world):  # blurs only when the first two have the same value
        return "blurred" if world[0] == world[1] else ("as they are", tuple(sorted(world[:2])))

    attack = minimality(("a", "a", "b", "c"), steered, "illness", 2)
    assert attack.meter.rate > 0.5
    assert minimality(("a", "a", "b", "c"), lambda _: "always blurred", "illness", 2).meter.rate == 0.5


# ---- items ----------------------------------------------------------------------------------------------------------

OFFSETS = np.array([0, 2, 4, 6, 7])
ITEMS = np.array([0, 1, 0, 1, 0, 2, 3], np.int32)
COUNTS = np.array([5, 5, 1, 5])


def test_known_items_find_who_alone_holds_one():
    crowds = [*enumerate(knowing(OFFSETS, ITEMS, COUNTS), start=1), (None, knowing_all(OFFSETS, ITEMS, COUNTS))]
    attacks = known_items(crowds, 5, 1)
    assert [one.bound for one in attacks] == [0.2, None, None, None]
    fine = known_items([(1, knowing(OFFSETS[:3], ITEMS[:4], COUNTS[:2])[0])], 5, 1)
    assert fine[0].kept
    alone = [*enumerate(knowing(np.arange(9), np.arange(8, dtype=np.int32), np.ones(8, np.int64)), start=1)]
    assert known_items(alone, 5, 1)[0].kept is False


def test_absent_items_tell_apart_who_holds_nothing_else():
    offsets, items = np.array([0, 1, 3, 5]), np.array([0, 0, 1, 0, 2], np.int32)
    counts = np.ones(3, np.int64)
    rates = [absent_items(offsets, items, counts, 1, absent, 2_000).meter.rate for absent in (0, 1, 2)]
    assert rates[0] < rates[1] < rates[2]


# ---- trees ----------------------------------------------------------------------------------------------------------


def forest(*trees):
    labels = [label for tree in trees for label, _ in tree]
    parents = [parent for tree in trees for _, parent in tree]
    offsets = np.cumsum([0, *map(len, trees)])
    return Forest(offsets, np.array(labels, np.int32), np.array(parents, np.int32), np.ones(len(trees), np.int64))


def test_fragments_find_the_only_one_with_a_value_and_with_a_relation():
    same = [[(0, -1), (1, 0)]] * 10
    fine = FragmentGuesses(forest(*same))
    assert fine.attack(2, 1, 5, attacks=2_000).kept
    alone = FragmentGuesses(forest(*[[(label, -1)] for label in range(10)]))
    assert alone.attack(1, 0, 5, attacks=2_000).kept is False
    parted = FragmentGuesses(forest(*[[(0, -1), (1, 0)]] * 5, *[[(0, -1), (1, -1)]] * 5))
    assert parted.attack(2, 1, None, attacks=2_000).meter.rate > parted.attack(2, 0, None, attacks=2_000).meter.rate


def test_values_that_a_person_does_not_have_tell_trees_apart():
    trees = FragmentGuesses(forest([(0, -1)], [(0, -1), (1, 0)], [(0, -1), (2, 0)]))
    rates = [trees.attack(1, 0, None, absent=absent, attacks=2_000).meter.rate for absent in (0, 2)]
    assert rates[0] < rates[1]


# ---- time -----------------------------------------------------------------------------------------------------------


def test_without_time_no_attack_is_begun():
    one = Attack("linkability", "a", Meter(1, 0), 0.0)
    now = iter([0.0, 0.0, 2.0])
    simulated = simulate([("first", lambda: (one,)), ("second", lambda: (one,))], 1.0, clock=lambda: next(now))
    assert simulated.attacks == (one,)
    assert simulated.left_out == ("second",)
    assert simulate([("first", lambda: (one,))], 0.0).attacks == ()


def test_everybody_is_attacked_and_often_enough():
    meter = picking(np.array([1, 4]), np.array([1, 4]), np.random.default_rng(1))
    assert meter.attacks == 10_000
    assert meter.rate == pytest.approx(2 / 5, abs=0.02)
