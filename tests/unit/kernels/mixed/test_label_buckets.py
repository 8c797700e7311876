"""Labels in buckets, while they are merged: every label that there is stands in the bucket of its numbers, in ascending order."""

from __future__ import annotations

import random

import numpy as np
import pytest

from oracles.mixed_oracle import merge_items
from shoal.kernels.mixed.item_labels import labels_of, merge_labels
from shoal.kernels.mixed.label_buckets import add_to_bucket, buckets_of, take_from_bucket
from shoal.methods.mixed.item_mapping import ItemDomain, Promised, class_mapping


def found(buckets) -> dict[tuple[int, ...], list[int]]:
    """By the numbers of a bucket, its labels from the first to the last; and back again, which must be the same."""
    made = {}
    for place in range(int(buckets.used[0])):
        there, label = [], int(buckets.first[place])
        while label >= 0:
            there.append(label)
            label = int(buckets.after[label])
        back, label = [], int(buckets.last[place])
        while label >= 0:
            back.append(label)
            label = int(buckets.before[label])
        assert back == there[::-1]
        if there:
            assert tuple(buckets.keys[place]) not in made
            made[tuple(buckets.keys[place].tolist())] = there
    return made


@pytest.mark.parametrize("seed", range(5))
def test_every_label_stands_where_it_belongs(seed):
    rng = np.random.default_rng(seed)
    count = 12
    bits = rng.integers(1, 1 << 6, (count, 2)).astype(np.uint64)
    held = rng.integers(1, 4, count)
    labels = labels_of(bits, held, rng.integers(0, 2, count).astype(np.int32))
    buckets = buckets_of(labels)
    alive = set(range(count))
    while True:
        expected: dict[tuple[int, ...], list[int]] = {}
        for label in sorted(alive):
            numbers = (labels.family[label], labels.records[label], labels.held[label], labels.width[label])
            expected.setdefault(tuple(map(int, numbers)), []).append(label)
        assert found(buckets) == expected
        if len(alive) == 1:
            return
        one, two = sorted(rng.choice(sorted(alive), 2, replace=False).tolist())
        take_from_bucket(buckets, one)
        take_from_bucket(buckets, two)
        merge_labels(labels, one, two)
        add_to_bucket(buckets, labels, one)
        alive.remove(two)


@pytest.mark.parametrize("seed", range(4))
def test_many_rare_items_are_merged_as_one_by_one(seed):
    """The merges are those of the plain search through all labels, where most items occur once or twice."""
    rng = random.Random(seed)
    sets = [{min(rng.randrange(40), rng.randrange(40)) for _ in range(rng.randrange(1, 4))} for _ in range(16)]
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    items = np.array([item for one in sets for item in sorted(one)], np.int32)
    domain = ItemDomain.of_sets(np.zeros(40, np.int32))
    made = class_mapping(offsets, items, np.ones(len(sets), np.int64), domain, Promised(3, 2))
    assert made is not None
    shown = {int(item): frozenset(domain.leaves_of(made, place).tolist()) for place, item in enumerate(made.items)}
    assert shown == merge_items(sets, 3, 2)
