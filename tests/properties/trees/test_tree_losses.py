"""Losses of trees against brute force from their definitions on sets of paths."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.trees_by_hand import CHAINS, FIRST, HIERARCHIES, SHAPE, forests, recodings, relations_of
from shoal.data.trees import Forest
from shoal.loss import TREE_LOSSES
from shoal.loss.trees.dml2 import DML2
from shoal.loss.trees.ml2 import ML2
from shoal.loss.trees.pair_loss import TreeDistance
from shoal.loss.trees.release import TreeRelease
from shoal.loss.trees.rpd import RPD, reverse_path_domain
from shoal.loss.trees.rpd_a import RPDa
from shoal.loss.trees.subtrees import Subtrees
from shoal.recoding.trees.rules import LEFT_OUT, TreeRecoding

QUIET = settings(deadline=None)
HEIGHT = 3  # values, two groups, all of the class, and left out
FIRST_SHOWN = np.cumsum([0, *(len(HIERARCHIES[name].labels) for name in SHAPE.names)])


@st.composite
def releases(draw):
    """Records shown by one recoding."""
    forest = draw(forests())
    counts = draw(st.lists(st.integers(1, 5), min_size=len(forest), max_size=len(forest)))
    forest = Forest(forest.offsets, forest.labels, forest.parents, np.array(counts, np.int64))
    return TreeRelease.of(draw(recodings()), forest), counts


@st.composite
def local_releases(draw):
    """Records of which each is shown in a way of its own."""
    forest = draw(forests())
    parts = [draw(recodings()) for _ in range(len(forest))]
    whole = [part.over(forest) for part in parts]
    paths = [shown.paths(tree) for tree, shown in enumerate(whole)]
    shown = Forest.of_paths(paths, SHAPE, FIRST_SHOWN)
    tree = np.repeat(np.arange(len(forest)), np.diff(forest.offsets))
    labels = zip(tree.tolist(), forest.labels.tolist(), strict=True)
    shows = np.array([parts[t].shown_as[label] for t, label in labels], np.int32)
    counts = draw(st.lists(st.integers(1, 5), min_size=len(forest), max_size=len(forest)))
    records = np.array(counts, np.int64)
    forest = Forest(forest.offsets, forest.labels, forest.parents, records)
    shown = Forest(shown.offsets, shown.labels, shown.parents, records)
    return TreeRelease(SHAPE, HIERARCHIES, forest, shown, shows), counts


any_release = st.one_of(releases(), local_releases())


def level_of(label):
    """Of a shown label, or of LEFT_OUT."""
    if label == LEFT_OUT:
        return HEIGHT
    place = label - FIRST_SHOWN[np.searchsorted(FIRST_SHOWN, label, "right") - 1]
    return 0 if place < 4 else 1 if place < 6 else 2


def nodes_of(release, tree):
    """Every node as its path, with the label it is shown as."""
    forest, paths, made = release.originals, [], []
    for node in range(int(forest.offsets[tree]), int(forest.offsets[tree + 1])):
        parent = int(forest.parents[node])
        above = paths[parent] if parent >= 0 else ()
        shows = made[parent][1] if parent >= 0 else ()
        paths.append((*above, int(forest.labels[node])))
        made.append((paths[-1], (*shows, int(release.shows[node]))))
    return made


def lifted(label, level):
    """A shown label as it is called at a level."""
    number = int(np.searchsorted(FIRST_SHOWN, label, "right")) - 1
    tree, at = HIERARCHIES[SHAPE.names[number]], label - int(FIRST_SHOWN[number])
    while level_of(at + int(FIRST_SHOWN[number])) < level:
        at = int(tree.parents[at])
    return at + int(FIRST_SHOWN[number])


def as_shown(label):
    number = int(np.searchsorted(FIRST, label, "right")) - 1
    return int(FIRST_SHOWN[number] + label - FIRST[number])


@given(any_release)
@QUIET
def test_tree_loss(drawn):
    release, counts = drawn
    total = Fraction(0)
    for tree, count in enumerate(counts):
        nodes = nodes_of(release, tree)
        related = relations_of(release.shown.paths(tree))
        kept: dict = {}
        for path, shows in nodes:
            for up in range(len(path) - 1):
                pair = (path[up], path[-1])
                kept[pair] = kept.get(pair, False) or (shows[up], shows[-1]) in related
        vague = sum((Fraction(level_of(shows[-1]), HEIGHT) for _, shows in nodes), Fraction(0))
        mine = vague / len(nodes) if nodes else Fraction(0)
        mine += Fraction(sum(not one for one in kept.values()), len(kept)) if kept else 0
        total += count * mine / 2
    assert TreeDistance().of(release) == total / sum(counts)


@given(forests(), recodings(), recodings())
@QUIET
def test_tree_loss_never_falls(forest, one, two):
    """When values are shown by coarser labels or left out, and then when labels are kept apart."""
    nodes = tuple(
        np.where((a < 0) | (b < 0), LEFT_OUT, np.maximum(a, b)) for a, b in zip(one.nodes, two.nodes, strict=True)
    )
    coarse = TreeRecoding(SHAPE, HIERARCHIES, nodes)
    apart = tuple(pair for pair in two.apart if set(pair) <= set(coarse.shown_as.tolist()))
    steps = [TreeRecoding(SHAPE, HIERARCHIES, one.nodes), coarse, TreeRecoding(SHAPE, HIERARCHIES, nodes, apart)]
    losses = [TreeDistance().of(TreeRelease.of(step, forest)) for step in steps]
    assert losses == sorted(losses)


def domain_of(label):
    return {0: 24, 1: 12, 2: 6}[level_of(label)]


def ends(paths):
    return [path for path in paths if not any(other[:-1] == path for other in paths)]


@given(any_release)
@QUIET
def test_rpd(drawn):
    release, counts = drawn
    total = Fraction(0)
    for tree, count in enumerate(counts):
        paths = ends(release.shown.paths(tree))
        total += count * reverse_path_domain([[domain_of(label) for label in path] for path in paths])
    assert float(RPD().of(release)) == pytest.approx(float(total / sum(counts)))


@given(any_release)
@QUIET
def test_rpd_a(drawn):
    release, counts = drawn
    supports: dict = {}
    for tree, count in enumerate(counts):
        for path in release.shown.paths(tree):
            supports[path] = supports.get(path, 0) + count
    total = Fraction(0)
    for path in ends(supports):
        above = sum(supports[path[: i + 1]] for i in range(len(path)))
        total += above * reverse_path_domain([[domain_of(label) for label in path]])
    expected = total / len(supports) / len(ends(supports)) if supports else Fraction(sum(counts))
    assert float(RPDa().of(release)) == pytest.approx(float(expected))


@given(any_release, st.integers(1, 4), st.integers(1, 5))
@settings(deadline=None, max_examples=60)
def test_frequent_subtrees(drawn, least, size):
    release, counts = drawn
    found = Subtrees.of(release, least, size)
    for level, mine in enumerate(found.levels):
        told = {mine.subtree(i): i for i in range(len(mine.found.paths))}
        assert len(told) == len(mine.found.paths)
        held = [_held(release, tree, level) for tree in range(len(counts))]
        shown = [{tuple(lifted(x, level) for x in path) for path in release.shown.paths(t)} for t in range(len(counts))]
        every = {subtree for paths in held for subtree in _subtrees(set(paths), size)}
        frequent = {s for s in every if _records(s, held, counts) >= least}
        assert set(told) == frequent
        for subtree, number in told.items():
            assert mine.found.supports[number] == _records(subtree, held, counts)
            assert mine.found.shown[number] == _records(subtree, shown, counts)
            assert mine.found.distances[number] == pytest.approx(_distance(subtree, held, counts))


def _held(release, tree, level):
    """The paths of a tree at a level, each with the fewest levels climbed, and the nodes above it that it is still shown below."""
    related = relations_of(release.shown.paths(tree))
    made: dict = {}
    for path, shows in nodes_of(release, tree):
        called = tuple(lifted(as_shown(label), level) for label in path)
        climbed = max(level_of(shows[-1]) - level, 0)
        kept = {up for up in range(len(path) - 1) if (shows[up], shows[-1]) in related}
        before = made.get(called, (climbed, set()))
        made[called] = (min(before[0], climbed), before[1] | kept)
    return made


def _subtrees(paths, size):
    for number in range(1, min(size, len(paths)) + 1):
        for some in combinations(sorted(paths), number):
            if all(len(path) == 1 or path[:-1] in some for path in some):
                yield frozenset(some)


def _records(subtree, held, counts):
    return sum(count for paths, count in zip(held, counts, strict=True) if all(path in paths for path in subtree))


def _distance(subtree, held, counts):
    total = Fraction(0)
    links = sum(len(path) - 1 for path in subtree)
    for paths, count in zip(held, counts, strict=True):
        if all(path in paths for path in subtree):
            vague = Fraction(sum(paths[path][0] for path in subtree), HEIGHT * len(subtree))
            lost = Fraction(sum(len(path) - 1 - len(paths[path][1]) for path in subtree), links) if links else 0
            total += count * (vague + lost) / 2
    return float(total / _records(subtree, held, counts))


@given(any_release)
@QUIET
def test_shares_lie_between_0_and_1_and_nothing_is_lost_where_nothing_changes(drawn):
    release, _ = drawn
    assert all(0 <= figure().of(release) <= 1 for figure in TREE_LOSSES.values() if figure.share)
    same = tuple(HIERARCHIES[name].levels[0] for name in SHAPE.names)
    bare = TreeRelease.of(TreeRecoding(SHAPE, HIERARCHIES, same), release.originals)
    assert TreeDistance().of(bare) == ML2().of(bare) == DML2().of(bare) == 0


def test_too_many_subtrees_are_smaller_ones():
    chain = CHAINS[0][:3]
    path = tuple(int(FIRST[SHAPE.names.index(name)]) for name in chain)
    forest = Forest.of_paths([[path, (FIRST[SHAPE.names.index("sex")],)]] * 3, SHAPE, FIRST)
    same = tuple(HIERARCHIES[name].levels[0] for name in SHAPE.names)
    release = TreeRelease.of(TreeRecoding(SHAPE, HIERARCHIES, same), forest)
    assert Subtrees.of(release, 1).total == 3 * 7
    fewer = Subtrees.of(release, 1, most=3 * 4)
    assert (fewer.nodes, fewer.total) == (2, 3 * 4)


@given(any_release, st.integers(1, 4))
@QUIET
def test_a_part_is_every_so_manieth_tree(drawn, step):
    release, counts = drawn
    part = release.part(step)
    chosen = range(0, len(counts), step)
    assert part.rows == sum(counts[tree] for tree in chosen)
    for place, tree in enumerate(chosen):
        assert nodes_of(part, place) == nodes_of(release, tree)
        assert part.shown.paths(place) == release.shown.paths(tree)
