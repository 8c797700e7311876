"""Expected answers of queries about sets, and distances of sets, one record after the other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shoal.kernels.sets.queries import distances, expected_counts


def arrays(sets: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.cumsum([0, *map(len, sets)]).astype(np.int64), np.array([x for one in sets for x in one], np.int32)


@pytest.mark.parametrize("seed", range(30))
def test_expected_counts(seed: int) -> None:
    """`behind[query][item]`: the label that the item may be behind, and the chance that it is."""
    rng = np.random.default_rng(seed)
    labels, queries = 8, int(rng.integers(1, 6))
    sizes = rng.integers(1, 4, queries)
    behind = [[(int(rng.integers(0, labels)), float(rng.random())) for _ in range(size)] for size in sizes]
    uses: list[list[tuple[int, float]]] = [[] for _ in range(labels)]
    for query, asked in enumerate(behind):
        for label, chance in asked:
            uses[label].append((query, chance))
    sets = [sorted(rng.choice(labels, int(rng.integers(0, labels)), replace=False).tolist()) for _ in range(15)]
    weights = rng.integers(1, 5, len(sets))
    flat = [use for one in uses for use in one]
    every, none = expected_counts(
        *arrays(sets),
        weights,
        np.cumsum([0, *map(len, uses)]).astype(np.int64),
        np.array([query for query, _ in flat], np.int32),
        np.array([chance for _, chance in flat]),
        sizes.astype(np.int64),
    )
    for query, asked in enumerate(behind):
        all_of = none_of = 0.0
        for one, weight in zip(sets, weights.tolist(), strict=True):
            all_of += weight * math.prod(chance if label in one else 0.0 for label, chance in asked)
            none_of += weight * math.prod(1 - chance if label in one else 1.0 for label, chance in asked)
        assert every[query] == pytest.approx(all_of)
        assert none[query] == pytest.approx(none_of)


@pytest.mark.parametrize("seed", range(20))
def test_distances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = ([sorted(set(rng.integers(0, 9, int(rng.integers(0, 8))).tolist())) for _ in range(7)] for _ in "ab")
    pairs = rng.integers(0, 7, (25, 2))
    made = distances(*arrays(left), *arrays(right), pairs)
    assert made.tolist() == [len(set(left[a]) ^ set(right[b])) for a, b in pairs]
