"""What an attacker who knows some items finds: against the definition, on small data."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.sets.crowds import Fitting, knowing, knowing_all
from shoal.attacks.sets.ring import joint_knowledge


def _arrays(sets):
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return offsets, np.array([item for one in sets for item in sorted(one)], np.int32)


def _fits(sets, counts, one, known):
    """From the definition: of all combinations of up to `known` items of a set, the least number of records that hold one."""
    best = sum(counts)
    for size in range(1, known + 1):
        for chosen in combinations(sorted(one), size):
            best = min(best, sum(c for other, c in zip(sets, counts, strict=True) if set(chosen) <= other))
    return best


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.frozensets(st.integers(0, 6), max_size=5), st.integers(1, 3)), max_size=9),
)
def test_every_record_by_the_definition(drawn):
    sets, counts = [set(one) for one, _ in drawn], [count for _, count in drawn]
    arrays = (*_arrays(sets), np.array(counts, np.int64))
    for known, found in enumerate(knowing(*arrays), start=1):
        assert found is not None
        assert found.fits.tolist() == [_fits(sets, counts, one, known) for one in sets]
    equal = [sum(c for other, c in zip(sets, counts, strict=True) if other == one) for one in sets]
    assert knowing_all(*arrays).fits.tolist() == equal


def test_figures_of_what_fits():
    found = Fitting(np.array([1, 2, 5]), np.array([1, 2, 10]))
    assert (found.least, found.unique, found.below(5)) == (1, 1, 3)
    assert found.average == (1 + 2 / 2 + 10 / 5) / 13
    assert found.by_size == {1: 1, 2: 2, 5: 10}
    none = Fitting(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert (none.least, none.average, none.unique) == (0, 0.0, 0)


def test_too_many_combinations_are_not_counted():
    arrays = (*_arrays([set(range(10))]), np.ones(1, np.int64))
    one, two, three = knowing(*arrays, budget=50)
    assert one is not None and two is not None and three is None


def test_joint_knowledge_is_what_was_measured_before():
    """003-joint-posterior, two of its cases."""
    assert abs(joint_knowledge(12, 4) - 0.473) < 0.03
    assert abs(joint_knowledge(20, 5) - 0.334) < 0.03


def test_long_rings_tell_more():
    assert abs(joint_knowledge(20_000, 5) - 0.405) < 0.03
