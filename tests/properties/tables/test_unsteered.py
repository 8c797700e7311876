"""`minimality = "safe"`, by trying all worlds: what is believed of a person is the share of a value in their class, never more."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.tables.worlds import TABLES, World, measured, problem_of, release_of
from oracles.random_tables import hierarchies
from shoal.errors import Infeasible
from shoal.guarantees import KAnonymity, LDiversity, TCloseness
from shoal.methods.registry import method_from
from shoal.methods.tables.unsteered import decide_unsteered

METHODS = ("optimal", "mondrian", "incognito", "cluster", "mstk")
PROMISES = (
    LDiversity(2, column="s"),
    LDiversity(1.5, column="s", variant="entropy"),
    LDiversity(2, column="s", variant="recursive", c=2.0),
    TCloseness(0.4, column="s"),
)


@st.composite
def tiny(draw):
    trees = [draw(hierarchies(name)) for name in "ab"]
    row = st.tuples(*(st.integers(0, tree.leaf_count - 1) for tree in trees))
    people = draw(st.lists(row, min_size=3, max_size=5))
    bag = draw(st.lists(st.integers(0, 2), min_size=len(people), max_size=len(people)))
    promises = (KAnonymity(draw(st.integers(2, 3))), draw(st.sampled_from(PROMISES)))
    hidden = draw(st.sampled_from([Fraction(0), Fraction(1, 3)]))
    problem = replace(
        problem_of(), hierarchies=dict(zip("ab", trees, strict=True)), guarantees=promises, suppression=hidden
    )
    return people, bag, problem


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=6, deadline=None)
@given(tiny())
def test_the_choice_tells_nothing_beyond_what_the_classes_show(method, case):
    people, bag, problem = case
    figures = measured(method, people, bag, problem, safe=True)
    assert figures["beyond"] == 0


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=6, deadline=None)
@given(tiny())
def test_a_refusal_is_right(method, case):
    """Held against the definition: without the promise about values the classes are the same, and one that fails is refused."""
    people, bag, problem = case
    made = release_of(method, people, bag, problem, safe=True)
    free = release_of(method, people, bag, replace(problem, guarantees=problem.guarantees[:1]), safe=True)
    if free is None:
        assert made is None
    elif isinstance(problem.guarantees[1], LDiversity) and problem.guarantees[1].variant == "distinct":
        fails = any(len(set(held)) < 2 for _, held in free[0])
        assert (made is None) == fails
    if made is not None:
        assert made == free


def test_the_default_is_steered_and_the_test_would_see_it():
    """The leak that this mode is for: by the cheapest release some are known for certain."""
    found = [measured("optimal", people, bag, problem_of(), safe=False) for people, bag in TABLES]
    assert max(one["posterior"] for one in found) > 0.5
    assert max(one["beyond"] for one in found) > 0


def test_a_refusal_says_what_to_do():
    people, bag = ((0, 0), (0, 0), (1, 0), (1, 0)), (0, 0, 1, 1)
    with pytest.raises(Infeasible, match=r"2 of 2 classes break distinct 2-diversity of 's'.* larger k"):
        decide_unsteered(method_from("mondrian"), World(people, bag, 2), problem_of(), lambda _: None, {})
    assert Counter(bag) == {0: 2, 1: 2}
