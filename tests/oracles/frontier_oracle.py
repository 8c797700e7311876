"""The frontier straight from its definition: every node of a small lattice, one row at a time, in plain Python."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

from oracles.random_tables import all_nodes, classes_at, leaves_under
from shoal.hierarchies.hierarchy import Hierarchy

Node = tuple[int, ...]
Value = Fraction | float


def k_by_definition(sizes: list[int], limit: int) -> int:
    """The smallest class size t such that more than `limit` rows lie in classes of at most t."""
    return min(t for t in sizes if sum(size for size in sizes if size <= t) > limit)


def evaluations(
    loss: str, trees: list[Hierarchy], rows: list[Node], limit: int, labels: list[int] | None = None
) -> dict[Node, tuple[int, Value, int]]:
    """k, loss and suppressed rows of every node."""
    price = _Price(loss, trees, rows, labels)
    found = {}
    for node in all_nodes(trees):
        classes = list(classes_at(trees, rows, node).values())
        k = k_by_definition([len(members) for members in classes], limit)
        kept = [members for members in classes if len(members) >= k]
        hidden = len(rows) - sum(map(len, kept))
        found[node] = (k, price(node, kept, hidden), hidden)
    return found


def frontier(found: dict[Node, tuple[int, Value, int]]) -> dict[tuple[int, Value], set[Node]]:
    """(k, loss) → all nodes that have both, for the pairs that no node dominates."""
    values = {(k, loss) for k, loss, _ in found.values()}
    best = {
        (k, loss)
        for k, loss in values
        if not any((k2 >= k and loss2 < loss) or (k2 > k and loss2 <= loss) for k2, loss2 in values)
    }
    return {(k, loss): {node for node, (k2, loss2, _) in found.items() if (k2, loss2) == (k, loss)} for k, loss in best}


class _Price:
    """The loss of a node, from its formula."""

    def __init__(self, loss: str, trees: list[Hierarchy], rows: list[Node], labels: list[int] | None) -> None:
        self.loss, self.trees, self.rows, self.labels = loss, trees, rows, labels
        self.cell = cache(self._cell)
        self.full = [self._full(c) for c in range(len(trees))]

    def __call__(self, node: Node, kept: list[list[int]], hidden: int) -> Value:
        n = len(self.rows)
        if self.loss == "dm":
            return Fraction(sum(len(members) ** 2 for members in kept) + hidden * n)
        if self.loss == "ce":
            assert self.labels is not None
            most = sum(max(Counter(self.labels[i] for i in members).values()) for members in kept)
            return Fraction(n - most, n)
        total: Value = Fraction(0)
        for c, level in enumerate(node):
            cost: Value = sum((self.cell(c, level, self.rows[i][c]) for members in kept for i in members), Fraction(0))
            cost += hidden * self.full[c][0]
            total += ((cost - self.full[c][1]) / self.full[c][2] if self.full[c][2] else Fraction(0)) / len(self.trees)
        return total

    def _cell(self, c: int, level: int, leaf: int) -> Value:
        tree = self.trees[c]
        if self.loss == "entropy":
            shown = tree.label(leaf, level)
            return math.log2(sum(1 for row in self.rows if tree.label(row[c], level) == shown))
        v = leaves_under(tree, tree.label(leaf, level))
        if self.loss == "glm":
            return Fraction(v - 1, tree.leaf_count - 1) if tree.leaf_count > 1 else Fraction(0)
        return Fraction(v, tree.leaf_count) if v > 1 else Fraction(0)

    def _full(self, c: int) -> tuple[Value, Value, Value]:
        """What a hidden cell costs, what the raw column costs, and what lies between it and a hidden column."""
        n = len(self.rows)
        if self.loss == "entropy":
            if len({row[c] for row in self.rows}) == 1:
                return 0.0, 0.0, 0.0  # nothing to hide
            raw = sum(self.cell(c, 0, row[c]) for row in self.rows)
            return math.log2(n), raw, n * math.log2(n) - raw
        full = Fraction(0 if self.loss == "glm" and self.trees[c].leaf_count == 1 else 1)
        return full, Fraction(0), n * full


def random_table(rng: random.Random) -> tuple[list[Hierarchy], list[Node], list[int]]:
    """As `random_tables.tables` but larger, from a plain generator: hierarchies, rows, and a label for every row."""
    trees = [_random_tree(rng, name) for name in "abc"[: rng.choice((1, 2, 3, 3, 3))]]
    rows = [tuple(rng.randrange(tree.leaf_count) for tree in trees) for _ in range(rng.randint(4, 40))]
    return trees, rows, [rng.randint(0, 2) for _ in rows]


def _random_tree(rng: random.Random, name: str) -> Hierarchy:
    leaves, height = rng.randint(1, 8), rng.randint(1, 4)
    group = list(range(leaves))
    columns: list[list[Any]] = [[f"{name}{i}" for i in range(leaves)]]
    for level in range(1, height):
        merged = {g: rng.randint(0, max(group)) for g in sorted(set(group))}
        group = [merged[g] for g in group]
        columns.append([f"{name}_{level}_{g}" for g in group])
    columns.append(["*"] * leaves)
    return Hierarchy.from_paths(list(zip(*columns, strict=True)))
