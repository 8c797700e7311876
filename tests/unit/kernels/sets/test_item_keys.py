"""Combinations that sets hold, as numbers, against itertools."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.kernels.sets.known_items import combination_keys


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("seed", range(15))
def test_every_combination_with_its_set(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    width = int(rng.integers(3, 2000))
    sets = [sorted(set(rng.integers(0, width, int(rng.integers(0, 8))).tolist())) for _ in range(20)]
    by_hand = [(one, owner) for owner, items in enumerate(sets) for one in combinations(items, size)]
    offsets = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    items = np.array([item for one in sets for item in one], np.int32)
    keys, owners = combination_keys(offsets, items, size, width, len(by_hand))
    assert owners.tolist() == [owner for _, owner in by_hand]
    assert keys.tolist() == [sum(x * width ** (size - 1 - i) for i, x in enumerate(one)) for one, _ in by_hand]
