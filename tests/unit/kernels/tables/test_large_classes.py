"""The box of a class without a member: a look at some members may be enough, and is never too few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.tables.boxes import Trees, smallest_boxes
from shoal.kernels.tables.classes import box_without, make_classes, take

# two columns of eight leaves, fanout two: leaves 0 … 7, pairs 8 … 11, fours 12 and 13, all 14
FIRST = [*range(8), 0, 2, 4, 6, 0, 4, 0]
LAST = [*range(8), 1, 3, 5, 7, 3, 7, 7]
PARENTS = [8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, -1]
PRICES = [0.0] * 8 + [0.1] * 4 + [0.2] * 2 + [0.5]
TREES = Trees(
    np.array([0, 15]),
    np.array(FIRST * 2, np.int32),
    np.array(LAST * 2, np.int32),
    np.array(PARENTS * 2, np.int32),
    np.array(PRICES * 2),
)


@settings(max_examples=200, deadline=None)
@given(data=st.data(), many=st.integers(2, 150))
def test_the_box_without_one_is_the_box_of_the_others(data, many):
    common = data.draw(st.integers(0, 7))  # most are alike, so that those who are not make the box
    drawn = data.draw(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=4))
    codes = np.full((many, 2), common, np.int32)
    for leaves in drawn:
        codes[data.draw(st.integers(0, many - 1))] = leaves
    classes = make_classes(TREES, codes, np.zeros(many, np.int32), 1)
    one = data.draw(st.integers(0, many - 1))
    others = np.delete(codes, one, axis=0)
    expected = smallest_boxes(TREES, others, np.zeros(many - 1, np.int32), 1)[0]
    price = sum(PRICES[node] for node in expected)

    box = np.empty(2, np.int32)
    assert box_without(TREES, classes, 0, one, box) == pytest.approx(price)
    assert box.tolist() == expected.tolist()
    take(TREES, classes, one)
    assert classes.boxes[0].tolist() == expected.tolist()
    assert classes.prices[0] == pytest.approx(price)
