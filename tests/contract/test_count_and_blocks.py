"""count adds up over batches; map_blocks gives a kernel each block in a total order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow as pa

from contract.conftest import TABLE


@dataclass(frozen=True)
class CityCounter:
    def empty(self):
        return Counter()

    def partial(self, batch):
        return Counter(batch.column("city").to_pylist())

    def merge(self, first, second):
        return first + second


def test_count(loaded):
    assert loaded.count(CityCounter(), ["city"]) == Counter(TABLE["city"].to_pylist())


def test_map_blocks_sees_every_record_once_in_a_total_order(loaded):
    schema = pa.schema([("city", pa.string()), ("first_age", pa.int64()), ("n", pa.int64())])
    seen = []

    def kernel(block):
        seen.append(block.to_pydict())
        return pa.table(
            {"city": [block["city"][0].as_py()], "first_age": [block["age"][0].as_py()], "n": [block.num_rows]},
            schema=schema,
        )

    made = loaded.map_blocks(["city"], kernel, schema, ["city", "age"])
    assert made.to_pydict() == {"city": ["Bonn", "Ulm"], "first_age": [20, 20], "n": [3, 5]}
    for block in seen:
        ages = [(age is None, age) for age in block["age"]]
        assert ages == sorted(ages)
        assert len(set(block["city"])) == 1
