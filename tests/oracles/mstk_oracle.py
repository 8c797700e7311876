"""Method mstk in plain Python, straight from paper 002 and ERRATA 002-1 to 002-10."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

from shoal.hierarchies.hierarchy import Hierarchy

Edge = tuple[int, int, int]


# ---- distances (Definitions 3 to 5 and 7) ----------------------------------------------------------------------------


def ancestors(tree: Hierarchy, node: int) -> list[int]:
    """A node and everything above it."""
    found = [node]
    while tree.parents[found[-1]] >= 0:
        found.append(int(tree.parents[found[-1]]))
    return found


def common(tree: Hierarchy, one: int, two: int) -> int:
    return next(node for node in ancestors(tree, one) if node in ancestors(tree, two))


def level(tree: Hierarchy, node: int) -> int:
    """The lowest level at which every value below the node is published as it, or as something above it."""
    above = ancestors(tree, node)
    below = [leaf for leaf in range(tree.leaf_count) if node in ancestors(tree, leaf)]
    return next(lv for lv in range(tree.height + 1) if all(int(tree.levels[lv, leaf]) in above for leaf in below))


def climbed(trees: Sequence[Hierarchy], weights: Sequence[Fraction], box: Sequence[int]) -> Fraction:
    """Σ weight · level / height; with weights 1 the generalization effort up to a box."""
    total = Fraction(0)
    for tree, weight, node in zip(trees, weights, box, strict=True):
        if tree.height:
            total += weight * Fraction(level(tree, node), tree.height)
    return total


def join(trees: Sequence[Hierarchy], one: Sequence[int], two: Sequence[int]) -> tuple[int, ...]:
    return tuple(common(tree, a, b) for tree, a, b in zip(trees, one, two, strict=True))


# ---- spanning trees --------------------------------------------------------------------------------------------------


def kruskal(
    points: int, distance: Callable[[int, int], Fraction]
) -> tuple[Fraction, dict[Fraction, set[frozenset[int]]]]:
    """The least weight, and the components when edges up to each weight are taken."""
    component = {i: {i} for i in range(points)}
    total, seen = Fraction(0), {}
    for weight, i, j in sorted((distance(i, j), i, j) for i, j in combinations(range(points), 2)):
        if component[i] is not component[j]:
            total += weight
            component[i] |= component[j]
            for member in component[j]:
                component[member] = component[i]
        seen[weight] = {frozenset(c) for c in component.values()}
    return total, seen


def components(points: int, edges: Sequence[Edge]) -> set[frozenset[int]]:
    component = {i: {i} for i in range(points)}
    for i, j, _ in edges:
        if component[i] is not component[j]:
            component[i] |= component[j]
            for member in component[j]:
                component[member] = component[i]
    return {frozenset(c) for c in component.values()}


# ---- cutting (002-1, 002-2, 002-5) -----------------------------------------------------------------------------------


def cut_up(records: Sequence[int], edges: Sequence[Edge], k: int, *, at_mean: bool = True) -> set[frozenset[int]]:
    done: set[frozenset[int]] = set()
    waiting = [(tree, [e for e in edges if e[0] in tree]) for tree in components(len(records), edges)]
    while waiting:
        tree, inside = waiting.pop()
        size = sum(records[i] for i in tree)
        if size < 2 * k or not inside:
            done.add(tree)
            continue
        left = [e for e in inside if not above(e[2], inside, size)] if at_mean else inside
        if len(left) == len(inside):
            allowed = []
            for edge in inside:
                sides = parts(tree, [e for e in inside if e != edge])
                sizes = [sum(records[i] for i in side) for side in sides]
                if min(sizes) >= k:
                    allowed.append((-edge[2], abs(sizes[0] - sizes[1]), min(edge[:2]), max(edge[:2]), edge))
            if not allowed:
                done.add(tree)
                continue
            left = [e for e in inside if e != min(allowed)[-1]]
        waiting += [(part, [e for e in left if e[0] in part]) for part in parts(tree, left)]
    return done


def above(weight: int, edges: Sequence[Edge], records: int) -> bool:
    """Heavier than mean + sample deviation; between equal records there are edges of weight 0."""
    weights = [e[2] for e in edges] + [0] * (records - 1 - len(edges))
    mean = Fraction(sum(weights), len(weights))
    return weight > mean and (weight - mean) ** 2 * (len(weights) - 1) > sum((w - mean) ** 2 for w in weights)


def parts(tree: frozenset[int], edges: Sequence[Edge]) -> list[frozenset[int]]:
    touched = components(max(tree) + 1, edges)
    return [c for c in touched if c <= tree]


# ---- merging (002-3) -------------------------------------------------------------------------------------------------


def merge(
    trees: Sequence[Hierarchy],
    weights: Sequence[Fraction],
    boxes: Sequence[tuple[int, ...]],
    sizes: Sequence[int],
    k: int,
) -> set[frozenset[int]]:
    """Classes by number; merged ones have the smallest number."""
    left = {i: (box, size, frozenset([i])) for i, (box, size) in enumerate(zip(boxes, sizes, strict=True))}
    while len(left) > 1 and any(size < k for _, size, _ in left.values()):
        choices = []
        for i, j in combinations(sorted(left), 2):
            (one, n, _), (two, m, _) = left[i], left[j]
            if n < k or m < k:
                both = climbed(trees, weights, join(trees, one, two))
                cost = n * (both - climbed(trees, weights, one)) + m * (both - climbed(trees, weights, two))
                choices.append((cost, n + m, i, j))
        _, size, i, j = min(choices)
        left[i] = (join(trees, left[i][0], left[j][0]), size, left[i][2] | left.pop(j)[2])
    return {members for _, _, members in left.values()}
