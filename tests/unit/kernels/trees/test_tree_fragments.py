"""Counts of fragments against sets of paths in plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.trees_by_hand import forests, labels_of, on_one_path, recodings, relations_of
from shoal.kernels.trees.blurring import apart_table
from shoal.kernels.trees.breaches import Bounds, breaches
from shoal.kernels.trees.fragments import fragments
from shoal.kernels.trees.path_combinations import path_sets
from shoal.kernels.trees.placing import Showing, Trees
from shoal.kernels.trees.small_fragments import small_fragments
from shoal.kernels.trees.supports import relation_supports, trees_with
from shoal.recoding.trees.rules import LEFT_OUT

if TYPE_CHECKING:
    from shoal.data.trees import Forest
    from shoal.recoding.trees.rules import TreeRecoding


def dense(recoding: TreeRecoding, focus: list[int]) -> tuple[Showing, list[int]]:
    labels = focus + [x for x in sorted(set(recoding.shown_as.tolist()) - {LEFT_OUT}) if x not in focus]
    number = np.full(int(recoding.first_shown[-1]) + 1, -1, np.int32)
    number[labels] = np.arange(len(labels))
    apart = number[np.array(recoding.apart, np.int64).reshape(-1, 2)].astype(np.int64)
    return Showing(number[recoding.shown_as], *apart_table(apart, len(labels))), labels


@given(forests(), recodings(), st.integers(1, 4), st.data())
@settings(max_examples=400, deadline=None)
def test_counts(forest: Forest, recoding: TreeRecoding, size: int, data: st.DataObject) -> None:
    shown = sorted(set(recoding.shown_as.tolist()) - {LEFT_OUT})
    if not shown:
        return
    focus = data.draw(st.lists(st.sampled_from(shown), unique=True, min_size=1))
    showing, labels = dense(recoding, focus)
    records = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(forest), max_size=len(forest))), np.int64)
    number = data.draw(st.sampled_from([1, 3]))  # of sensitive values; one: there are none
    values = np.array(
        data.draw(st.lists(st.integers(0, number - 1), min_size=len(forest), max_size=len(forest))), np.int64
    )
    trees = Trees(forest.offsets, forest.labels, forest.parents, records, values, number)
    chosen = np.arange(len(forest))
    fragments_by_hand: Counter[tuple[frozenset[int], int, frozenset[frozenset[int]]]] = Counter()
    paths_by_hand: Counter[tuple[frozenset[int], int]] = Counter()
    relations_by_hand: Counter[tuple[int, int]] = Counter()
    after = recoding.over(forest)
    for tree in range(len(forest)):
        paths, value = after.paths(tree), int(values[tree])
        related = relations_of(paths)
        for one in combinations(sorted(labels_of(paths)), size):
            if set(one) & set(focus):
                pattern = frozenset(frozenset(pair) for pair in related if set(pair) <= set(one))
                fragments_by_hand[frozenset(one), value, pattern] += int(records[tree])
        for found in on_one_path(paths, size):
            if found & set(focus):
                paths_by_hand[found, value] += int(records[tree])
        for pair in related:
            relations_by_hand[pair] += int(records[tree])
    pairs = size * (size - 1) // 2
    keys, counts = fragments(trees, chosen, showing, len(focus), size)
    if size in (2, 3):
        small = small_fragments(trees, chosen, showing, len(focus))
        assert [x.tolist() for x in small[2 * size - 4 : 2 * size - 2]] == [keys.tolist(), counts.tolist()]
    assert sorted(set(keys.tolist())) == keys.tolist()
    bits = [(i, j) for j in range(size) for i in range(j)]
    counted: dict[tuple[frozenset[int], int, frozenset[frozenset[int]]], int] = {}
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        combination, value = divmod(key >> pairs, number)
        members = [labels[x] for x in digits(combination, len(labels), size)]
        pattern = frozenset(frozenset((members[i], members[j])) for b, (i, j) in enumerate(bits) if key >> b & 1)
        counted[frozenset(members), value, pattern] = count
    assert counted == dict(fragments_by_hand)
    if size > 1:
        keys, counts = path_sets(trees, chosen, showing, len(focus), size)
        assert {
            (frozenset(labels[x] for x in digits(key // number, len(labels), size)), key % number): n
            for key, n in zip(keys.tolist(), counts.tolist(), strict=True)
        } == dict(paths_by_hand)
    table = relation_supports(trees, chosen, showing)
    assert {(labels[a], labels[b]): int(table[a, b]) for a, b in np.argwhere(table).tolist()} == dict(relations_by_hand)


def digits(number: int, base: int, size: int) -> list[int]:
    made = []
    for _ in range(size):
        number, digit = divmod(number, base)
        made.append(digit)
    return made[::-1]


@given(
    st.dictionaries(st.integers(0, 95), st.integers(1, 4), max_size=20),
    st.integers(2, 5),
    st.sampled_from([1, 3]),
    st.sampled_from([(0, 0), (2, 0), (2, 2), (3, 2)]),
)
@settings(max_examples=300, deadline=None)
def test_breaches(counted: dict[int, int], k: int, number: int, asked: tuple[int, int]) -> None:
    """Three pairs: a pattern is the lowest three bits; above it the value."""
    different, one_in = asked if number > 1 else (0, 0)
    keys = np.array(sorted(counted), np.int64)
    counts = np.array([counted[key] for key in sorted(counted)], np.int64)
    masks = [0, 1, 2, 4, 3, 5, 6]
    made = breaches(keys, counts, 3, number, np.array(masks, np.int64), Bounds(k, different, one_in))
    by_hand = []
    for combination in sorted({key // (8 * number) for key in counted}):
        broken: list[int] = []
        for mask in masks:
            by_value: Counter[int] = Counter()
            for key, n in counted.items():
                if key // (8 * number) == combination and key & mask == mask:
                    by_value[key // 8 % number] += n
            records, hidden = by_value.total(), by_value.pop(0, 0)
            lasting = records < k or len(by_value) < different
            skewed = (max(by_value.values(), default=0) + hidden) * one_in > records
            if records and (lasting or skewed) and not any(b & mask == b for b in broken):
                broken.append(mask)
                by_hand.append((combination, mask, records, lasting))
    assert list(zip(*(x.tolist() for x in made), strict=True)) == by_hand


@given(forests(), st.sets(st.integers(0, 23)))
@settings(deadline=None)
def test_trees_with(forest: Forest, asked: set[int]) -> None:
    trees = Trees(forest.offsets, forest.labels, forest.parents, forest.records, np.zeros(len(forest), np.int64), 1)
    mask = np.zeros(24, np.bool_)
    mask[list(asked)] = True
    by_hand = [tree for tree in range(len(forest)) if labels_of(forest.paths(tree)) & asked]
    assert trees_with(trees, mask).tolist() == by_hand
