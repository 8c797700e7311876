"""What clusters show together, from the paths of their hierarchies."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_trees import ground_of, tables
from shoal.kernels.mixed.cluster_joins import alike, joint_prices
from shoal.kernels.tables.boxes import Trees


def above(tree, node: int) -> list[int]:
    path = [node]
    while tree.parents[path[-1]] >= 0:
        path.append(int(tree.parents[path[-1]]))
    return path


def leaves(tree, node: int) -> set[int]:
    return {leaf for leaf in range(tree.leaf_count) if node in above(tree, leaf)}


@settings(deadline=None)
@given(table=tables(rows=8, least=2), data=st.data())
def test_joint_prices_and_equal_boxes(table, data) -> None:
    hierarchies, rows = table
    trees = ground_of(hierarchies, rows, 1).priced
    whole = np.arange(len(trees.prices)) * 7 % 11  # any whole numbers
    trees = Trees(trees.offsets, trees.first, trees.last, trees.parents, whole.astype(np.float64))
    boxes = [[data.draw(st.sampled_from(above(h, x))) for h, x in zip(hierarchies, row, strict=True)] for row in rows]
    cluster = data.draw(st.integers(0, len(rows) - 1))
    others = data.draw(st.lists(st.integers(0, len(rows) - 1), unique=True))
    by_hand = []
    for other in others:
        price = 0
        for c, hierarchy in enumerate(hierarchies):
            covered = leaves(hierarchy, boxes[other][c])
            common = next(node for node in above(hierarchy, boxes[cluster][c]) if covered <= leaves(hierarchy, node))
            price += int(whole[trees.offsets[c] + common])
        by_hand.append(price)
    made = np.array(boxes, np.int32)
    assert joint_prices(trees, made, cluster, np.array(others, np.int64)).tolist() == by_hand
    same = [other for other in others if other != cluster and boxes[other] == boxes[cluster]]
    assert alike(made, cluster, np.array(others, np.int64)).tolist() == same
