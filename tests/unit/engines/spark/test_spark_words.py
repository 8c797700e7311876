"""Several small numbers in one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest


@pytest.mark.spark
def test_words_keep_the_order_of_columns(spark):
    """Packed in an array and in Spark alike; the order of the words is the order of the columns."""
    from pyspark.sql import functions as sql

    from shoal.engines.spark.words import Words

    chance = np.random.default_rng(4)
    for sizes in ([1], [2, 3], [900] * 9, [2**31 - 1, 5, 2**31 - 1], [2**20, 2**20, 2**20, 2**3]):
        words = Words.of("w", sizes)
        numbers = np.stack([chance.integers(0, size, 50) for size in sizes], axis=1).astype(np.int32)
        numbers[0] = [size - 1 for size in sizes]
        packed = words.pack(numbers)
        assert all((word >= 0).all() for word in packed.values())
        order = np.lexsort(np.stack(list(packed.values()))[::-1])
        assert numbers[order].tolist() == sorted(numbers.tolist())
        names = [f"v{c}" for c in range(len(sizes))]
        frame = spark.createDataFrame(pa.table(dict(zip(names, numbers.T, strict=True))))
        there = frame.select("*", *words.packed([sql.col(name) for name in names]))
        again = there.select(*words.names, *(words.number(c).alias(f"u{c}") for c in range(len(sizes)))).toArrow()
        assert all(again[name].to_pylist() == packed[name].tolist() for name in words.names)
        assert [again[f"u{c}"].to_pylist() for c in range(len(sizes))] == numbers.T.tolist()
