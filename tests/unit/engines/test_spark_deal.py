"""Dealing out records: exactly as decided, by chance, and the same again however the rows come in batches."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.engines.spark.deal import Deal


@st.composite
def dealings(draw):
    """Rows of tuples in a total order, and the parts of each tuple."""
    rows, tuples, parts, counts = [], [], [], []
    for number in range(draw(st.integers(1, 5))):
        times = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
        rows += [(number * 3, place, n) for place, n in enumerate(times)]
        left = sum(times)
        while left:
            size = draw(st.integers(1, left))
            tuples.append(number * 3)
            parts.append(100 + len(parts))
            counts.append(size)
            left -= size
    table = pa.table(
        {
            "o0": [f"value {place}" for _, place, _ in rows],
            "tuple": [number for number, _, _ in rows],
            "part": pa.array([-1] * len(rows), pa.int64()),
            "n": [n for _, _, n in rows],
        }
    )
    secret = draw(st.binary(min_size=32, max_size=32))
    return table, Deal(secret, *(np.array(column, np.int64) for column in (tuples, parts, counts)))


def dealt(deal, table, size):
    return pa.Table.from_batches(list(deal(iter(table.to_batches(max_chunksize=size)))), table.schema)


@given(dealings(), st.integers(1, 7))
@settings(max_examples=100, deadline=None)
def test_parts_get_their_records_and_records_their_parts(case, size):
    table, deal = case
    made = dealt(deal, table, size)
    given_ = Counter()
    kept = Counter()
    for row in made.to_pylist():
        given_[row["part"]] += row["n"]
        kept[(row["tuple"], row["o0"])] += row["n"]
        assert deal.tuples[list(deal.parts).index(row["part"])] == row["tuple"]
    assert given_ == dict(zip(deal.parts.tolist(), deal.counts.tolist(), strict=True))
    assert kept == {(row["tuple"], row["o0"]): row["n"] for row in table.to_pylist()}


@given(dealings(), st.integers(1, 7))
@settings(max_examples=50, deadline=None)
def test_a_task_that_is_run_again_deals_the_same(case, size):
    table, deal = case
    assert dealt(deal, table, size).equals(dealt(deal, table, 10_000))
    half = table.filter(pa.compute.greater(table["tuple"], 3))  # another task may hold fewer tuples
    assert dealt(deal, half, size).to_pylist() == [r for r in dealt(deal, table, 9).to_pylist() if r["tuple"] > 3]


def test_records_that_do_not_fit_their_parts_are_left_out():
    """The number of what is written then shows that some are missing."""
    table = pa.table({"tuple": [1, 1, 2], "part": pa.array([-1] * 3, pa.int64()), "n": [2, 2, 3]})
    deal = Deal(b"x" * 32, np.array([1, 1, 2]), np.array([5, 6, 7]), np.array([1, 2, 3]))
    assert dealt(deal, table, 10).to_pylist() == [{"tuple": 2, "part": 7, "n": 3}]


def test_every_way_to_deal_is_as_likely():
    """Two of four records: six ways, over many secrets."""
    table = pa.table({"o0": [*"abcd"], "tuple": [0] * 4, "part": pa.array([-1] * 4, pa.int64()), "n": [1] * 4})
    ways = Counter()
    for number in range(3000):
        deal = Deal(number.to_bytes(32, "big"), np.array([0, 0]), np.array([0, 1]), np.array([2, 2]))
        ways["".join(sorted(row["o0"] for row in dealt(deal, table, 10).to_pylist() if row["part"] == 0))] += 1
    assert len(ways) == 6
    assert sum((n - 500) ** 2 / 500 for n in ways.values()) < 30  # chi-squared of 5 degrees: 1 in 70,000


def test_the_secret_is_not_in_its_text():
    assert "7" * 20 not in repr(Deal(b"7" * 32, np.array([0]), np.array([0]), np.array([1])))


def test_secrets_are_the_operating_systems(monkeypatch):
    from types import SimpleNamespace

    asked = []
    monkeypatch.setattr("os.urandom", lambda size: (asked.append(size), b"s" * size)[1])
    parts = SimpleNamespace(
        alone=np.array([True, False, False]), tuples=np.array([0, 1, 1]), counts=np.array([3, 1, 2])
    )
    deal = Deal.of(parts)
    assert asked == [32] and deal.secret == b"s" * 32
    assert (deal.tuples.tolist(), deal.parts.tolist(), deal.counts.tolist()) == ([1, 1], [1, 2], [1, 2])
