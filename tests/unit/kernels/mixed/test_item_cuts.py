"""Labels of a hierarchy, opened from the roots downwards, with records as sets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.kernels.mixed.item_cuts import item_cut
from shoal.kernels.record_bits import Asked, bits_of

# nodes before their parents: eight items, four labels above, two roots
PARENTS = [8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, -1, -1]
WIDTHS = [1] * 8 + [2] * 4 + [4, 4]


def above(node: int) -> list[int]:
    return [node, *(above(PARENTS[node]) if PARENTS[node] >= 0 else [])]


def by_hand(records: list[set[int]], secret: list[set[int]], k: int, l: int, m: int) -> dict[int, int] | None:
    occurring = {node for record in records for item in record for node in above(item)}
    holders = {node: {i for i, r in enumerate(records) if any(node in above(x) for x in r)} for node in occurring}
    hidden = {node: sum(node in above(x) for r in records for x in r) for node in occurring}

    def keeps(labels: set[int]) -> bool:
        for size in range(1, m + 1):
            for one in combinations(sorted(labels), size):
                among = set.intersection(*(holders[label] for label in one))
                if among and (len(among) < k or any(len(among & held) * l > len(among) for held in secret)):
                    return False
        return True

    labels = {node for node in occurring if PARENTS[node] < 0}
    if not keeps(labels):
        return None
    closed = {node for node in occurring if node < 8}
    while open_ := sorted(labels - closed):
        best = max(open_, key=lambda node: (hidden[node] * WIDTHS[node], -node))
        closed.add(best)
        opened = labels - {best} | {node for node in occurring if PARENTS[node] == best}
        if keeps(opened):
            labels = opened
    return {item: next(x for x in above(item) if x in labels) for item in sorted(occurring) if item < 8}


@pytest.mark.parametrize("seed", range(60))
def test_the_cut_is_that_by_hand(seed: int) -> None:
    rng = np.random.default_rng(seed)
    records = [set(rng.choice(8, int(rng.integers(0, 5)), replace=False).tolist()) for _ in range(70)]
    if rng.random() < 0.5:
        records = [record - {5, 6} for record in records]  # not every item occurs
    secret = [set(np.flatnonzero(rng.random(70) < 0.35).tolist()) for _ in range(int(rng.integers(0, 2)))]
    k, l, m = int(rng.integers(1, 40)), 2, int(rng.integers(1, 4))
    leaves = sorted(set().union(*records))
    place = {item: i for i, item in enumerate(leaves)}
    sets = [sorted(place[item] for item in record) for record in records]
    offsets = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    items = np.array([item for one in sets for item in one], np.int32)
    bits = bits_of(offsets, items, np.ones(len(sets), np.int64), len(leaves))
    secrets = np.zeros((len(secret), bits.shape[1]), np.uint64)
    for value, held in enumerate(secret):
        for record in held:
            secrets[value, record // 64] |= np.uint64(1 << record % 64)
    possible, cut = item_cut(
        np.array(leaves, np.int32),
        bits,
        np.bincount(items, minlength=len(leaves)).astype(np.int64),
        np.array(PARENTS, np.int32),
        np.array(WIDTHS, np.int64),
        Asked(k, m, secrets, np.full(len(secret), l, np.int64)),
    )
    wanted = by_hand(records, secret, k, l, m)
    assert possible == (wanted is not None)
    if wanted is not None:
        assert dict(zip(leaves, cut.tolist(), strict=True)) == wanted
