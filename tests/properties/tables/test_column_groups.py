"""The bound by groups of columns against every node of small lattices, from the definitions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_tables import all_nodes, classes_at, frequency_set, loss_by_definition, tables
from shoal.guarantees import KAnonymity, TCloseness
from shoal.loss import LOSSES
from shoal.loss.loss import normalized_weights
from shoal.methods.tables.lattice import column_groups
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.methods.tables.lattice.search import Search


def searched(trees, rows, k, limit, loss="glm"):
    weights = normalized_weights("abc"[: len(trees)], {})
    return Search(Nodes(frequency_set(trees, rows), trees, [KAnonymity(k)], LOSSES[loss], weights), limit)


def hidden_at(trees, rows, node, k):
    return {i for members in classes_at(trees, rows, node).values() if len(members) < k for i in members}


def keeping(trees, rows, k, limit):
    """Every node that keeps the promise."""
    for node in all_nodes(trees):
        hidden = hidden_at(trees, rows, node, k)
        if len(hidden) <= limit and len(hidden) < len(rows):
            yield node, hidden


@settings(deadline=None, max_examples=80)
@given(
    table=tables(),
    k=st.integers(2, 4),
    limit=st.integers(0, 3),
    loss=st.sampled_from(["glm", "ncp"]),
    most=st.sampled_from([1, 6, 4_000_000]),
    stop=st.integers(1, 12),
)
def test_no_release_loses_less_than_the_groups_together(table, k, limit, loss, most, stop):
    trees, rows, _ = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_groups, "_MOST", most)  # several groups, or one
        cut_short, asked = searched(trees, rows, k, limit, loss), []
        column_groups.group_columns(cut_short, lambda search: asked.append(1) or len(asked) >= stop)
        search = searched(trees, rows, k, limit, loss)
        groups = column_groups.group_columns(search, lambda search: False)
    assert sorted(column for group in groups for column in group.columns) == list(range(len(trees)))
    assert cut_short.bound <= search.bound + 1e-12
    kept = list(keeping(trees, rows, k, limit))
    for node, hidden in kept:
        assert search.bound <= float(loss_by_definition(loss, trees, rows, node, hidden)) + 1e-9
    for floor in (node for node, _ in kept[::3]):
        between = [(n, h) for n, h in kept if all(a <= b for a, b in zip(floor, n, strict=True))]
        least = min(float(loss_by_definition(loss, trees, rows, n, h)) for n, h in between)
        assert column_groups.bound_between(groups, floor, search.nodes.lattice.top) <= least + 1e-9


@settings(deadline=None, max_examples=60)
@given(table=tables(), k=st.integers(2, 4), limit=st.integers(0, 3))
def test_a_group_finds_its_exact_minimum(table, k, limit):
    """Of all columns in one group it is the least loss without suppression that any node with the promise has."""
    trees, rows, _ = table
    search = searched(trees, rows, k, limit)
    groups = column_groups.group_columns(search, lambda search: False)
    assert len(groups) == 1
    least = min(
        (float(loss_by_definition("glm", trees, rows, node, set())) for node, _ in keeping(trees, rows, k, limit)),
        default=math.inf,
    )
    if least < math.inf:
        assert search.bound == pytest.approx(least, abs=1e-9)


def test_guarantees_that_are_not_monotone_have_no_groups():
    """t-closeness with suppression: a node that keeps it says nothing of a more general one."""

    class Fake:
        limit = 3
        bound = 0.0

        class nodes:  # noqa: N801
            @staticmethod
            def bound_per_level():
                return [[0.0, 1.0]]

            @staticmethod
            def all_prune(limit):
                return TCloseness(0.2, "s").monotone_with_suppression

    assert column_groups.group_columns(Fake(), lambda search: False) == []
