"""Kernels and counters for the tests. Spark's workers import them by name, which they cannot do from a test file."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.data.trees import Forest
from shoal.errors import DataError

SEEN = pa.schema([("city", pa.string()), ("ages", pa.list_(pa.int64())), ("records", pa.list_(pa.int64()))])


@dataclass(frozen=True)
class CityCounter:
    @property
    def keys(self):
        return pa.schema([("city", pa.string())])

    def partials(self, batches):
        for batch in batches:
            for city in batch.column("city").to_pylist():  # the same key again and again: the engine adds up
                yield pa.record_batch({"city": [city], "records": pa.array([1], pa.int64())})


@dataclass(frozen=True)
class BlockOfCity:
    def __call__(self, batch):
        return pa.array([{"Ulm": 7, "Bonn": 3}[city] for city in batch.column("city").to_pylist()], pa.int64())


@dataclass(frozen=True)
class WhatIsSeen:
    def __call__(self, block):
        assert len(set(block["city"].to_pylist())) == 1
        return pa.table(
            {
                "city": [block["city"][0].as_py()],
                "ages": [block["age"].to_pylist()],
                "records": [block["records"].to_pylist()],
            },
            schema=SEEN,
        )


@dataclass(frozen=True)
class BlockOf:
    """By the remainder of a number, with negative blocks and gaps."""

    column: str
    blocks: int

    def __call__(self, batch):
        return pa.array([(v or 0) % self.blocks * 10 - 20 for v in batch.column(self.column).to_pylist()], pa.int64())


@dataclass(frozen=True)
class Numbered:
    """Every row of the block as it came, and its place; in types that not every engine has."""

    column: str

    @property
    def schema(self):
        return pa.schema([("value", pa.int64()), ("place", pa.uint16()), ("records", pa.int64())])

    def __call__(self, block):
        places = pa.array(range(block.num_rows), pa.uint16())
        return pa.table(
            [block.column(self.column), places, block.column("records")], names=["value", "place", "records"]
        )


@dataclass(frozen=True)
class Refuses:
    def __call__(self, block):
        raise DataError("Column 'city': 3 values are not fit for this.")


@dataclass(frozen=True)
class Breaks:
    """With a cell in its message, as Python's own exceptions have."""

    def __call__(self, block):
        raise KeyError(block["city"][0].as_py())


@dataclass(frozen=True)
class Sleeps:
    seconds: float

    def __call__(self, block):
        time.sleep(self.seconds)
        return block


@dataclass(frozen=True)
class EveryNumber:
    """Every number below some number, once."""

    below: int

    @property
    def keys(self):
        return pa.schema([("number", pa.int64())])

    def partials(self, batches):
        for _ in batches:
            yield pa.record_batch([pa.array(range(self.below)), pa.repeat(1, self.below)], ["number", "records"])


@dataclass(frozen=True)
class NodesByLabel:
    """Nodes of trees by their label."""

    @property
    def keys(self):
        return pa.schema([("label", pa.int64())])

    def partials(self, batches):
        for batch in batches:
            labels, nodes = np.unique(Forest.of_packed(batch.column("tree")).labels, return_counts=True)
            yield pa.RecordBatch.from_arrays(
                [pa.array(labels, pa.int64()), pa.array(nodes, pa.int64())], ["label", "records"]
            )
