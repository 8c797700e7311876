"""Stretches are divided by a cut: those that it sets apart come first, and both sides stay in order."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.tables.cuts import divide

CODES = st.integers(0, 4)


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.tuples(CODES, CODES), min_size=1, max_size=40), st.data())
def test_as_a_plain_loop_does(rows: list[tuple[int, int]], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(rows))))
    middle = data.draw(st.integers(0, len(rows)))
    stretches = [(0, middle), (middle, len(rows))]
    cuts = [data.draw(st.tuples(st.integers(0, 1), CODES, CODES, st.integers(-1, len(rows)))) for _ in stretches]
    expected, begins = [], []
    for (start, end), (column, low, high, last) in zip(stretches, cuts, strict=True):
        inside = [
            i for i in order[start:end] if low <= rows[i][column] <= high and not (rows[i][column] == high and i > last)
        ]
        expected += inside + [i for i in order[start:end] if i not in inside]
        begins.append(start + len(inside))
    divided = np.array(order, np.int64)
    made = divide(np.array(rows, np.int32), divided, np.array(stretches, np.int64), np.array(cuts, np.int64))
    assert divided.tolist() == expected
    assert made.tolist() == begins
