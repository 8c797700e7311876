"""frequency_set: distinct tuples with counts, sensitive values beside them."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from contract.conftest import TABLE
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError
from shoal.hierarchies.build import build
from shoal.io.source import from_frame


def test_tuples_and_counts(loaded, trees):
    frequency = loaded.frequency_set(trees, {})
    found = {
        tuple(tree.labels[code] for tree, code in zip(trees.values(), row, strict=True)): int(n)
        for row, n in zip(frequency.codes, frequency.counts, strict=True)
    }
    rows = zip(TABLE["age"].to_pylist(), TABLE["city"].to_pylist(), strict=True)
    assert found == Counter((None if age is None else str(age), city) for age, city in rows)
    assert frequency.rows == TABLE.num_rows


def test_sensitive_values_per_tuple(loaded, trees):
    frequency = loaded.frequency_set(trees, {"ill": None})
    s = frequency.sensitive["ill"]
    assert s.value_count == 3 and s.missing == 2  # cold, flu, missing
    found = Counter()
    for t, value, n in zip(s.tuples, s.values, s.counts, strict=True):
        labels = tuple(tree.labels[code] for tree, code in zip(trees.values(), frequency.codes[t], strict=True))
        found[(*labels, ["cold", "flu", None][value])] += int(n)
    rows = zip(TABLE["age"].to_pylist(), TABLE["city"].to_pylist(), TABLE["ill"].to_pylist(), strict=True)
    assert found == Counter((None if a is None else str(a), c, i) for a, c, i in rows)


def test_a_value_outside_the_hierarchy_is_counted_and_never_shown(loaded, trees):
    trees["city"] = build(None, ["Ulm"])
    with pytest.raises(DataError, match=r"Column 'city': 1 values \(in 3 records\)") as refused:
        loaded.frequency_set(trees, {})
    assert "Bonn" not in str(refused.value)


def test_many_tuples_with_missing_values(engine, engine_name):
    """More rows than an engine hands over in one piece."""
    rows = {"local": 300_000, "spark": 30_000}[engine_name]
    numbers = pa.array([None if i % 1000 == 0 else i for i in range(rows)], pa.int64())
    table = pa.table({"n": numbers, "there": pa.array([1] * rows)})
    engine.load(from_frame(table), Schema((Column("n", Role.QUASI), Column("there", Role.PLAIN))))
    tree = build(None, [None if v is None else str(v) for v in table["n"].to_pylist()])
    frequency = engine.frequency_set({"n": tree}, {})
    assert frequency.rows == rows
    assert int(frequency.counts.max()) == rows // 1000
