"""Combinations of items are numbered; where numbers would not do that is said, and nothing is miscounted."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal.data.combinations import CombinationSupports, Units, combinations_in
from shoal.errors import DataError


def test_more_combinations_than_numbers_are_refused():
    leaves = 1 << 16
    places = np.arange(leaves, dtype=np.int32)
    units = Units(places, places, places[:0], places)
    nothing = np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64)
    with pytest.raises(DataError, match=r"65,536 items and labels are too many .* of 4\. .*smaller m"):
        combinations_in(*nothing, units, 4)
    with pytest.raises(DataError, match="too many"):
        CombinationSupports("items", pa.array(map(str, range(leaves))), units, 4)
    assert not len(combinations_in(*nothing, units, 3)[0])
