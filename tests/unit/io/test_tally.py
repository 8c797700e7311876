"""Counting in Arrow agrees with counting in Python, for every type and with codes that stand for no value."""

import datetime as dt
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.text import text_of
from shoal.io.counts import column_counts
from shoal.io.reading import RowReading
from shoal.io.source import from_frame, open_source
from shoal.io.tally import MOST, Tally, column_tally

CELLS = st.one_of(
    st.lists(st.none() | st.integers(-3, 99), max_size=30),
    st.lists(st.none() | st.sampled_from([0.5, 1.0, -2.25, float("nan"), 99.0]), max_size=30),
    st.lists(st.none() | st.sampled_from(["a", "B", "99", "", "?"]), max_size=30),
    st.lists(st.none() | st.sampled_from(["1", "2.5", "99", "-1"]), max_size=30),
    st.lists(st.none() | st.dates(dt.date(1990, 1, 1), dt.date(1990, 1, 9)), max_size=30),
    st.lists(st.none() | st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(1990, 1, 2)), max_size=9),
    st.lists(st.none() | st.booleans(), max_size=30),
)


@settings(max_examples=60, deadline=None)
@given(CELLS, st.lists(st.sampled_from(["99", "?", "true", "1990-01-02", "-1"]), max_size=2))
def test_it_counts_as_column_counts_does(cells, codes):
    source = from_frame(
        pa.table({"x": pa.array(cells) if any(c is not None for c in cells) else pa.array(cells, pa.string())})
    )
    plain = column_counts(source, "x", codes)
    tally = column_tally(source, "x", codes)
    assert tally.missing == plain.pop(None, 0)
    assert tally.all() == plain
    assert tally.records + tally.missing == len(cells)
    order = tally.numbers if tally.numbers is not None else tally.days
    assert order is None or list(order) == sorted(order)


def test_of_very_many_values_the_odd_ones_are_kept(tmp_path):
    texts = [str(n) for n in range(MOST + 5_000)] + ["Refused", "N/A", "-1"]
    pq.write_table(pa.table({"x": texts, "n": range(len(texts))}), tmp_path / "a.parquet")
    source = open_source(tmp_path / "a.parquet", RowReading(sets=None))
    tally = column_tally(source, "x")
    some = tally.some(["refused", "n/a", "-1"])
    assert {"Refused", "N/A", "-1"} <= some.keys()
    assert len(some) < 4_000
    assert tally.numbers is None
    numbers = column_tally(source, "n").some(["77"])
    assert {"0", "77", str(len(texts) - 1)} <= numbers.keys()
    assert sum(column_tally(source, "n").condensed().values()) == len(texts)


def test_codes_that_are_taken_out_later_count_the_same():
    cells = [1, 2, 99, None, 2, 99]
    source = from_frame(pa.table({"x": cells}))
    assert (
        column_tally(source, "x").without(["99"]).all() == column_tally(source, "x", ["99"]).all() == {"1": 1, "2": 2}
    )
    assert Tally.of_counts(Counter(text_of(cell) for cell in cells if cell is not None)).spread(2) == ["2", "99"]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=60), st.integers(1, 12))
def test_the_most_frequent_are_those_that_sorting_gives(counts, most):
    tally = Tally.of_counts({f"{place:03}": count for place, count in enumerate(counts)})
    order = sorted(range(len(counts)), key=lambda place: (-counts[place], place))
    assert tally.most_frequent(most).tolist() == order[:most]
