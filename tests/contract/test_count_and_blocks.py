"""count adds up over batches; map_blocks gives a kernel each block in a total order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from contract.conftest import TABLE


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


SCHEMA = pa.schema([("city", pa.string()), ("ages", pa.list_(pa.int64())), ("records", pa.list_(pa.int64()))])


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
            schema=SCHEMA,
        )


def test_count(loaded):
    made = loaded.count(CityCounter(), ["city"])
    assert made.to_pydict() == {"city": ["Bonn", "Ulm"], "records": [3, 5]}
    assert dict(zip(*made.to_pydict().values(), strict=True)) == Counter(TABLE["city"].to_pylist())


def test_count_within_limits(loaded):
    assert loaded.count(CityCounter(), ["city"], at_least=4).to_pydict() == {"city": ["Ulm"], "records": [5]}
    assert loaded.count(CityCounter(), ["city"], at_most=4).to_pydict() == {"city": ["Bonn"], "records": [3]}
    assert loaded.count(CityCounter(), ["city"], at_least=4, at_most=4).num_rows == 0


def test_map_blocks_sees_every_record_once_in_a_total_order(loaded):
    made = loaded.map_blocks(["city", "age"], BlockOfCity(), WhatIsSeen(), SCHEMA)
    assert made.to_pydict() == {
        "city": ["Bonn", "Ulm"],
        "ages": [[20, 35, 36], [20, 21, 35, None]],
        "records": [[1, 1, 1], [2, 1, 1, 1]],
    }


def test_map_blocks_of_columns_that_are_published_as_they_are(loaded):
    made = loaded.map_blocks(["city", "age", 'odd "name".x'], BlockOfCity(), WhatIsSeen(), SCHEMA)
    assert [np.sum(n) for n in made["records"].to_pylist()] == [3, 5]
