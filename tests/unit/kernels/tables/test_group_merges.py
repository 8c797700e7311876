"""Every failing group goes to the one that costs least, group by group in plain Python."""

from __future__ import annotations

from math import inf

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.random_trees import ground_of, tables
from shoal.kernels.tables.boxes import Trees
from shoal.kernels.tables.group_merges import merge_each


@settings(deadline=None, max_examples=150)
@given(table=tables(rows=10, least=2), data=st.data())
def test_each_failing_group_is_merged_with_the_cheapest(table, data) -> None:
    hierarchies, rows = table
    rows = sorted(set(rows))
    number = len(rows)
    if number < 2:
        return
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=number, max_size=number))
    failing = data.draw(st.lists(st.booleans(), min_size=number, max_size=number))
    trees = ground_of(hierarchies, rows, 1).priced
    by_column = [[int(tree.last[node] - tree.first[node]) for node in range(len(tree.labels))] for tree in hierarchies]
    trees = Trees(trees.offsets, trees.first, trees.last, trees.parents, np.concatenate(by_column).astype(np.float64))

    groups = {i: ([{leaf} for leaf in row], size) for i, (row, size) in enumerate(zip(rows, sizes, strict=True))}
    into, done = list(range(number)), set()

    def price(values: list[set[int]]) -> int:
        """Of the smallest nodes above some values of each column."""
        paid = 0
        for tree, prices, some in zip(hierarchies, by_column, values, strict=True):
            paid += min(
                prices[node]
                for node in range(len(tree.labels))
                if tree.first[node] <= min(some) and tree.last[node] >= max(some)
            )
        return paid

    for group in range(number):
        if not failing[group] or group in done:
            continue
        mine, size = groups[group]
        best, least = -1, (inf, inf)
        for other, (theirs, more) in groups.items():
            if other != group:
                joint = (size + more) * price([a | b for a, b in zip(mine, theirs, strict=True)])
                cost = (joint - size * price(mine) - more * price(theirs), size + more)
                if cost < least:
                    best, least = other, cost
        theirs, more = groups[best]
        del groups[group]
        groups[best] = ([a | b for a, b in zip(mine, theirs, strict=True)], size + more)
        into = [best if x == group else x for x in into]
        done.add(best)

    made = merge_each(trees, np.array(rows, np.int32), np.array(sizes, np.int64), np.array(failing, np.bool_))
    assert made.tolist() == into
