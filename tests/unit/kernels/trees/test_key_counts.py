"""Numbers by key in a table that grows, against a dictionary."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from shoal.kernels.trees.key_counts import add, ascending, no_counts


@pytest.mark.parametrize(("seed", "most"), [(1, 5), (2, 3000), (3, 2**62), (4, 2**62)])
def test_counts_are_those_of_a_dictionary(seed: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    by_hand: Counter[int] = Counter()
    table = no_counts()
    for key, records in zip(rng.integers(0, most, 5000).tolist(), rng.integers(1, 9, 5000).tolist(), strict=True):
        by_hand[key] += records
        table = add(*table, key, records)
    assert table[2] == len(by_hand)
    keys, counts = ascending(*table[:2])
    assert list(zip(keys.tolist(), counts.tolist(), strict=True)) == sorted(by_hand.items())
