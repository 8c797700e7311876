"""Kernels and counters over sets of items, for the tests. Spark's workers import them by name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.data.itemsets import ItemSets

SEEN = pa.schema([("first", pa.string()), ("sets", pa.list_(pa.string())), ("records", pa.list_(pa.int64()))])


@dataclass(frozen=True)
class ItemCounter:
    """Records by item, through the numbers of a vocabulary."""

    vocabulary: tuple[str, ...]

    @property
    def keys(self):
        return pa.schema([("item", pa.string())])

    def partials(self, batches):
        words = pa.array(self.vocabulary, pa.string())
        for batch in batches:
            supports = ItemSets.of_lists(batch.column("items"), words).supports()
            held = np.flatnonzero(supports)
            yield pa.record_batch([words.take(pa.array(held)), pa.array(supports[held])], ["item", "records"])


@dataclass(frozen=True)
class BlockOfSize:
    """By the number of items."""

    def __call__(self, batch):
        return pa.array([len(items) for items in batch.column("items").to_pylist()], pa.int64())


@dataclass(frozen=True)
class PartOfItem:
    """1 for the records that hold an item, else 0."""

    item: str

    def __call__(self, batch):
        assert batch.schema.names == ["items"]
        return pa.array([int(self.item in items) for items in batch.column(0).to_pylist()], pa.int64())


@dataclass(frozen=True)
class WhatSetsAreSeen:
    """The block as it came: sets as texts in one, and their numbers."""

    def __call__(self, block):
        sets = ["+".join(items) for items in block["items"].to_pylist()]
        more = [column for column in block.column_names if column not in ("items", "records")]
        for column in more:
            sets = [f"{one}={value}" for one, value in zip(sets, block[column].to_pylist(), strict=True)]
        return pa.table({"first": sets[:1], "sets": [sets], "records": [block["records"].to_pylist()]}, schema=SEEN)
