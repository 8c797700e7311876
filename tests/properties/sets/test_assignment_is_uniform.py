"""The assignment of a ring gives everyone each of their k places equally often, and the test can tell when it does not.

A chi-square test on the place of one record over many runs: the runs are independent of each other, the records of one run are not.
The threshold is passed by chance once in ten million tests.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest

from shoal.kernels.sets.closed_walk import assignments
from shoal.methods.sets.nonreciprocal import ring, uniform_below

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 2_000
THRESHOLD = {2: 28.4, 4: 35.5, 5: 38.1}  # of chi-square with k - 1 degrees of freedom at 1e-7


def steps_of(records: int, k: int) -> np.ndarray:
    """As the method draws it: everyone's place counted from their own."""
    matched = ring(np.arange(records, dtype=np.int64), k)
    return (matched.own - np.arange(records)) % records


def first_round(records: int, k: int) -> np.ndarray:
    """The biased pick: the first assignment that is extracted (ERRATA 003-2)."""
    return assignments(records, k, os.urandom)[0]


def chi_square(counts: np.ndarray) -> float:
    expected = counts.sum() / len(counts)
    return float(((counts - expected) ** 2).sum() / expected)


def measured(draw: Callable[[int, int], np.ndarray], records: int, k: int) -> float:
    counts = np.zeros(k, np.int64)
    for _ in range(RUNS):
        counts[draw(records, k)[0]] += 1
    assert counts.sum() == RUNS
    return chi_square(counts)


@pytest.mark.slow
@pytest.mark.parametrize(("records", "k"), [(12, 4), (11, 5), (6, 2)])
def test_everyone_has_each_place_equally_often(records: int, k: int) -> None:
    assert measured(steps_of, records, k) < THRESHOLD[k]


@pytest.mark.slow
@pytest.mark.parametrize(("records", "k"), [(12, 4), (6, 2)])
def test_the_first_assignment_is_found_out(records: int, k: int) -> None:
    """12 records, k = 4: 0.13, 0.25, 0.31, 0.31 by ERRATA 003-2; 6 records, k = 2: the own place once in 64."""
    assert measured(first_round, records, k) > 2 * THRESHOLD[k]


def test_every_place_is_used_once_by_all_assignments_together() -> None:
    for records, k in ((12, 4), (7, 7), (5, 2)):
        assert (np.sort(assignments(records, k, os.urandom), axis=0) == np.arange(k)[:, None]).all()


def test_the_pick_itself_is_uniform() -> None:
    for limit in (2, 4, 5):
        counts = np.bincount([uniform_below(limit) for _ in range(RUNS)], minlength=limit)
        assert chi_square(counts) < THRESHOLD[limit]
