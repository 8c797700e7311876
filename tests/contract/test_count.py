"""count: numbers of records by key, added up over batches."""

from __future__ import annotations

from collections import Counter

from contract.conftest import TABLE
from samples.kernels import CityCounter


def test_count(loaded):
    made = loaded.count(CityCounter(), ["city"])
    assert made.to_pydict() == {"city": ["Bonn", "Ulm"], "records": [3, 5]}
    assert dict(zip(*made.to_pydict().values(), strict=True)) == Counter(TABLE["city"].to_pylist())


def test_count_within_limits(loaded):
    assert loaded.count(CityCounter(), ["city"], at_least=4).to_pydict() == {"city": ["Ulm"], "records": [5]}
    assert loaded.count(CityCounter(), ["city"], at_most=4).to_pydict() == {"city": ["Bonn"], "records": [3]}
    assert loaded.count(CityCounter(), ["city"], at_least=4, at_most=4).num_rows == 0
