"""Risk figures and telling combinations against plain counting over rows."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.risk import risk_of
from shoal.attacks.tables.combinations import riskiest_combinations

rows = st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=40)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=40), st.floats(0.001, 1))
@settings(max_examples=200, deadline=None)
def test_prosecutor_and_marketer_record_by_record(sizes: list[int], threshold: float) -> None:
    risks = [Fraction(1, size) for size in sizes for _ in range(size)]
    above = sum(risk > Fraction(str(threshold)) for risk in risks)
    risk = risk_of(np.array(sizes, np.int64), threshold=threshold)
    assert risk.highest == max(risks)
    assert risk.average == sum(risks) / len(risks)
    assert risk.marketer == float(risk.average)
    assert risk.prosecutor.records_at_risk == above
    assert risk.prosecutor.share_at_risk == above / len(risks)
    assert risk.sample_uniques == sizes.count(1)
    for one in risk.class_sizes:
        inside = [size for size in sizes if one.low <= size <= one.high]
        assert (one.classes, one.records) == (len(inside), sum(inside))
    assert sum(one.records for one in risk.class_sizes) == risk.records


@given(st.lists(st.integers(1, 300), min_size=1, max_size=20), st.integers(0, 10**6), st.floats(0.001, 1))
@settings(max_examples=200, deadline=None)
def test_journalist_lies_between_scaling_up_and_the_prosecutor(sizes: list[int], more: int, threshold: float) -> None:
    risk = risk_of(np.array(sizes, np.int64), threshold=threshold, population=sum(sizes) + more)
    assert risk.journalist is not None
    fraction = risk.records / (risk.records + more)
    assert fraction / min(sizes) * (1 - 1e-9) <= risk.journalist.highest <= risk.prosecutor.highest
    assert fraction * risk.prosecutor.average * (1 - 1e-9) <= risk.journalist.average
    assert risk.journalist.average <= risk.prosecutor.average * (1 + 1e-9)
    assert (risk.journalist.records_at_risk or 0) <= (risk.prosecutor.records_at_risk or 0)


@given(rows, st.integers(1, 8))
@settings(max_examples=200, deadline=None)
def test_combinations_are_those_of_counting_all(data: list[tuple[int, ...]], limit: int) -> None:
    tuples = Counter(data)
    codes = np.array(list(tuples), np.int32)
    columns = ["a", "b", "c", "d"]
    found = riskiest_combinations(codes, np.array(list(tuples.values()), np.int64), columns, limit=limit)
    assert found.exhaustive
    for size in (1, 2, 3):
        every = []
        for members in combinations(range(4), size):
            classes = Counter(tuple(row[c] for c in members) for row in data)
            unique = sum(count == 1 for count in classes.values())
            every.append((-unique, min(classes.values()), members, len(classes)))
        expected = [
            (tuple(columns[c] for c in members), -unique, -unique / len(data), classes, smallest)
            for unique, smallest, members, classes in sorted(every)[:limit]
        ]
        assert [
            (c.columns, c.unique_records, c.share, c.classes, c.smallest_class) for c in found.of_size(size)
        ] == expected
