"""Incognito against an enumeration of the whole lattice from the definitions, and against the search for the optimum."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_tables import all_nodes, frequency_set, tables
from properties.tables.test_grouping_methods import Counted
from properties.tables.test_search import GUARANTEES, exhaustive, suppressed_at
from shoal.errors import Infeasible, RecipeError
from shoal.guarantees import KAnonymity, LDiversity, TCloseness
from shoal.loss import loss_from
from shoal.loss.loss import normalized_weights
from shoal.methods.tables.incognito import Incognito, incognito, minimal, refuse_too_large
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.methods.tables.problem import TableProblem

FIT = {  # what may be searched this way: without suppression every guarantee, with it those that say so
    0: sorted(GUARANTEES),
    1: ["k", "k+distinct", "k3"],
}


@settings(deadline=None, max_examples=200)
@given(table=tables(sensitive=True), limit=st.sampled_from([0, 0, 1, 3]), data=st.data())
def test_it_finds_every_node_that_keeps_the_promise(table, limit, data):
    trees, rows, values = table
    limit = min(limit, len(rows) - 1)
    guarantees = GUARANTEES[data.draw(st.sampled_from(FIT[min(limit, 1)]))]
    weights = normalized_weights("abc"[: len(trees)], {})
    nodes = Nodes(frequency_set(trees, rows, values), trees, guarantees, loss_from("glm"), weights)
    passing = incognito(nodes, limit)
    expected = {n for n in all_nodes(trees) if len(suppressed_at(guarantees, trees, rows, values, n)) <= limit}
    assert {tuple(node) for node in np.argwhere(passing).tolist()} == expected
    least = {
        n for n in expected if not any(m != n and all(a <= b for a, b in zip(m, n, strict=True)) for m in expected)
    }
    assert {tuple(node) for node in np.argwhere(minimal(passing)).tolist()} == least
    assert nodes.evaluated <= nodes.lattice.size


@pytest.mark.parametrize("loss", ["glm", "ncp", "dm"])
@settings(deadline=None, max_examples=80)
@given(table=tables(sensitive=True), limit=st.sampled_from([0, 1, 3]), data=st.data())
def test_it_publishes_the_one_with_the_least_loss(loss, table, limit, data):
    trees, rows, values = table
    limit = min(limit, len(rows) - 1)
    guarantees = GUARANTEES[data.draw(st.sampled_from(FIT[min(limit, 1)]))]
    share = Fraction(limit, len(rows))
    problem = TableProblem(dict(zip("abc", trees, strict=False)), {"s": None}, guarantees, loss_from(loss), {}, share)
    expected = exhaustive(guarantees, loss, trees, rows, values, limit)
    engine = Counted(frequency_set(trees, rows, values))
    if expected is None:
        with pytest.raises(Infeasible):
            Incognito().decide(engine, problem, lambda _: None)
        return
    found = Incognito().decide(engine, problem, lambda _: None)
    assert (found.loss, found.suppressed, sum(found.recoding.levels), found.recoding.levels) == expected
    recoded = found.recoding.over(engine.frequency_set({}, {}))
    assert (recoded.suppressed, len(recoded.values)) == (found.suppressed, found.classes)


@pytest.mark.parametrize(
    ("guarantee", "limit", "allowed"),
    [
        (LDiversity(2, "s", "entropy"), "0", True),
        (LDiversity(2, "s", "entropy"), "1/2", False),
        (LDiversity(2, "s", "recursive", 2.0), "1/2", False),
        (LDiversity(2, "s"), "1/2", True),
        (TCloseness(0.5, "s"), "0", True),
        (TCloseness(0.5, "s"), "1/2", False),
    ],
)
def test_a_promise_that_merging_may_break_is_refused(guarantee, limit, allowed):
    trees, rows, values = _two_by_two()
    problem = TableProblem(
        {"a": trees[0]}, {"s": None}, (KAnonymity(2), guarantee), loss_from("glm"), {}, Fraction(limit)
    )
    engine = Counted(frequency_set(trees, rows, values))
    if allowed:
        assert Incognito().decide(engine, problem, lambda _: None).recoding.levels
    else:
        with pytest.raises(RecipeError, match=r"suppression\.limit = 0"):
            Incognito().decide(engine, problem, lambda _: None)


def _two_by_two():
    from shoal.hierarchies.hierarchy import Hierarchy

    return [Hierarchy.from_paths([("x", "*"), ("y", "*")])], [(0,), (0,), (1,), (1,)], [0, 1, 0, 1]


def test_a_lattice_that_would_not_fit_is_refused_at_once():
    refuse_too_large([4] * 9)
    with pytest.raises(RecipeError, match="24 quasi-identifiers"):
        refuse_too_large([3] * 24)
