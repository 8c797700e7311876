"""Sums of trees, in parts and from their definitions; and what a report says when it measures on a sample."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from oracles.trees_by_hand import FIRST, HIERARCHIES, SHAPE, forests, recodings
from samples.tree_release import Fixed, recipe, records
from shoal.data.trees import TREE, Forest
from shoal.loss.trees.pair_loss import TreeDistance
from shoal.loss.trees.release import TreeRelease
from shoal.methods import registry
from shoal.recoding.trees.rules import TreeRecoding
from shoal.release.kinds.trees import describe, losses
from shoal.release.kinds.trees.totals import Totals, TreeTotals
from shoal.release.run import anonymize


@st.composite
def released(draw):
    forest = draw(forests())
    counts = draw(st.lists(st.integers(1, 5), min_size=len(forest), max_size=len(forest)))
    return draw(recodings()), replace(forest, records=np.array(counts, np.int64))


@settings(deadline=None)
@given(released())
def test_sums_are_those_of_the_definition(made):
    recoding, forest = made
    release = TreeRelease.of(recoding, forest)
    totals = TreeTotals.of(release)
    holders, shown, became, before, after, links = (Counter() for _ in range(6))
    for tree, copies in enumerate(forest.records.tolist()):
        paths = release.shown.paths(tree)
        pairs = {pair for path in paths for pair in combinations(path, 2)}
        holders.update({label: copies for path in paths for label in path})
        for path in paths:
            shown[path[-1]] += copies
        before[int(np.diff(forest.offsets)[tree])] += copies
        after[len(paths)] += copies
        for path in forest.paths(tree):
            as_shown = [int(recoding.shown_as[label]) for label in path]
            became[path[-1], as_shown[-1]] += copies
            for above in as_shown[:-1]:
                links[(above, as_shown[-1]) in pairs] += copies
    assert {label: number for label, number in enumerate(totals.holders.tolist()) if number} == holders
    assert {label: number for label, number in enumerate(totals.shown_nodes.tolist()) if number} == shown
    labels, shows, nodes = (column.tolist() for column in totals.became)
    assert dict(zip(zip(labels, shows, strict=True), nodes, strict=True)) == became
    assert (totals.before, totals.after) == (before, after)
    assert totals.links == (links.total(), links[True])
    assert totals.rows == release.rows
    assert totals.distance == TreeDistance().of(release)


class InParts:
    """An engine that counts its trees record by record, in several batches and several workers."""

    def __init__(self, forest: Forest, cuts: list[int]) -> None:
        every = np.repeat(np.arange(len(forest)), forest.records)
        self.records = pa.RecordBatch.from_arrays([forest.packed().take(pa.array(every))], [TREE])
        self.edges = sorted({0, *(cut % (len(every) + 1) for cut in cuts), len(every)})

    def count_trees(self, counter, hierarchies):
        parts = [
            self.records.slice(start, stop - start) for start, stop in zip(self.edges[:-1], self.edges[1:], strict=True)
        ]
        handed = [*counter.partials(iter(parts[::2])), *counter.partials(iter(parts[1::2]))]
        table = pa.Table.from_batches(handed).group_by(counter.keys.names).aggregate([("records", "sum")])
        return table.rename_columns([*counter.keys.names, "records"]).sort_by(
            [(n, "ascending") for n in counter.keys.names]
        )


@settings(deadline=None)
@given(released(), st.lists(st.integers(0, 30), max_size=4))
def test_parts_add_up(made, cuts):
    recoding, forest = made
    release = TreeRelease.of(recoding, forest)
    whole = TreeTotals.of(release)
    counted = TreeTotals.of_everyone(InParts(forest, cuts), recoding.hierarchies, recoding, release)
    assert counted.keys.tolist() == whole.keys.tolist()
    assert counted.sums.tolist() == whole.sums.tolist()


def test_a_worker_hands_over_what_is_much(monkeypatch):
    monkeypatch.setattr("shoal.release.kinds.trees.totals._HANDED_OVER", 3)
    monkeypatch.setattr("shoal.release.kinds.trees.totals._AT_ONCE", 1)
    forest = Forest.of_paths([[(0,), (16,)], [(1,)]], SHAPE, FIRST)
    recoding = TreeRecoding(SHAPE, HIERARCHIES, tuple(np.arange(4, dtype=np.int32) for _ in SHAPE.names))
    batch = pa.RecordBatch.from_arrays([forest.packed()], [TREE])
    assert len(list(Totals(recoding).partials(iter([batch])))) == 2


@pytest.mark.parametrize("most", [1, 5])
def test_a_report_on_a_sample_tells_the_same_numbers(monkeypatch, most):
    monkeypatch.setitem(registry.METHODS, "inplace", Fixed())
    described = []
    describe_trees = describe.describe_trees
    monkeypatch.setattr(describe, "describe_trees", lambda *a: described.append(describe_trees(*a)) or described[-1])
    for limit in (losses.MOST, most):
        monkeypatch.setattr(losses, "MOST", limit)
        assert anonymize(pa.Table.from_pylist(records()), recipe()).verdict.passed
    whole, some = described
    for name in ("records", "classes", "apart", "out", "relations_kept", "sizes", "example", "private_facts"):
        assert getattr(some.facts, name) == getattr(whole.facts, name), name
    assert replace(some.public, attackers=(), identity=whole.public.identity) == replace(
        whole.public, attackers=(), attacks=(), search=some.public.search
    )
    assert some.book == whole.book
    assert whole.facts.attackers and not some.facts.attackers and not some.facts.attacks
    exact, *sampled = some.facts.losses
    assert exact == whole.facts.losses[0] and "sample" not in exact.title
    assert len(sampled) == len(whole.facts.losses) - 2  # of all records laid upon each other a sample says nothing
    assert all(re.search(r", on a sample of \d+ records$", one.title) for one in sampled)
    assert some.losses["tree-loss"] == whole.losses["tree-loss"]


def test_a_comparison_on_a_sample_says_so(monkeypatch):
    monkeypatch.setattr(losses, "MOST", 5)
    monkeypatch.setitem(registry.METHODS, "inplace", Fixed())
    found = shoal.compare(pa.Table.from_pylist(records()), recipe(), methods=["inplace"])
    assert {loss.name: "on a sample of" in loss.title for loss in found.facts.losses} == {
        "tree-loss": False,
        "rpd": True,
        "ml2": True,
        "dml2": True,
    }
