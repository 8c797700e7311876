"""Frequent subtrees by trying every set of paths that holds with each path the one above it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.kernels.trees.frequent_subtrees import CONSTANT, Charges, bit_rows, frequent_subtrees, record_bits

# paths by number, the shorter ones first, children of one path together: the path above each, -1 for the root
ABOVE = [-1, -1, 0, 0, 1, 2, 4]


def depth(path: int) -> int:
    """How many paths stand above."""
    return 0 if ABOVE[path] < 0 else 1 + depth(ABOVE[path])


def charges(rng: np.random.Generator, trees: int) -> tuple[Charges, list[list[tuple[set[int] | None, float]]]]:
    """Of each path some changes: the trees that have it, or None for all with the path, and what it costs."""
    by_hand: list[list[tuple[set[int] | None, float]]] = []
    rows: list[set[int]] = []
    planes, weights, starts = [], [], [0]
    for _ in ABOVE:
        some: list[tuple[set[int] | None, float]] = []
        for _ in range(int(rng.integers(0, 3))):
            where = None if rng.random() < 0.3 else set(np.flatnonzero(rng.random(trees) < 0.4).tolist())
            some.append((where, float(rng.random())))
            weights.append(some[-1][1])
            planes.append(CONSTANT if where is None else len(rows))
            rows += [] if where is None else [where]
        starts.append(len(planes))
        by_hand.append(some)
    pairs = [(row, tree) for row, some in enumerate(rows) for tree in sorted(some)]
    row, tree = (np.array([pair[i] for pair in pairs], np.int64) for i in range(2))
    bits = bit_rows(row, tree, len(rows), (trees + 63) // 64)
    return Charges(np.array(starts, np.int64), np.array(planes, np.int64), np.array(weights), bits), by_hand


@pytest.mark.parametrize("seed", range(40))
def test_subtrees_with_their_supports_and_distances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trees, size = int(rng.integers(1, 90)), int(rng.integers(1, 5))
    records = rng.integers(1, 6, trees)

    def held() -> list[set[int]]:
        have: list[set[int]] = []
        for above in ABOVE:
            mine = {0, *np.flatnonzero(rng.random(trees) < 0.6).tolist()}
            have.append(mine & have[above] if above >= 0 else mine)
        return have

    have, show = held(), held()
    least = int(rng.integers(1, max(2, records.sum() // 3)))

    def count(some: set[int]) -> int:
        return int(sum(records[tree] for tree in some))

    least = min(least, *map(count, have))  # as it is called: with frequent paths only
    values, values_by_hand = charges(rng, trees)
    relations, relations_by_hand = charges(rng, trees)
    by_hand = {}
    for number in range(1, size + 1):
        for one in combinations(range(len(ABOVE)), number):
            mine = set.intersection(*(have[path] for path in one))
            if any(ABOVE[path] >= 0 and ABOVE[path] not in one for path in one) or count(mine) < least:
                continue

            def mean(some: list[list[tuple[set[int] | None, float]]], one=one, mine=mine) -> float:
                paid = [(where, weight) for path in one for where, weight in some[path]]
                return sum(w * (1 if x is None else count(mine & x) / count(mine)) for x, w in paid)

            links = sum(map(depth, one))
            apart = mean(values_by_hand) / (2 * number) + (mean(relations_by_hand) / (2 * links) if links else 0)
            shown = count(set.intersection(*(show[path] for path in one)))
            by_hand[one] = (count(mine), shown, pytest.approx(apart))

    words = (trees + 63) // 64

    def bits(some: list[set[int]]) -> np.ndarray:
        pairs = [(path, tree) for path, mine in enumerate(some) for tree in mine]
        row, tree = (np.array([pair[i] for pair in pairs], np.int64) for i in range(2))
        return bit_rows(row, tree, len(some), words)

    children = [[path for path, above in enumerate(ABOVE) if above == one] for one in range(len(ABOVE))]
    children.append([path for path, above in enumerate(ABOVE) if above < 0])
    arguments = (
        bits(have),
        bits(show),
        record_bits(records, words),
        np.array([[some[0], some[-1] + 1] if some else [0, 0] for some in children], np.int64),
        np.array(list(map(depth, range(len(ABOVE)))), np.int64),
        least,
        size,
    )
    found, stopped = frequent_subtrees(*arguments, 10_000, values, relations)
    assert not stopped
    made: list[tuple[int, ...]] = []
    for above, path in zip(found.above.tolist(), found.paths.tolist(), strict=True):
        made.append((*(made[above] if above >= 0 else ()), path))
    figures = zip(found.supports.tolist(), found.shown.tolist(), found.distances.tolist(), strict=True)
    assert dict(zip(made, figures, strict=True)) == by_hand
    assert len(made) == len(by_hand)
    assert frequent_subtrees(*arguments, len(made), values, relations)[1] is False
    if len(made) > 1:
        assert frequent_subtrees(*arguments, len(made) - 1, values, relations)[1] is True
