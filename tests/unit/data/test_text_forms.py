import datetime as dt
import math
from decimal import Decimal
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.text import text_array, text_of, texts
from shoal.errors import DataError

UTC_PLUS_2 = dt.timezone(dt.timedelta(hours=2))

FORMS = [
    (None, None),
    ("", ""),
    ("  padded ", "  padded "),
    (39, "39"),
    (-5, "-5"),
    (2**63 - 1, "9223372036854775807"),
    (True, "true"),
    (False, "false"),
    (39.0, "39"),
    (-0.0, "0"),
    (0.1, "0.1"),
    (1e-7, "1e-07"),
    (1e16, "10000000000000000"),
    (math.nan, None),
    (math.inf, "inf"),
    (Decimal("39.00"), "39"),
    (Decimal("39.50"), "39.5"),
    (Decimal("100"), "100"),
    (Decimal("-0.0"), "0"),
    (dt.date(2020, 1, 31), "2020-01-31"),
    (dt.time(9, 30), "09:30:00"),
    (dt.time(9, 30, 0, 250_000), "09:30:00.25"),
    (dt.datetime(2020, 1, 31, 9, 30), "2020-01-31T09:30:00"),
    (dt.datetime(2020, 1, 31, 9, 30, 0, 500_000), "2020-01-31T09:30:00.5"),
    (dt.datetime(2020, 1, 31), "2020-01-31"),
    (dt.datetime(2020, 1, 31, 2, 0, tzinfo=UTC_PLUS_2), "2020-01-31T00:00:00Z"),
]


@pytest.mark.parametrize(("value", "text"), FORMS)
def test_one_value_and_an_array_of_it_agree(value, text):
    assert text_of(value) == text
    assert texts(pa.array([value, None])) == [text, None]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.int32(7), "7"),
        (np.float32(0.1), "0.1"),
        (np.float64(2.0), "2"),
        (np.bool_(True), "true"),
        (np.datetime64("NaT"), None),
        (np.datetime64("2020-01-31T00:00:00.000000001"), "2020-01-31T00:00:00.000000001"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (pa.scalar(3.0), "3"),
        (pa.scalar(None, pa.int8()), None),
    ],
)
def test_scalars_of_libraries(value, text):
    assert text_of(value) == text


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([0.1, 2.0, None], pa.float32()), ["0.1", "2", None]),
        (pa.array([1, None], pa.uint64()), ["1", None]),
        (pa.array(np.array([0.1, 2, np.nan], np.float16)), ["0.1", "2", None]),
        (pa.array([1, None], pa.decimal32(5, 2)), ["1", None]),
        (pa.array([Decimal("-1.50")], pa.decimal64(10, 2)), ["-1.5"]),
        (pa.array(["a", None], pa.large_string()), ["a", None]),
        (pa.array(["a", None], pa.string_view()), ["a", None]),
        (pa.array([None, None], pa.null()), [None, None]),
        (pa.array(["b", "a", None, "b"]).dictionary_encode(), ["b", "a", None, "b"]),
        (pa.array([1.5, 2.0, None, 1.5]).dictionary_encode(), ["1.5", "2", None, "1.5"]),
        (pa.array([1, 86_400_000_000_001], pa.timestamp("ns")), ["1970-01-01T00:00:00.000000001", "1970-01-02T00:00:00.000000001"]),
        (pa.array([0, 1500], pa.timestamp("ms", tz="Europe/Paris")), ["1970-01-01T00:00:00Z", "1970-01-01T00:00:01.5Z"]),
        (pa.array([1, None], pa.time64("ns")), ["00:00:00.000000001", None]),
        (pa.array([3661], pa.time32("s")), ["01:01:01"]),
        (pa.array([dt.date(1999, 12, 31)], pa.date64()), ["1999-12-31"]),
        (pa.chunked_array([["a"], ["b", None]]), ["a", "b", None]),
        (pa.chunked_array([], pa.int64()), []),
        (pa.chunked_array([pa.array(["a"]).dictionary_encode(), pa.array(["b"]).dictionary_encode()]), ["a", "b"]),
    ],
    ids=lambda value: str(value.type) if hasattr(value, "type") else "",
)  # fmt: skip
def test_arrow_types(array, expected):
    assert texts(array) == expected


@pytest.mark.parametrize("value", [b"bytes", [1], {"a": 1}, dt.timedelta(1), object()])
def test_what_has_no_text_form_is_refused(value):
    with pytest.raises(DataError, match="no text form"):
        text_of(value)


def test_arrays_without_a_text_form_are_refused():
    for array in (pa.array([b"x"]), pa.array([[1]]), pa.array([dt.timedelta(1)])):
        with pytest.raises(DataError, match="no text form"):
            texts(array)


@given(st.lists(st.floats(width=64) | st.none(), max_size=20))
def test_floats_keep_apart_what_is_apart(values):
    made = texts(pa.array(values, pa.float64()))
    assert made == [text_of(value) for value in values]
    for value, text in zip(values, made, strict=True):
        if text is not None:
            assert float(text) == value


def test_pandas_missing_values():
    pandas = pytest.importorskip("pandas")
    assert text_of(pandas.NA) is None
    assert text_of(pandas.NaT) is None
    assert text_of(pandas.Timestamp("2020-01-31")) == "2020-01-31"


def test_25_000_distinct_values_take_no_time():
    import time

    array = pa.array([i / 7 for i in range(25_000)])
    begin = time.perf_counter()
    assert len(text_array(array)) == 25_000
    assert time.perf_counter() - begin < 1
