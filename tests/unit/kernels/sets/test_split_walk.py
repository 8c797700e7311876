"""Where a basket ends in a tree of questions, asked one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.kernels.sets.split_walk import ends_of


@pytest.mark.parametrize("seed", range(30))
def test_ends(seed: int) -> None:
    rng = np.random.default_rng(seed)
    questions: list[tuple[int, int]] = []
    ways: list[list[int]] = []
    ends = 0

    def plant(depth: int) -> Any:
        """A nested tree, and the same in arrays."""
        nonlocal ends
        if depth == 0 or rng.random() < 0.25:
            ends += 1
            return -ends, ends - 1
        low = int(rng.integers(0, 10))
        number = len(questions)
        questions.append((low, low + int(rng.integers(0, 4))))
        ways.append([0, 0])
        (way_no, no), (way_yes, yes) = plant(depth - 1), plant(depth - 1)
        ways[number] = [way_no, way_yes]
        return number, (questions[number], no, yes)

    _, tree = plant(4)
    baskets = [sorted(set(rng.integers(0, 12, int(rng.integers(0, 6))).tolist())) for _ in range(25)]

    def end_of(basket: list[int], node: Any) -> int:
        while not isinstance(node, int):
            (low, high), no, yes = node
            node = yes if any(low <= item <= high for item in basket) else no
        return node

    made = ends_of(
        np.cumsum([0, *map(len, baskets)]).astype(np.int64),
        np.array([item for basket in baskets for item in basket], np.int32),
        np.array([low for low, _ in questions], np.int32),
        np.array([high for _, high in questions], np.int32),
        np.array(ways, np.int32).reshape(-1, 2),
    )
    assert made.tolist() == [end_of(basket, tree) for basket in baskets]
