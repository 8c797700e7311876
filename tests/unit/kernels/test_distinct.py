"""The different values of an array are those of NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.distinct import distinct


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@given(st.lists(st.integers(-5, 5) | st.integers(-(2**31), 2**31 - 1)))
def test_as_numpy(kind, values):
    given_ = np.array(values, kind)
    before = given_.copy()
    made = distinct(given_)
    assert made.dtype == kind
    assert np.array_equal(made, np.unique(given_))
    assert np.array_equal(given_, before)
