"""CAHD's groups, formed in plain Python from lists of what is left."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from shoal.kernels.sets.cahd_groups import _PATIENCE, cahd_groups


def by_hand(sets: list[set[int]], order: list[int], labels: list[int], l: int, alpha: int) -> list[int]:
    groups = [-1] * len(sets)
    left = list(range(len(order)))  # places of the order
    width, made = alpha * l, 0
    at = 0
    while at < len(left):
        place = left[at]
        here = order[place]

        def candidates(side: list[int], here: int = here) -> list[int]:
            return [p for p in side[: _PATIENCE * width] if labels[order[p]] != labels[here]][:width]

        near = candidates(left[:at][::-1]) + candidates(left[at + 1 :])
        near.sort(key=lambda p: (len(sets[order[p]] ^ sets[here]), abs(p - place)))
        chosen = [place]
        for p in near:
            if len(chosen) < l and labels[order[p]] not in {labels[order[other]] for other in chosen}:
                chosen.append(p)
        rest = [p for p in left if p not in chosen]
        most = max(Counter(labels[order[p]] for p in rest).values(), default=0)
        if len(chosen) == l and most * l <= len(rest):
            for p in chosen:
                groups[order[p]] = made
            made += 1
            at = sum(p < place for p in rest)  # on with what stands behind
            left = rest
        else:
            at += 1
    return [made if group < 0 else group for group in groups]


@pytest.mark.parametrize("seed", range(60))
def test_groups_are_those_formed_by_hand(seed: int) -> None:
    rng = np.random.default_rng(seed)
    l, alpha = int(rng.integers(2, 4)), int(rng.integers(1, 4))
    count = int(rng.integers(l, 25))
    sets = [set(rng.integers(0, 8, int(rng.integers(0, 6))).tolist()) for _ in range(count)]
    labels = [*range(l), *rng.integers(0, 6, count - l).tolist()]
    if max(Counter(labels).values()) * l > count:
        labels = [i % 6 for i in range(count)]  # no label is too frequent then
    order = rng.permutation(count).tolist()
    items = [sorted(one) for one in sets]
    made = cahd_groups(
        np.cumsum([0, *map(len, items)]).astype(np.int64),
        np.array([x for one in items for x in one], np.int32),
        np.array(order, np.int64),
        np.array(labels, np.int32),
        l,
        alpha,
    )
    assert made.tolist() == by_hand(sets, order, labels, l, alpha)
