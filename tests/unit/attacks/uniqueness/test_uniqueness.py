"""Estimates of population uniques: each against its definition, and against populations whose truth is known."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.risk import risk_of
from shoal.attacks.uniqueness.estimate import estimate
from shoal.attacks.uniqueness.pitman import expected_uniques, fit, pitman
from shoal.attacks.uniqueness.snb import Law, snb
from shoal.attacks.uniqueness.zayatz import zayatz

some_classes = st.dictionaries(st.integers(1, 6), st.integers(1, 5), min_size=1)


def records_of(classes):
    return sum(size * many for size, many in classes.items())


# ---- against the definitions ----------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(some_classes, st.integers(1, 40))
def test_zayatz_is_its_formula(classes, more):
    n = records_of(classes)
    people, number = n + more, sum(classes.values())

    def chance(size):  # hypergeometric: one of the class among n drawn
        return Fraction(size * math.comb(people - size, n - 1), math.comb(people, n))

    seen = sum(Fraction(many, number) * chance(size) for size, many in classes.items())
    alone = classes.get(1, 0)
    unique = Fraction(alone, number) * chance(1) / seen if alone else 0
    assert zayatz(classes, people) == pytest.approx(float(min(people, alone * unique * Fraction(people, n))), rel=1e-6)


def likelihood(classes, theta, alpha):
    """Of Pitman's law, factor by factor."""
    n, number = records_of(classes), sum(classes.values())
    return (
        sum(math.log(theta + i * alpha) for i in range(1, number))
        - sum(math.log(theta + i) for i in range(1, n))
        + sum(many * sum(math.log(j - alpha) for j in range(1, size)) for size, many in classes.items())
    )


@settings(max_examples=100, deadline=None)
@given(some_classes.filter(lambda classes: set(classes) != {1}))
def test_no_other_parameters_of_pitman_are_likelier(classes):
    theta, alpha = fit(classes)
    best = likelihood(classes, theta, alpha)
    for other_alpha in (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99):
        for shift in (0.001, 0.1, 1, 3, 10, 100, 1000):
            assert likelihood(classes, shift - other_alpha, other_alpha) <= best + 1e-6 * abs(best) + 1e-6


def people_of_pitman(theta, alpha, people, rng):
    """One after the other, as the law says: the class of each."""
    sizes, labels = [], []
    for n in range(people):
        if rng.random() * (theta + n) < theta + len(sizes) * alpha or not n:
            labels.append(len(sizes))
            sizes.append(1)
            continue
        while True:  # a class of size s with weight s − α
            label = labels[rng.randrange(n)]
            if rng.random() * sizes[label] < sizes[label] - alpha:
                break
        sizes[label] += 1
        labels.append(label)
    return labels


def test_expected_uniques_of_pitman_are_those_of_the_law():
    rng = random.Random(4)
    drawn = [sum(c == 1 for c in Counter(people_of_pitman(5, 0.4, 200, rng)).values()) for _ in range(800)]
    error = np.std(drawn) / math.sqrt(len(drawn))
    assert expected_uniques(5, 0.4, 200) == pytest.approx(np.mean(drawn), abs=4 * error)
    assert expected_uniques(3, 0.5, 1) == pytest.approx(1)


@settings(max_examples=50, deadline=None)
@given(st.floats(0.1, 5), st.floats(0.1, 6), st.floats(0.05, 0.9))
def test_what_a_class_shows_in_a_sample_is_its_thinning(alpha, mean, fraction):
    law = Law(alpha, mean, fraction)
    beta = alpha / (alpha + mean)

    def in_population(size):  # 1 + negative binomial
        x = size - 1
        ways = math.lgamma(alpha + x) - math.lgamma(alpha) - math.lgamma(x + 1)
        return math.exp(ways + alpha * math.log(beta) + x * math.log1p(-beta))

    for shown in range(4):
        thinned = sum(
            in_population(size) * math.comb(size, shown) * fraction**shown * (1 - fraction) ** (size - shown)
            for size in range(max(shown, 1), 900)
        )
        assert law.seen(shown) == pytest.approx(thinned, rel=1e-6, abs=1e-12)
    assert law.beta**alpha == pytest.approx(in_population(1))


@settings(max_examples=100, deadline=None)
@given(some_classes, st.integers(0, 300))
def test_estimates_are_numbers_of_people(classes, more):
    sizes = np.repeat(list(classes), list(classes.values())).astype(np.int64)
    people = int(sizes.sum()) + more
    found = estimate(sizes, people)
    assert all(0 <= one <= people for one in (found.people, found.pitman, found.zayatz, found.snb))
    assert 0 <= found.records <= classes.get(1, 0)
    assert found.share == pytest.approx(found.people / people)
    if not classes.get(1):
        assert (found.model, found.people) == ("none", 0)
    if not more:
        assert found.people == classes.get(1, 0)


# ---- against populations whose truth is known -----------------------------------------------------------------------


def slide(classes, alpha, beta, rng):
    return np.repeat(np.arange(classes), 1 + rng.negative_binomial(alpha, beta, classes))


def held_against_the_truth(labels, fraction, rng):
    """The share of people who are unique, and what is estimated from a sample."""
    sample = rng.choice(labels, int(len(labels) * fraction), replace=False)
    truth = np.mean(np.unique(labels, return_counts=True)[1] == 1) * len(np.unique(labels)) / len(labels)
    return truth, estimate(np.unique(sample, return_counts=True)[1], len(labels))


@pytest.mark.parametrize("parameters", [(100, 0.5), (1000, 0.7)])
def test_pitman_is_right_within_a_fifth_of_a_population_of_its_own(parameters):
    labels = np.array(people_of_pitman(*parameters, 20_000, random.Random(8)))
    truth, found = held_against_the_truth(labels, 0.1, np.random.default_rng(8))
    assert found.model == "pitman"
    assert found.share == pytest.approx(truth, rel=0.2)


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.3), (2, 0.5)])
@pytest.mark.parametrize("fraction", [0.2, 0.5])
def test_snb_is_right_within_a_fifth_of_a_population_of_its_own(alpha, beta, fraction):
    rng = np.random.default_rng(5)
    truth, found = held_against_the_truth(slide(20_000, alpha, beta, rng), fraction, rng)
    assert found.model == "snb"
    assert found.share == pytest.approx(truth, rel=0.2)


@pytest.mark.parametrize("fraction", [0.2, 0.5])
def test_zayatz_is_right_within_a_fifth_where_sizes_fall_slowly(fraction):
    rng = np.random.default_rng(6)
    truth, found = held_against_the_truth(rng.zipf(1.5, 40_000), fraction, rng)
    assert found.model == "zayatz"
    assert found.share == pytest.approx(truth, rel=0.2)


def test_where_they_fail():
    """Nobody is rare among 4,000 classes of about 10 people each, and of a small sample nobody can tell that."""
    rng = np.random.default_rng(7)
    truth, small = held_against_the_truth(rng.integers(0, 4_000, 40_000), 0.02, rng)
    assert truth < 0.001
    assert small.model == "pitman"
    assert small.share > 0.03  # far too many: on the safe side
    assert small.zayatz / 40_000 > 0.5
    _, large = held_against_the_truth(rng.integers(0, 4_000, 40_000), 0.5, rng)
    assert large.share < 0.002


def test_a_sample_in_which_all_are_unique_tells_nothing():
    assert pitman({1: 50}, 1000) == snb({1: 50}, 1000) == 1000


# ---- where it is told -----------------------------------------------------------------------------------------------


def test_the_risk_of_a_table_has_it_with_a_population_figure():
    sizes = np.array([1, 1, 1, 2, 4])
    assert risk_of(sizes).uniqueness is None
    assert "uniqueness" not in risk_of(sizes).to_json()
    found = risk_of(sizes, population=30)
    assert found.uniqueness == estimate(sizes, 30)
    assert found.to_json()["uniqueness"]["model"] == found.uniqueness.model
