"""Sorting and looking up, against Python's own."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.sorting import ordered, place_of, sort_stretch

NUMBERS = st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(0, 5), max_size=150)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@settings(deadline=None)  # the first call compiles
@given(numbers=NUMBERS, data=st.data())
def test_a_stretch_is_in_order_and_the_rest_stays(numbers: list[int], data: st.DataObject, dtype: type) -> None:
    begin = data.draw(st.integers(0, len(numbers)))
    end = data.draw(st.integers(begin, len(numbers)))
    array = np.array(numbers, dtype)
    sort_stretch(array, begin, end)
    assert array.tolist() == numbers[:begin] + sorted(numbers[begin:end]) + numbers[end:]


@settings(deadline=None)  # the first call compiles
@given(NUMBERS)
def test_equal_keys_stay_as_they_stand(numbers: list[int]) -> None:
    assert ordered(np.array(numbers, np.int64)).tolist() == sorted(range(len(numbers)), key=numbers.__getitem__)


@settings(deadline=None)  # the first call compiles
@given(NUMBERS, st.integers(-10, 10), st.data())
def test_the_first_that_is_not_below(numbers: list[int], one: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(numbers)))
    ascending = sorted(numbers[:count])
    assert place_of(np.array(ascending + numbers[count:], np.int64), count, one) == bisect_left(ascending, one)
