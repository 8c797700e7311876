"""The frontier of k, l and loss against the definition: every node, with every l that may be asked of it."""

from __future__ import annotations

import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.frontier_oracle import _Price
from oracles.random_tables import all_nodes, classes_at, frequency_set, tables
from shoal.loss import loss_from
from shoal.loss.loss import normalized_weights
from shoal.methods.tables.lattice.bounds import bounds_of
from shoal.methods.tables.lattice.diverse import DiversePoint, diverse_front, undominated
from shoal.methods.tables.lattice.looks import Looks
from shoal.methods.tables.lattice.nodes import Nodes

EXAMPLES = int(os.environ.get("SHOAL_EXAMPLES", "120"))
LOSSES = ["glm", "ncp", "dm", "ce"]


def found_for(table, loss, limit, pause=lambda search: False):
    trees, rows, values = table
    counts = frequency_set(trees, rows, values)
    chosen = loss_from(loss, "s")
    looks = Looks(Nodes(counts, trees, [], chosen, normalized_weights(counts.columns, {})), counts, limit)
    return diverse_front(looks, "s", bounds_of(looks.nodes, counts, chosen, limit), pause)


def releases(table, loss, limit):
    """{(k, l, loss): nodes}: for every node and every u, what hides the classes with fewer than u values or smaller than t,
    for the largest t that the limit allows."""
    trees, rows, values = table
    price = _Price(loss, trees, rows, values)
    reached = {}
    for node in all_nodes(trees):
        classes = list(classes_at(trees, rows, node).values())
        for u in range(5):
            for t in sorted({len(members) for members in classes}, reverse=True):
                kept = [m for m in classes if len(m) >= t and len({values[i] for i in m}) >= u]
                hidden = len(rows) - sum(map(len, kept))
                if kept and hidden <= limit:
                    k = min(map(len, kept))
                    l = min(len({values[i] for i in m}) for m in kept)
                    reached.setdefault((k, l, price(node, kept, hidden)), set()).add(node)
                    break
    return reached


def best_of(reached):
    def beaten(k, l, loss):
        return any(a >= k and b >= l and c <= loss and (a, b, c) != (k, l, loss) for a, b, c in reached)

    return {key for key in reached if not beaten(*key)}


@settings(deadline=None, max_examples=EXAMPLES)
@given(table=tables(sensitive=True), loss=st.sampled_from(LOSSES), limit=st.sampled_from([0, 0, 1, 3]))
def test_the_frontier_is_that_of_the_definition(table, loss, limit):
    if limit >= len(table[1]):
        return
    points, complete = found_for(table, loss, limit)
    reached = releases(table, loss, limit)
    assert complete
    assert {(p.k, p.l, p.loss) for p in points} == best_of(reached)
    assert all(p.levels in reached[p.k, p.l, p.loss] for p in points)
    assert [(p.l, p.k) for p in points] == sorted({(p.l, p.k) for p in points})


@settings(deadline=None, max_examples=EXAMPLES // 3)
@given(
    table=tables(sensitive=True), loss=st.sampled_from(LOSSES), limit=st.sampled_from([0, 2]), stop=st.integers(0, 6)
)
def test_a_search_cut_short_shows_only_what_can_be_had(table, loss, limit, stop):
    if limit >= len(table[1]):
        return
    asked = []
    points, complete = found_for(table, loss, limit, lambda search: asked.append(1) or len(asked) > stop)
    reached = releases(table, loss, limit)
    assert all(p.levels in reached[p.k, p.l, p.loss] for p in points)
    assert not complete or {(p.k, p.l, p.loss) for p in points} == best_of(reached)


@pytest.mark.parametrize("seed", range(3))
def test_what_nothing_beats(seed):
    rng = random.Random(seed)
    points = [DiversePoint(rng.randint(1, 5), rng.randint(0, 3), rng.randint(0, 6), (0,), 0, 1) for _ in range(40)]
    assert {(p.k, p.l, p.loss) for p in undominated(points)} == best_of({(p.k, p.l, p.loss): () for p in points})
