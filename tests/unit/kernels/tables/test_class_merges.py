"""Merging the cheapest pair of classes again and again, by looking at every pair; and the price of what covers two values."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_trees import ground_of, tables
from shoal.kernels.tables.boxes import Trees
from shoal.kernels.tables.class_index import Classes, plant
from shoal.kernels.tables.class_merges import merge
from shoal.kernels.tables.common_prices import Prices, cover


def above(tree, node: int) -> list[int]:
    path = [node]
    while tree.parents[path[-1]] >= 0:
        path.append(int(tree.parents[path[-1]]))
    return path


def leaves(tree, node: int) -> set[int]:
    return {leaf for leaf in range(tree.leaf_count) if node in above(tree, leaf)}


def covering(tree, one: int, two: int) -> int:
    return next(node for node in above(tree, one) if leaves(tree, two) <= leaves(tree, node))


def priced(table) -> tuple[Trees, list[list[int]]]:
    """Whole prices that grow with the leaves covered."""
    hierarchies, rows = table
    trees = ground_of(hierarchies, rows, 1).priced
    by_column = [[len(leaves(tree, node)) - 1 for node in range(len(tree.labels))] for tree in hierarchies]
    flat = np.array([price for column in by_column for price in column], np.float64)
    return Trees(trees.offsets, trees.first, trees.last, trees.parents, flat), by_column


@settings(deadline=None)
@given(table=tables(rows=2))
def test_common_prices(table) -> None:
    trees, by_column = priced(table)
    prices = Prices.of(trees)
    for column, tree in enumerate(table[0]):
        count = len(tree.labels)
        for one in range(count):
            for two in range(count):
                node = covering(tree, one, two)
                assert cover(prices, column, one, two) == node
                assert prices.common[prices.at[column] + one * count + two] == by_column[column][node]


@settings(deadline=None, max_examples=150)
@given(table=tables(rows=12, least=2), least=st.integers(2, 6), data=st.data())
def test_the_cheapest_pair_is_merged_until_every_class_is_large_enough(table, least, data) -> None:
    hierarchies, rows = table
    trees, by_column = priced(table)
    rows = sorted(set(rows))
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    classes = {i: (list(row), size) for i, (row, size) in enumerate(zip(rows, sizes, strict=True))}
    into = list(range(len(rows)))

    def cost(one: int, two: int) -> tuple[int, int, int, int]:
        (a, n), (b, m) = classes[one], classes[two]
        paid = 0
        for c, tree in enumerate(hierarchies):
            common = by_column[c][covering(tree, a[c], b[c])]
            paid += n * (common - by_column[c][a[c]]) + m * (common - by_column[c][b[c]])
        return paid, n + m, one, two

    while len(classes) > 1 and any(size < least for _, size in classes.values()):
        pairs = [(a, b) for a in classes for b in classes if a < b and min(classes[a][1], classes[b][1]) < least]
        one, two = min(pairs, key=lambda pair: cost(*pair))
        (a, n), (b, m) = classes[one], classes.pop(two)
        classes[one] = ([covering(tree, x, y) for tree, x, y in zip(hierarchies, a, b, strict=True)], n + m)
        into = [one if x == two else x for x in into]

    prices, made = Prices.of(trees), Classes.of(np.array(rows, np.int32), np.array(sizes, np.int64), least)
    keys = np.array([data.draw(st.integers(0, 3)) for _ in rows], np.uint64).reshape(-1, 1)  # any order will do
    while made.unfinished:
        left = np.flatnonzero(made.into == np.arange(len(rows)))
        order = np.argsort(keys[left, 0], kind="stable")
        plant(prices, made, left[order], keys[left][order])
        merge(prices, made, least, data.draw(st.integers(1, 3)))
    ends = made.into
    while (ends != ends[ends]).any():
        ends = ends[ends]
    assert ends.tolist() == into
    for one, (box, size) in classes.items():
        assert (made.boxes[one].tolist(), made.sizes[one]) == (box, size)
