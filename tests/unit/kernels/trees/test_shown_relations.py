"""What trees show of labels and relations, against sets of paths in plain Python: labels held, relations kept and lost, paths."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from oracles.trees_by_hand import forests, labels_of, recodings, relations_of
from shoal.kernels.trees.blurring import apart_table
from shoal.kernels.trees.held_labels import hold, room_to_hold
from shoal.kernels.trees.kept_relations import depths, kept_relations, pairs_of_labels
from shoal.kernels.trees.lost_relations import lost_relations, relations_in
from shoal.kernels.trees.one_path import on_one_path
from shoal.kernels.trees.placing import Showing, Trees
from shoal.recoding.trees.rules import LEFT_OUT

if TYPE_CHECKING:
    from shoal.data.trees import Forest
    from shoal.recoding.trees.rules import TreeRecoding


@njit
def held_by(trees, tree, showing, held):
    return hold(trees, tree, showing, held)


def dense(recoding: TreeRecoding) -> tuple[Showing, list[int]]:
    """What is shown, its labels numbered from 0; and these labels."""
    labels = sorted(set(recoding.shown_as.tolist()) - {LEFT_OUT})
    number = np.full(int(recoding.first_shown[-1]) + 1, -1, np.int32)
    number[labels] = np.arange(len(labels))
    apart = number[np.array(recoding.apart, np.int64).reshape(-1, 2)].astype(np.int64)
    return Showing(number[recoding.shown_as], *apart_table(apart, len(labels))), labels


def of(forest: Forest, records: list[int]) -> Trees:
    return Trees(
        forest.offsets, forest.labels, forest.parents, np.array(records, np.int64), np.zeros(len(forest), np.int64), 1
    )


@given(forests(), recodings())
@settings(max_examples=200, deadline=None)
def test_labels_that_a_tree_holds_and_which_are_related(forest: Forest, recoding: TreeRecoding) -> None:
    showing, labels = dense(recoding)
    if not labels:
        return
    trees, after = of(forest, [1] * len(forest)), recoding.over(forest)
    held = room_to_hold(trees, np.arange(len(forest)), showing)
    for tree in range(len(forest)):
        number = held_by(trees, tree, showing, held)
        paths = after.paths(tree)
        shown = [labels[label] for label in held.labels[:number]]
        assert shown == sorted(labels_of(paths))
        related = {frozenset(pair) for pair in relations_of(paths)}
        for i, one in enumerate(shown):
            for j, two in enumerate(shown):
                assert held.related[i, j] == (i != j and frozenset((one, two)) in related)


@given(forests(), recodings(), st.data())
@settings(max_examples=200, deadline=None)
def test_relations_that_are_lost(forest: Forest, recoding: TreeRecoding, data: st.DataObject) -> None:
    showing, labels = dense(recoding)
    if not labels:
        return
    records = data.draw(st.lists(st.integers(1, 3), min_size=len(forest), max_size=len(forest)))
    chosen = data.draw(st.lists(st.sampled_from(range(len(forest))), unique=True, min_size=1))
    after = recoding.over(forest)
    lost = 0.0
    found = relations_in(of(forest, records), np.array(chosen, np.int64))
    for place, tree in enumerate(chosen):
        relations = sorted(relations_of(forest.paths(tree)))
        here = slice(found.offsets[place], found.offsets[place + 1])
        assert list(zip(found.upper[here].tolist(), found.lower[here].tolist(), strict=True)) == relations
        kept = relations_of(after.paths(tree))
        gone = sum((int(recoding.shown_as[a]), int(recoding.shown_as[b])) not in kept for a, b in relations)
        lost += records[tree] * gone / len(relations) if relations else 0
    mean = lost / sum(records[tree] for tree in chosen)
    levels = np.zeros(len(showing.apart_row))
    made, more = lost_relations(of(forest, records), np.array(chosen, np.int64), found, showing, levels)
    assert made == pytest.approx(mean)
    assert more == 0  # nothing is left out below something else


def nodes_above(forest: Forest, node: int, start: int) -> list[int]:
    """The topmost first."""
    made, up = [], int(forest.parents[node])
    while up >= 0:
        made.insert(0, start + up)
        up = int(forest.parents[start + up])
    return made


@given(forests(), recodings())
@settings(max_examples=200, deadline=None)
def test_relations_that_are_kept(forest: Forest, recoding: TreeRecoding) -> None:
    after = recoding.over(forest)
    starts, kept, pairs, lost = [0], [], [], []
    for tree in range(len(forest)):
        first, last = int(forest.offsets[tree]), int(forest.offsets[tree + 1])
        shown = relations_of(after.paths(tree))
        related: Counter[tuple[int, int]] = Counter()
        for node in range(first, last):
            for up in nodes_above(forest, node, first):
                one, two = (int(forest.labels[x]) for x in (up, node))
                still = (int(recoding.shown_as[one]), int(recoding.shown_as[two])) in shown
                kept.append(still)
                related[one, two] += still
            starts.append(len(kept))
        pairs.append(len(related))
        lost.append(sum(still == 0 for still in related.values()))
    places = np.array(starts, np.int64)
    above = depths(forest.offsets, forest.parents)
    assert above.tolist() == [b - a + 1 for a, b in pairwise(starts)]
    shows = recoding.shown_as[forest.labels].astype(np.int32)
    made = kept_relations(
        forest.offsets, forest.parents, places, shows, after.offsets, after.labels.astype(np.int32), after.parents
    )
    assert made.tolist() == kept
    counted = pairs_of_labels(forest.offsets, forest.labels, forest.parents, places, made)
    assert [x.tolist() for x in counted] == [pairs, lost]


@given(forests(), st.sets(st.integers(0, 23), min_size=1, max_size=3), st.data())
@settings(deadline=None)
def test_labels_on_one_path(forest: Forest, asked: set[int], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(range(len(forest)))))
    made = on_one_path(
        forest.offsets,
        forest.labels,
        forest.parents,
        np.array(chosen, np.int64),
        np.array(sorted(asked), np.int32),
    )
    assert made.tolist() == [any(asked <= set(path) for path in forest.paths(tree)) for tree in chosen]
