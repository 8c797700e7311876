"""What a method of another package sees of a table, against counting by hand; and the way from groups to a decision."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_tables import frequency_set
from shoal.extend import Infeasible, Table, TableProblem
from shoal.guarantees import KAnonymity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.loss import loss_from

AGE = Hierarchy.from_paths([(str(age), f"{age // 2 * 2}-{age // 2 * 2 + 1}", "*") for age in range(6)])
SEX = Hierarchy.from_paths([("f", "*"), ("m", "*")])


def table_of(rows: list[tuple[int, int]], k: int, suppression: Fraction = Fraction(0)) -> Table:
    frequency = frequency_set([AGE, SEX], rows)
    trees = dict(zip(frequency.columns, [AGE, SEX], strict=True))
    problem = TableProblem(trees, {}, (KAnonymity(k),), loss_from("glm"), {}, suppression)
    return Table(SimpleNamespace(frequency_set=lambda *_: frequency), problem)


@settings(deadline=None, max_examples=25)
@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1)), min_size=4, max_size=30),
    levels=st.tuples(st.integers(0, 2), st.integers(0, 1)),
    k=st.integers(2, 4),
)
def test_property_records_that_stand_out_are_counted(rows, levels, k) -> None:
    table = table_of(rows, k)
    shown = [(AGE.label(a, levels[0]), SEX.label(s, levels[1])) for a, s in rows]
    sizes = Counter(shown)
    assert table.heights == (2, 1)
    assert table.broken(levels) == sum(n for n in sizes.values() if n < k)
    assert table.distinct(levels) == tuple(len(set(column)) for column in zip(*shown, strict=True))
    if table.broken(levels):
        assert table.loss(levels) is None
        with pytest.raises(Infeasible, match="break a promise at these levels"):
            table.at_levels(levels)
    else:
        decision = table.at_levels(levels)
        assert decision.classes == len(sizes) and decision.loss == table.loss(levels) and not decision.suppressed


def test_what_stands_out_is_left_out_within_the_limit() -> None:
    table = table_of([(0, 0)] * 9 + [(5, 1)], 2, Fraction(1, 10))
    decision = table.at_levels((0, 0))
    assert (table.limit, decision.suppressed, decision.classes) == (1, 1, 1)


def test_groups_that_break_the_promise_are_merged() -> None:
    table = table_of([(0, 0), (0, 1), (4, 0), (5, 0), (5, 1)], 2)
    decision = table.in_groups(np.arange(5))
    assert decision.suppressed == 0 and decision.classes >= 1
    assert decision.recoding.recoded.class_sizes.min() >= 2
