"""Supports of item pairs, counted one record and one pair at a time."""

from __future__ import annotations

from collections import Counter
from itertools import combinations


def supports(baskets, shown=None):
    """(first, second) → records. baskets: lists of items or None; shown: item → what it counts as, others are left out."""
    found = Counter()
    for basket in baskets:
        items = {item if shown is None else shown.get(item) for item in basket or ()} - {None}
        found.update(combinations(sorted(items), 2))
    return found


def as_counter(table):
    """What an engine's `count` returns."""
    first, second, records = (column.to_pylist() for column in table.columns)
    keys = list(zip(first, second, strict=True))
    assert keys == sorted(set(keys))
    return Counter(dict(zip(keys, records, strict=True)))
