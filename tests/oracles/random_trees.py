"""Hierarchies of every shape a file can have, small tables over them, and what a grouping costs, from the definitions.

Leaves at different depths, columns with one value, missing values, and tables of levels in which a label stands at different
levels in different rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from oracles.random_tables import frequency_set
from shoal.errors import HierarchyError
from shoal.guarantees import KAnonymity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.loss import loss_from
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.problem import TableProblem

Row = tuple[int, ...]


@st.composite
def hierarchies(draw: st.DrawFn, name: str = "v", most: int = 6) -> Hierarchy:
    leaves = draw(st.integers(1, most))
    if leaves == 1 and draw(st.booleans()):
        only = Hierarchy.from_paths([(f"{name}0",)])  # of height 0
        return only.with_missing() if draw(st.booleans()) else only
    paths: list[list[str]] = []
    parents = {0: "*", 1: f"{name}A", 2: f"{name}B", 3: f"{name}AA"}
    for leaf in range(leaves):
        above = {0: [0], 1: [1, 0], 2: [2, 0], 3: [3, 1, 0]}[draw(st.integers(0, 3))]
        paths.append([f"{name}{leaf}", *(parents[one] for one in above)])
    if draw(st.booleans()):  # a table of levels: repeat labels until all rows are equally long
        for path in paths:
            while len(path) < 4:
                at = draw(st.integers(0, len(path) - 1))
                path.insert(at, path[at])
    try:
        made = Hierarchy.from_paths([tuple(path) for path in paths])
    except HierarchyError:
        assume(False)
        raise
    return made.with_missing() if draw(st.integers(0, 4)) == 0 else made


@st.composite
def tables(draw: st.DrawFn, *, rows: int = 12, columns: int = 3, least: int = 1) -> tuple[list[Hierarchy], list[Row]]:
    trees = [draw(hierarchies(name)) for name in "abc"[: draw(st.integers(1, columns))]]
    row = st.tuples(*(st.integers(0, tree.leaf_count - 1) for tree in trees))
    return trees, draw(st.lists(row, min_size=least, max_size=rows))


def ground_of(trees: Sequence[Hierarchy], rows: list[Row], k: int, loss: str = "glm", weights=None) -> Ground:
    """k = 1 promises nothing."""
    promise = (KAnonymity(k),) if k > 1 else ()
    hierarchies = dict(zip("abc", trees, strict=False))
    problem = TableProblem(hierarchies, {}, promise, loss_from(loss), weights or {}, Fraction(0))
    return Ground.over(frequency_set(list(trees), rows), problem)


def partitions(items: Sequence[int], k: int) -> Iterator[list[list[int]]]:
    """Every way to divide items into classes of at least k."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for chosen in range(2 ** len(rest)):
        inside = [first, *(item for i, item in enumerate(rest) if chosen >> i & 1)]
        if len(inside) >= k:
            left = [item for i, item in enumerate(rest) if not chosen >> i & 1]
            yield from ([inside, *others] for others in partitions(left, k))


def smallest_node(tree: Hierarchy, leaves: Sequence[int]) -> int:
    """The node with the fewest leaves around some; of several the lowest."""
    around = [n for n in range(len(tree.labels)) if tree.first[n] <= min(leaves) and max(leaves) <= tree.last[n]]
    return min(around, key=lambda n: (tree.leaves_below(n), n))


def box_of(trees: Sequence[Hierarchy], rows: Sequence[Row]) -> list[int]:
    return [smallest_node(tree, [row[c] for row in rows]) for c, tree in enumerate(trees)]


def loss_of_classes(name: str, trees: Sequence[Hierarchy], rows: list[Row], classes: list[list[int]]) -> float:
    """GLM, NCP or entropy of a grouping of all rows, cell by cell."""
    total = 0.0
    for c, tree in enumerate(trees):
        raw = Counter(row[c] for row in rows)
        cost = most = 0.0
        for members in classes:
            node = smallest_node(tree, [rows[i][c] for i in members])
            below = tree.leaves_below(node)
            for i in members:
                if name == "entropy":
                    inside = sum(raw[leaf] for leaf in range(tree.first[node], tree.last[node] + 1))
                    cost += math.log2(inside / raw[rows[i][c]])
                    most += math.log2(len(rows) / raw[rows[i][c]])
                elif name == "glm":
                    cost += (below - 1) / (tree.leaf_count - 1) if tree.leaf_count > 1 else 0
                    most += 1
                else:
                    cost += below / tree.leaf_count if below > 1 else 0
                    most += 1
        total += (cost / most if most else 0) / len(trees)
    return total


def as_groups(classes: list[list[int]], records: int) -> np.ndarray:
    groups = np.full(records, -1, np.int32)
    for number, members in enumerate(classes):
        groups[members] = number
    return groups


@st.composite
def groupings(draw: st.DrawFn, records: int, k: int) -> np.ndarray:
    """(records,) numbered from 0, every group with at least k records."""
    drawn = draw(st.lists(st.integers(0, max(0, records // k)), min_size=records, max_size=records))
    sizes = Counter(drawn)
    small = {number for number, size in sizes.items() if size < k}
    together = [-1 if number in small else number for number in drawn]
    if 0 < together.count(-1) < k:
        into = next((number for number in together if number != -1), -1)
        together = [into if number == -1 else number for number in together]
    return np.unique(together, return_inverse=True)[1].astype(np.int32)
