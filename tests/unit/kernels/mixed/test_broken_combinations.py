"""Combinations of labels that break a promise, by trying all of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.kernels.mixed.broken_combinations import broken_pairs, broken_sets
from shoal.kernels.record_bits import Asked, bits_of

ITEMS = 7


@pytest.mark.parametrize("seed", range(60))
def test_all_that_occur_and_break_it_the_rarest_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sets = [sorted(rng.choice(ITEMS, int(rng.integers(0, 5)), replace=False).tolist()) for _ in range(12)]
    copies = rng.integers(1, 9, len(sets))
    label_of = np.arange(ITEMS)
    for item in range(1, ITEMS):
        if rng.random() < 0.3:
            label_of[item] = label_of[rng.integers(0, item)]
    records = [{int(label_of[x]) for x in one} for one, copy in zip(sets, copies, strict=True) for _ in range(copy)]
    secret = [set(np.flatnonzero(rng.random(len(records)) < 0.3).tolist()) for _ in range(int(rng.integers(0, 3)))]
    k, l = int(rng.integers(1, 12)), 2
    offsets = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    items = np.array([item for one in sets for item in one], np.int32)
    bits = bits_of(offsets, label_of[items].astype(np.int32), copies, ITEMS)
    words = bits.shape[1]
    secrets = np.zeros((len(secret), words), np.uint64)
    for value, holders in enumerate(secret):
        for record in holders:
            secrets[value, record // 64] |= np.uint64(1 << record % 64)
    asked = Asked(k, 3, secrets, np.full(len(secret), l, np.int64))
    for size in (1, 2, 3):
        by_hand = []
        for one in combinations(sorted(set(label_of.tolist())), size):
            among = {i for i, shown in enumerate(records) if set(one) <= shown}
            if among and (len(among) < k or any(len(among & holders) * l > len(among) for holders in secret)):
                by_hand.append((len(among), one))
        by_hand.sort()
        made = broken_sets(label_of.astype(np.int32), bits, asked, size)
        assert [tuple(row) for row in made.tolist()] == [one for _, one in by_hand]
        if size == 2:
            pairs = broken_pairs(offsets, items, copies, label_of.astype(np.int32), bits, asked)
            assert pairs.tolist() == made.tolist()
