"""l-diversity and t-closeness once more, slowly, from their definitions. A class is a dict from value to count.

`None` is the missing value. The earth mover's distance is found by moving earth (a cheapest flow between the values),
not by any of the closed formulas, so it also checks those.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

Class = dict[int | None, int]
Tree = dict[str, str]  # child → parent; leaves are "0", "1", …; a missing value is "None"


def distinct_diverse(one: Class, l: int) -> bool:
    return len([value for value, count in one.items() if value is not None and count > 0]) >= l


def fillings(one: Class) -> list[list[int]]:
    """The counts of the values, for every way to give the missing ones a value that occurs in the class."""
    counts = [count for value, count in one.items() if value is not None and count > 0]
    missing = sum(count for value, count in one.items() if value is None)
    if not counts:
        return []
    filled = [counts]
    for _ in range(missing):
        filled = [[c + (i == j) for j, c in enumerate(each)] for each in filled for i in range(len(each))]
        filled = [list(each) for each in {tuple(each) for each in filled}]
    return filled


def entropy_diverse(one: Class, l: float) -> bool:
    exactly = Fraction(str(l))

    def diverse(counts: list[int]) -> bool:
        n = sum(counts)
        return n**n >= exactly**n * math.prod(count**count for count in counts)

    filled = fillings(one)
    return bool(filled) and all(map(diverse, filled))


def recursively_diverse(one: Class, c: Fraction, l: int) -> bool:
    def diverse(counts: list[int]) -> bool:
        ranked = sorted(counts, reverse=True)
        return ranked[0] < c * sum(ranked[l - 1 :])

    filled = fillings(one)
    return bool(filled) and all(map(diverse, filled))


def closeness(one: Class, table: list[Class], cost: dict[tuple[int | None, int | None], Fraction]) -> Fraction:
    """The least total of amount × distance that turns the distribution of the class into that of the table."""
    whole: Class = {}
    for each in table:
        for value, count in each.items():
            whole[value] = whole.get(value, 0) + count
    n, total = sum(one.values()), sum(whole.values())
    excess = {value: one.get(value, 0) * total - count * n for value, count in whole.items()}
    return cheapest_flow(excess, cost) / (n * total)


def cheapest_flow(excess: dict[int | None, int], cost: dict[tuple[int | None, int | None], Fraction]) -> Fraction:
    """Successive cheapest paths from values with a surplus to values with a deficit."""
    values = list(excess)
    left = dict(excess)
    flow = dict.fromkeys(((a, b) for a in values for b in values if a != b), 0)
    spent = Fraction(0)
    while any(amount > 0 for amount in left.values()):
        distance: dict[int | None, Fraction | None] = {v: Fraction(0) if left[v] > 0 else None for v in values}
        before: dict[int | None, int | None] = {}
        for _ in values:
            for a, b in flow:
                start = distance[a]
                if start is None:
                    continue
                step = -cost[b, a] if flow[b, a] > 0 else cost[a, b]
                known = distance[b]
                if known is None or start + step < known:
                    distance[b], before[b] = start + step, a
        target = min((v for v in values if left[v] < 0), key=lambda v: (distance[v], values.index(v)))  # type: ignore[arg-type, return-value]
        path = [target]
        while path[-1] in before:
            path.append(before[path[-1]])
        path.reverse()
        amount = min(left[path[0]], -left[target])
        for a, b in pairwise(path):
            if flow[b, a] > 0:
                amount = min(amount, flow[b, a])
        for a, b in pairwise(path):
            if flow[b, a] > 0:
                flow[b, a] -= amount
                spent -= amount * cost[b, a]
            else:
                flow[a, b] += amount
                spent += amount * cost[a, b]
        left[path[0]] -= amount
        left[target] += amount
    return spent


def equal_cost(values: list[int | None]) -> dict[tuple[int | None, int | None], Fraction]:
    return {(a, b): Fraction(a != b) for a in values for b in values}


def ordered_cost(
    values: list[int | None], *, missing_first: bool = False
) -> dict[tuple[int | None, int | None], Fraction]:
    """`values` are those that occur in the table; a missing one has no place in the order and is put at one end."""
    ranked = sorted(v for v in values if v is not None)
    ranked = [None, *ranked] if None in values and missing_first else [*ranked, *(v for v in values if v is None)]
    steps = max(len(ranked) - 1, 1)
    return {(a, b): Fraction(abs(i - j), steps) for i, a in enumerate(ranked) for j, b in enumerate(ranked)}


def tree_cost(values: list[int | None], tree: Tree) -> dict[tuple[int | None, int | None], Fraction]:
    """Height of the lowest common ancestor, as a part of the height of the root."""

    def line(node: str) -> list[str]:
        return [node, *(line(tree[node]) if node in tree else [])]

    def height(node: str) -> int:
        return max((1 + height(child) for child, parent in tree.items() if parent == node), default=0)

    cost = {}
    for a in values:
        for b in values:
            above = line(str(b))
            meeting = next(node for node in line(str(a)) if node in above)
            cost[a, b] = Fraction(height(meeting), max(height(above[-1]), 1))
    return cost
