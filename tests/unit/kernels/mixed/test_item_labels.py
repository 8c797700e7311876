"""Labels that are merged, against sets of items and sets of records."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.kernels.mixed.item_labels import labels_of, merge_labels, merge_price, share, share_merged, shown_now

ITEMS = 9


def members(bits: np.ndarray) -> set[int]:
    return {64 * w + bit for w, word in enumerate(bits.tolist()) for bit in range(64) if word >> bit & 1}


@pytest.mark.parametrize("seed", range(30))
def test_merging_step_by_step(seed: int) -> None:
    rng = np.random.default_rng(seed)
    holders = [set(np.flatnonzero(rng.random(100) < 0.2).tolist()) for _ in range(ITEMS)]
    bits = np.zeros((ITEMS, 2), np.uint64)
    for item, records in enumerate(holders):
        for record in records:
            bits[item, record // 64] |= np.uint64(1 << record % 64)
    held = np.array([len(records) for records in holders], np.int64)
    labels = labels_of(bits, held, np.zeros(ITEMS, np.int32))
    groups = {item: {item} for item in range(ITEMS)}  # by the first item

    def records_of(label: int) -> set[int]:
        return set().union(*(holders[item] for item in groups[label]))

    def paid(label: int) -> int:
        return sum(len(holders[item]) for item in groups[label]) * (len(groups[label]) if len(groups[label]) > 1 else 0)

    room = np.empty(2, np.uint64)
    while len(groups) > 1:
        _agrees(labels, groups, records_of)
        one, two = sorted(rng.choice(sorted(groups), 2, replace=False).tolist())
        for size in (1, 2, 3):
            for combination in list(combinations(sorted(groups), size))[:8]:
                asked = np.array(combination, np.int32)
                common = set.intersection(*map(records_of, combination))
                assert share(labels.bits, asked, room) == len(common)
                assert members(room) == common
                as_one = records_of(one) | records_of(two)
                common = set.intersection(*(as_one if x in (one, two) else records_of(x) for x in combination))
                assert share_merged(labels.bits, asked, one, two, room) == len(common)
                assert members(room) == common
        before = paid(one) + paid(two)
        price = merge_price(labels.held, labels.width, one, two)
        merge_labels(labels, one, two)
        groups[one] |= groups.pop(two)
        assert price == paid(one) - before
    _agrees(labels, groups, records_of)


def _agrees(labels, groups, records_of) -> None:
    made, label = [], 0
    while label < ITEMS:  # along the chain
        made.append(label)
        assert members(labels.bits[label]) == records_of(label)
        assert labels.records[label] == len(records_of(label))
        assert labels.width[label] == len(groups[label])
        assert set(np.flatnonzero(labels.label_of == label).tolist()) == groups[label]
        label = int(labels.after[label])
    assert made == sorted(groups)
    first = {item: label for label, items in groups.items() for item in items}
    room = np.empty(3, np.int32)
    for combination in combinations(range(ITEMS), 3):
        have = shown_now(labels.label_of, np.array(combination, np.int32), room)
        assert room[:have].tolist() == sorted({first[item] for item in combination})
