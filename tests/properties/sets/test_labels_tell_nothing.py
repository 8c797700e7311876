"""Whoever knows all sets, this code and a release with l-matching must not conclude labels from which block shows which.

Every way to give labels to the records is run, and releases that look the same are put together: what those ways have in common is
what the release tells.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import pyarrow as pa
import pytest

from shoal.methods.sets.cahd import CahdBlock
from shoal.methods.sets.matching_promise import MatchingPromise
from shoal.methods.sets.nonreciprocal import MatchBlock

ITEMS = pa.array(["s", "t"])
SETS = ["s", "s", "s", "t"]  # three are equal, and one of them shares its block with another set
TIMES = 40  # a label is left out by chance once in 3 ** 40


def published(kernel, labels):
    """What a block of records shows: by class the base and the labels."""
    rows = sorted(zip(SETS, labels, strict=True))
    table = pa.table(
        {
            "items": pa.array([[item] for item, _ in rows], pa.list_(pa.string())),
            "job": pa.array([label for _, label in rows]),
            "records": pa.array([1] * len(rows), pa.int64()),
        }
    )
    (made,) = kernel(table).to_pylist()
    classes = defaultdict(list)
    for one, number in zip(made["member_sets"], made["member_classes"], strict=True):
        classes[number].append(made["labels"][one])
    shown = zip(sorted(classes), made["at_most"], strict=True)
    return frozenset((at_most, tuple(sorted(classes[number]))) for number, at_most in shown)


@pytest.mark.parametrize("kernel", [MatchBlock, CahdBlock])
def test_equal_sets_go_to_blocks_whatever_their_labels(kernel):
    block = kernel("items", ITEMS, MatchingPromise(2, 2, "job"), "blocks", False)
    seen = defaultdict(set)  # by release: the labels that the record with the other set may have
    for labels in permutations("abcd"):
        for _ in range(TIMES):
            seen[published(block, labels)].add(labels[-1])
    assert min(map(len, seen.values())) == 2
