"""Random small tables with random hierarchies, and plain-Python answers from the definitions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import strategies as st

from shoal.data.frequency import FrequencySet, SensitiveCounts
from shoal.hierarchies.hierarchy import Hierarchy


@st.composite
def hierarchies(draw: st.DrawFn, name: str = "v") -> Hierarchy:
    """A level table over 1 … 6 leaves with 1 … 3 levels above the raw values, each merging groups of the one below."""
    leaves = draw(st.integers(1, 6))
    height = draw(st.integers(1, 3))
    group = list(range(leaves))
    columns = [[f"{name}{i}" for i in range(leaves)]]
    for level in range(1, height):
        merged = {g: draw(st.integers(0, max(group))) for g in sorted(set(group))}
        group = [merged[g] for g in group]
        columns.append([f"{name}_{level}_{g}" for g in group])
    columns.append(["*"] * leaves)
    return Hierarchy.from_paths(list(zip(*columns, strict=True)))


@st.composite
def tables(draw: st.DrawFn, *, sensitive: bool = False) -> tuple[list[Hierarchy], list[tuple[int, ...]], list[int]]:
    """Hierarchies, rows of leaf codes, and a sensitive value per row."""
    trees = [draw(hierarchies(name)) for name in "abc"[: draw(st.integers(1, 3))]]
    row = st.tuples(*(st.integers(0, tree.leaf_count - 1) for tree in trees))
    rows = draw(st.lists(row, min_size=2, max_size=24))
    values = draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))) if sensitive else [0] * len(rows)
    return trees, rows, values


def frequency_set(trees: list[Hierarchy], rows: list[tuple[int, ...]], values: list[int] | None = None) -> FrequencySet:
    names = tuple("abc"[: len(trees)])
    tuples = sorted(set(rows))
    counts = Counter(rows)
    codes = np.array(tuples, np.int32).reshape(len(tuples), len(trees))
    sensitive = {}
    if values is not None:
        long = sorted(Counter((tuples.index(row), value) for row, value in zip(rows, values, strict=True)).items())
        sensitive["s"] = SensitiveCounts(
            np.array([t for (t, _), _ in long], np.int64),
            np.array([v for (_, v), _ in long], np.int32),
            np.array([n for _, n in long], np.int64),
            max(values) + 1,
        )
    return FrequencySet(names, codes, np.array([counts[t] for t in tuples], np.int64), sensitive)


def classes_at(
    trees: list[Hierarchy], rows: list[tuple[int, ...]], node: tuple[int, ...]
) -> dict[tuple[str | None, ...], list[int]]:
    """Published labels → positions of the rows that show them."""
    classes: dict[tuple[str | None, ...], list[int]] = defaultdict(list)
    for position, row in enumerate(rows):
        shown = tuple(tree.label(leaf, level) for tree, leaf, level in zip(trees, row, node, strict=True))
        classes[shown].append(position)
    return classes


def all_nodes(trees: list[Hierarchy]) -> list[tuple[int, ...]]:
    return list(product(*(range(tree.height + 1) for tree in trees)))


def leaves_under(tree: Hierarchy, label: str | None) -> int:
    node = tree.node(label)
    assert node is not None
    return sum(1 for leaf in range(tree.leaf_count) if label in tree.path(leaf) or _below(tree, leaf, node))


def _below(tree: Hierarchy, leaf: int, node: int) -> bool:
    while leaf != -1:
        if leaf == node:
            return True
        leaf = int(tree.parents[leaf])
    return False


def loss_by_definition(name, trees, rows, node, suppressed: set[int], values=None) -> Fraction | float:
    """The loss straight from its formula, one cell at a time."""
    n = len(rows)
    if name == "ce":
        classes = classes_at(trees, rows, node).values()
        labels = [Counter(values[i] for i in members) for members in classes if not suppressed.issuperset(members)]
        return 1 - Fraction(sum(count.most_common(1)[0][1] for count in labels), n)
    if name == "dm":
        classes = classes_at(trees, [r for i, r in enumerate(rows) if i not in suppressed], node)
        return Fraction(sum(len(c) ** 2 for c in classes.values()) + n * len(suppressed))
    total: Fraction | float = Fraction(0)
    for c, (tree, level) in enumerate(zip(trees, node, strict=True)):
        cost: Fraction | float = Fraction(0)
        most: Fraction | float = Fraction(n)
        shown = [tree.label(row[c], level) for row in rows]
        if name == "entropy":
            raw = Counter(row[c] for row in rows)
            published = Counter(shown)
            cost = sum(
                math.log2((n if i in suppressed else published[shown[i]]) / raw[row[c]]) for i, row in enumerate(rows)
            )
            most = sum(math.log2(n / raw[row[c]]) for row in rows)
        else:
            for i in range(n):
                v = leaves_under(tree, shown[i])
                if i in suppressed:
                    cost += 1 if name == "ncp" or tree.leaf_count > 1 else 0
                elif name == "glm":
                    cost += Fraction(v - 1, tree.leaf_count - 1) if tree.leaf_count > 1 else 0
                else:
                    cost += Fraction(v, tree.leaf_count) if v > 1 else 0
        total += (cost / most if most else 0) / len(trees)
    return total
