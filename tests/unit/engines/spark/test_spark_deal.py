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
    """Rows of tuples in a total order, and the parts of each tuple; each part shows a number of its own."""
    rows, tuples, counts = [], [], []
    for number in range(draw(st.integers(1, 5))):
        times = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
        rows += [(number * 3, place, n) for place, n in enumerate(times)]
        left = sum(times)
        while left:
            size = draw(st.integers(1, left))
            tuples.append(number * 3)
            counts.append(size)
            left -= size
    table = pa.table(
        {
            "o0": [f"value {place}" for _, place, _ in rows],
            "n": [n for _, _, n in rows],
            "tuple": [number for number, _, _ in rows],
        }
    )
    return table, deal_of(draw(st.binary(min_size=32, max_size=32)), tuples, counts)


def deal_of(secret, tuples, counts, shows=None):
    numbers = np.arange(100, 100 + len(tuples)) if shows is None else np.array(shows)
    return Deal(secret, np.array(tuples, np.int64), np.array(counts, np.int64), {"w0": numbers, "w1": numbers * 2})


def dealt(deal, table, size):
    return pa.Table.from_batches(list(deal(iter(table.to_batches(max_chunksize=size)))))


@given(dealings(), st.integers(1, 7))
@settings(max_examples=100, deadline=None)
def test_parts_get_their_records_and_records_their_parts(case, size):
    table, deal = case
    made = dealt(deal, table, size)
    assert made.column_names == ["o0", "n", "w0", "w1"]
    given_, kept = Counter(), Counter()
    for row in made.to_pylist():
        given_[row["w0"]] += row["n"]
        kept[(int(deal.tuples[row["w0"] - 100]), row["o0"])] += row["n"]
        assert row["w1"] == row["w0"] * 2
    assert given_ == dict(zip(range(100, 100 + len(deal.counts)), deal.counts.tolist(), strict=True))
    assert kept == {(row["tuple"], row["o0"]): row["n"] for row in table.to_pylist()}


@given(dealings(), st.integers(1, 7))
@settings(max_examples=50, deadline=None)
def test_a_task_that_is_run_again_deals_the_same(case, size):
    table, deal = case
    whole = dealt(deal, table, 10_000).to_pylist()
    assert dealt(deal, table, size).to_pylist() == whole
    half = table.filter(pa.compute.greater(table["tuple"], 3))  # another task may hold fewer tuples
    expected = [row for row in whole if deal.tuples[row["w0"] - 100] > 3]
    assert (dealt(deal, half, size).to_pylist() if half.num_rows else []) == expected


def test_records_that_do_not_fit_their_parts_are_left_out():
    """The number of what is written then shows that some are missing."""
    table = pa.table({"n": [2, 2, 3], "tuple": [1, 1, 2]})
    deal = deal_of(b"x" * 32, [1, 1, 2], [1, 2, 3], [5, 6, 7])
    assert dealt(deal, table, 10).to_pylist() == [{"n": 3, "w0": 7, "w1": 14}]
    assert dealt(deal, table.slice(0, 2), 1).num_rows == 0


def test_suppressed_parts_are_left_out():
    table = pa.table({"n": [5], "tuple": [1]})
    deal = deal_of(b"x" * 32, [1, 1], [2, 3], [-1, 7])
    assert dealt(deal, table, 10).to_pylist() == [{"n": 3, "w0": 7, "w1": 14}]


def test_every_way_to_deal_is_as_likely():
    """Two of four records: six ways, over many secrets."""
    table = pa.table({"o0": [*"abcd"], "n": [1] * 4, "tuple": [0] * 4})
    ways = Counter()
    for number in range(3000):
        deal = deal_of(number.to_bytes(32, "big"), [0, 0], [2, 2])
        ways["".join(sorted(row["o0"] for row in dealt(deal, table, 10).to_pylist() if row["w0"] == 100))] += 1
    assert len(ways) == 6
    assert sum((n - 500) ** 2 / 500 for n in ways.values()) < 30  # chi-squared of 5 degrees: 1 in 70,000


def test_the_secret_is_not_in_its_text():
    assert "7" * 20 not in repr(deal_of(b"7" * 32, [0], [1]))


def test_secrets_are_the_operating_systems(monkeypatch):
    from types import SimpleNamespace

    asked = []
    monkeypatch.setattr("os.urandom", lambda size: (asked.append(size), b"s" * size)[1])
    parts = SimpleNamespace(
        alone=np.array([True, False, False]), tuples=np.array([0, 1, 1]), counts=np.array([3, 1, 2])
    )
    deal = Deal.of(parts, {"w0": np.array([4, 5, 6])})
    assert asked == [32] and deal.secret == b"s" * 32
    assert (deal.tuples.tolist(), deal.counts.tolist(), deal.shows["w0"].tolist()) == ([1, 1], [1, 2], [5, 6])
