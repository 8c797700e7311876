"""Who is found by all single values and some items, against the definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.mixed.crowds import knowing_both, knowing_both_all

ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.frozensets(st.integers(0, 4), max_size=4), st.integers(1, 3)), max_size=12
)


def _arrays(rows):
    sets = [sorted(items) for _, items, _ in rows]
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    items = np.array([item for one in sets for item in one], np.int32)
    classes, counts = (np.array([row[at] for row in rows], np.int64) for at in (0, 2))
    return classes, offsets, items, counts


def _fits(rows, row, known):
    """Records that fit the most telling combination of up to so many items; None: exactly all of them."""
    mine, held, _ = row
    inside = [(items, count) for other, items, count in rows if other == mine]
    if known is None:
        return sum(count for items, count in inside if items == held)
    some = [frozenset(c) for size in range(known + 1) for c in combinations(sorted(held), size)]
    return min(sum(count for items, count in inside if one <= items) for one in some)


@settings(deadline=None)
@given(ROWS)
def test_fitting_records_are_those_of_the_definition(rows):
    found = [*knowing_both(*_arrays(rows)), knowing_both_all(*_arrays(rows))]
    for known, one in zip((0, 1, 2, 3, None), found, strict=True):
        assert one is not None
        assert one.fits.tolist() == [_fits(rows, row, known) for row in rows]


def test_too_many_combinations_are_not_counted():
    rows = [(0, frozenset(range(5)), 1)]
    assert [one is None for one in knowing_both(*_arrays(rows), budget=9)] == [False, False, True, True]
