"""What data would tell without one column: against counting from the definition."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.tables.without import without_each
from shoal.attacks.trees.without import without_each as without_each_class
from shoal.data.trees import Forest, TreeShape

ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=30)


@settings(max_examples=40, deadline=None)
@given(ROWS, st.integers(2, 4))
def test_a_column_left_out_is_counted_as_the_definition_says(rows, k) -> None:
    distinct = Counter(rows)
    codes, counts = np.array(list(distinct), np.int32), np.array(list(distinct.values()), np.int64)
    each = without_each(codes, counts, ("a", "b", "c"), k)
    assert [one.average for one in each] == sorted(one.average for one in each)
    for one in each:
        left = [c for c in range(3) if c != "abc".index(one.column)]
        sizes = Counter(tuple(row[c] for c in left) for row in rows).values()
        assert one.unique_records == sum(size == 1 for size in sizes)
        assert one.small_records == sum(size for size in sizes if size < k)
        assert one.average == len(sizes) / len(rows)


def test_one_column_alone_is_not_left_out() -> None:
    assert without_each(np.zeros((1, 1), np.int32), np.ones(1, np.int64), ("a",), 2) == ()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sets(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=3), min_size=1, max_size=12))
def test_a_class_goes_with_all_below_it(trees) -> None:
    """Clinics (labels 0, 1) with diagnoses below them (labels 2, 3)."""
    offsets, labels, parents = [0], [], []
    for tree in trees:
        clinics = sorted({clinic for clinic, _ in tree})
        labels += clinics + [2 + diagnosis for _, diagnosis in sorted(tree)]
        parents += [-1] * len(clinics) + [clinics.index(clinic) for clinic, _ in sorted(tree)]
        offsets.append(len(labels))
    forest = Forest(
        np.array(offsets, np.int64),
        np.array(labels, np.int32),
        np.array(parents, np.int32),
        np.ones(len(trees), np.int64),
    )
    shape = TreeShape.of({"clinic": None, "diagnosis": "clinic"})
    each = {one.column: one for one in without_each_class(forest, shape, [2, 2], 2)}
    if not labels:
        return
    assert each["clinic"].average == 1 / len(trees)  # nothing is left
    sizes = Counter(frozenset(clinic for clinic, _ in tree) for tree in trees).values()
    assert each["diagnosis"].unique_records == sum(size == 1 for size in sizes)
