"""The exact frontier against enumeration from the definitions: points, ties, suppressed rows, and what a cut search claims."""

from __future__ import annotations

import os
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.frontier_oracle import evaluations, frontier, k_by_definition
from oracles.random_tables import all_nodes, frequency_set, tables
from shoal.errors import Infeasible
from shoal.kernels.tables.agreement import pairs_alike
from shoal.loss import loss_from
from shoal.loss.loss import normalized_weights
from shoal.methods.tables.frontier import points_of
from shoal.methods.tables.lattice import bounds as bounds_module
from shoal.methods.tables.lattice.bounds import bounds_of
from shoal.methods.tables.lattice.large_front import ladder_to, large_front
from shoal.methods.tables.lattice.looks import Looks
from shoal.methods.tables.lattice.nodes import Nodes
from shoal.methods.tables.lattice.pareto import Pareto
from shoal.methods.tables.poka import poka

EXAMPLES = int(os.environ.get("SHOAL_EXAMPLES", "500"))
CELL_AND_CLASS = ["glm", "ncp", "dm", "entropy", "ce"]


def looks_for(table, loss, limit):
    trees, rows, labels = table
    counts = frequency_set(trees, rows, labels if loss == "ce" else None)
    weights = normalized_weights(counts.columns, {})
    return Looks(Nodes(counts, trees, [], loss_from(loss, "s"), weights), counts, limit)


def search_for(looks, loss):
    return Pareto(looks, bounds_of(looks.nodes, looks.frequency, loss_from(loss, "s"), looks.limit))


def truth(table, loss, limit):
    """From the definition; of entropy, whose costs are in fixed point, from a look at every node."""
    trees, rows, labels = table
    found = evaluations(loss, trees, rows, limit, labels)
    if loss == "entropy":
        looks = looks_for(table, loss, limit)
        for node, (k, value, hidden) in found.items():
            look = looks(node)
            assert (look.k, look.suppressed) == (k, hidden)
            assert float(look.loss) == pytest.approx(float(value), abs=2e-6)
            found[node] = (look.k, look.loss, look.suppressed)
    return found


def drawn(points):
    return {(point.k, point.loss): {tie.levels for tie in point.ties} for point in points}


@pytest.mark.parametrize("agreement", [True, False])
@settings(deadline=None, max_examples=EXAMPLES)
@given(table=tables(sensitive=True), loss=st.sampled_from(CELL_AND_CLASS), limit=st.sampled_from([0, 1, 3]))
def test_the_frontier_is_that_of_the_definition(agreement, table, loss, limit):
    if limit >= len(table[1]) or (loss != "dm" and not agreement):
        return
    found = truth(table, loss, limit)
    with pytest.MonkeyPatch.context() as patch:
        if not agreement:  # DM as any class loss: its bounds are learnt from node to node
            patch.setattr(bounds_module, "_PAIRS_PER_NODE", 0)
        looks = looks_for(table, loss, limit)
        search = search_for(looks, loss)
    assert search.run(lambda search: False)
    points = points_of(looks.seen.values(), search.least_loss)
    assert drawn(points) == frontier(found)
    assert all(point.proved and point.smallest_class == point.k for point in points)
    assert all(tie.suppressed == found[tie.levels][2] for point in points for tie in point.ties)


@settings(deadline=None, max_examples=100)
@given(
    table=tables(sensitive=True),
    loss=st.sampled_from(CELL_AND_CLASS),
    limit=st.sampled_from([0, 1, 3]),
    stop=st.integers(0, 6),
    first=st.booleans(),
)
def test_a_search_cut_short_never_claims_more_than_it_proved(table, loss, limit, stop, first):
    if limit >= len(table[1]):
        return
    found = truth(table, loss, limit)
    looks = looks_for(table, loss, limit)
    search = search_for(looks, loss)
    if first:
        search.descend()
    asked = []
    search.run(lambda search: asked.append(1) or len(asked) > stop)
    holds(points_of(looks.seen.values(), search.least_loss), found)


@settings(deadline=None, max_examples=100)
@given(
    table=tables(sensitive=True),
    loss=st.sampled_from(CELL_AND_CLASS),
    limit=st.sampled_from([0, 1, 3]),
    late=st.booleans(),
)
def test_the_search_of_large_lattices_claims_no_more_than_it_proved(table, loss, limit, late):
    if limit >= len(table[1]):
        return
    found = truth(table, loss, limit)
    looks = looks_for(table, loss, limit)
    bounds = large_front(looks, 0.0 if late else float("inf"), lambda k, looked: None)
    points = points_of(looks.seen.values(), lambda k: max((b for at, b in bounds.items() if at <= k), default=0.0))
    holds(points, found)
    if not late:  # at each k of the ladder the least loss is found
        for k in bounds:
            least = min(loss for reached, loss, _ in found.values() if reached >= k)
            assert min(point.loss for point in points if point.k >= k) == least


def holds(points, found):
    for point in points:
        assert all(found[tie.levels][:2] == (point.k, point.loss) for tie in point.ties)
        least = min(loss for k, loss, _ in found.values() if k >= point.k)
        assert point.bound <= float(least) + 1e-9 * max(1.0, float(least))
        if point.proved:
            assert point.loss == least


@settings(deadline=None, max_examples=100)
@given(
    table=tables(sensitive=True),
    loss=st.sampled_from(CELL_AND_CLASS),
    limit=st.sampled_from([0, 1, 3]),
    depth=st.data(),
)
def test_poka_always_ends_and_returns_nodes_as_they_are(table, loss, limit, depth):
    if limit >= len(table[1]):
        return
    found = truth(table, loss, limit)
    looks = looks_for(table, loss, limit)
    steps = poka(looks, depth.draw(st.sampled_from([None, 1, 2, 3, 9, "best", "worst"])))
    assert all(found[base.node][:2] == (base.k, base.loss) for base in steps.found)
    # k never rises from base to base, and where it stays the base goes down: so it ends
    assert all((a.k, sum(a.node)) > (b.k, sum(b.node)) for a, b in pairwise(steps.found))
    assert steps.found[0].node == looks.nodes.lattice.top


@settings(deadline=None, max_examples=100)
@given(table=tables(sensitive=True), limit=st.integers(0, 5))
def test_k_of_a_node(table, limit):
    if limit >= len(table[1]):
        with pytest.raises(Infeasible, match="all of them"):
            looks_for(table, "glm", limit)
        return
    looks = looks_for(table, "glm", limit)
    for node in all_nodes(table[0]):
        sizes = looks.nodes.classes(node).sizes
        assert looks.k_of(sizes) == k_by_definition(sizes.tolist(), limit)


@settings(deadline=None, max_examples=100)
@given(table=tables())
def test_pairs_that_look_the_same(table):
    """The kernel against its definition: for every node the sum of squared class sizes."""
    trees, rows, _ = table
    counts = frequency_set(trees, rows)
    pairs = pairs_alike(counts.codes, counts.counts, [tree.groups for tree in trees])
    nodes = looks_for(table, "dm", 0).nodes
    for node in all_nodes(trees):
        assert pairs[node] == np.square(nodes.classes(node).sizes).sum()


def test_the_ladder_of_k():
    assert ladder_to(30_162) == [2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_162]
    assert ladder_to(4) == [2, 3, 4]
    assert ladder_to(2) == [2]
    assert ladder_to(1) == [1]
