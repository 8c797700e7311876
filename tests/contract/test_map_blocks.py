"""map_blocks gives a kernel each block of distinct records, in a total order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from samples.kernels import SEEN, BlockOf, BlockOfCity, Breaks, Numbered, Refuses, WhatIsSeen
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError, InternalError
from shoal.io.source import from_frame


def test_every_record_is_seen_once_in_a_total_order(loaded):
    made = loaded.map_blocks(["city", "age"], BlockOfCity(), WhatIsSeen(), SEEN)
    assert made.to_pydict() == {
        "city": ["Bonn", "Ulm"],
        "ages": [[20, 35, 36], [20, 21, 35, None]],
        "records": [[1, 1, 1], [2, 1, 1, 1]],
    }


def test_columns_that_are_published_as_they_are(loaded):
    made = loaded.map_blocks(["city", "age", 'odd "name".x'], BlockOfCity(), WhatIsSeen(), SEEN)
    assert [np.sum(n) for n in made["records"].to_pylist()] == [3, 5]


@pytest.mark.parametrize("role", [Role.SENSITIVE, Role.PLAIN])
def test_many_blocks_come_back_in_the_order_of_their_numbers(engine, role):
    """More rows than come in one batch, of types that not every engine has; in blocks larger than a batch."""
    rows = 60_000
    values = np.random.default_rng(1).integers(-500, 20_000, rows)
    table = pa.table({"q": ["a"] * rows, "v": pa.array(values, mask=values < 0)})
    engine.load(from_frame(table), Schema((Column("q", Role.QUASI), Column("v", role))))
    kernel = Numbered("v")
    made = engine.map_blocks(["v"], BlockOf("v", 7), kernel, kernel.schema)
    assert made.schema == kernel.schema
    known, counts = np.unique(values[values >= 0], return_counts=True)
    expected = [(int(v), int(n)) for v, n in zip(known, counts, strict=True)]
    expected = [pair for block in range(7) for pair in expected if pair[0] % 7 == block]
    zero = sum(v % 7 == 0 for v, _ in expected)  # missing values are in that block, and last
    expected.insert(zero, (None, int((values < 0).sum())))
    assert list(zip(made["value"].to_pylist(), made["records"].to_pylist(), strict=True)) == expected
    assert made["place"].to_pylist()[:zero] == list(range(zero))


def test_no_records_make_no_blocks(engine):
    engine.load(from_frame(pa.table({"v": pa.array([], pa.int64())})), Schema((Column("v", Role.QUASI),)))
    kernel = Numbered("v")
    assert engine.map_blocks(["v"], BlockOf("v", 7), kernel, kernel.schema) == kernel.schema.empty_table()


def test_what_a_kernel_refuses_comes_back_in_its_own_words(loaded):
    with pytest.raises(DataError, match=r"^Column 'city': 3 values are not fit for this\.$"):
        loaded.map_blocks(["city"], BlockOfCity(), Refuses(), SEEN)


@pytest.mark.spark
def test_what_a_kernel_dies_of_is_told_without_its_text(spark):
    from contract.conftest import SCHEMA, TABLE
    from shoal.engines.spark import SparkEngine

    engine = SparkEngine(spark)
    engine.load(from_frame(TABLE), SCHEMA)
    with pytest.raises(InternalError, match="KeyError") as died:
        engine.map_blocks(["city"], BlockOfCity(), Breaks(), SEEN)
    assert "Ulm" not in str(died.value) and "Bonn" not in str(died.value)
    assert died.value.__cause__ is None and died.value.__suppress_context__
    engine.close()
