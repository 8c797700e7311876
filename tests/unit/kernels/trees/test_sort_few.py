"""Sorting in place, of few and of many numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.trees.sort_few import sort_few


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.integers(-(2**62), 2**62), max_size=100), st.data())
def test_the_first_are_in_order_and_the_rest_stays(numbers: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(numbers)))
    array = np.array(numbers, np.int64)
    assert sort_few(array, count).tolist() == sorted(numbers[:count])
    assert array.tolist() == sorted(numbers[:count]) + numbers[count:]
