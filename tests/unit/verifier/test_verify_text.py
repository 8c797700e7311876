from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any
from uuid import UUID

import duckdb
import pyarrow as pa
import pytest

from shoal.data.text import texts
from shoal.errors import DataError
from shoal.verifier.looks import looks_like
from shoal.verifier.text import is_single_value, number_of, readable, text_form

UTC = dt.UTC
IDENTITY = UUID("12345678-1234-5678-1234-567812345678")


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (None, "VARCHAR", None),
        ("39", "VARCHAR", "39"),
        ("", "VARCHAR", ""),
        (39, "BIGINT", "39"),
        (-7, "HUGEINT", "-7"),
        (True, "BOOLEAN", "true"),
        (False, "BOOLEAN", "false"),
        (39.0, "DOUBLE", "39"),
        (-0.0, "DOUBLE", "0"),
        (39.5, "DOUBLE", "39.5"),
        (0.1, "DOUBLE", "0.1"),
        (0.123456789, "DOUBLE", "0.123456789"),
        (0.10000000149011612, "FLOAT", "0.1"),
        (float("nan"), "DOUBLE", None),
        (float("inf"), "DOUBLE", "inf"),
        (Decimal("39.00"), "DECIMAL(4,2)", "39"),
        (Decimal("39.50"), "DECIMAL(4,2)", "39.5"),
        (Decimal("100"), "DECIMAL(4,0)", "100"),
        (Decimal("-0.0"), "DECIMAL(4,1)", "0"),
        (dt.date(2020, 1, 31), "DATE", "2020-01-31"),
        (dt.time(9, 30), "TIME", "09:30:00"),
        (dt.time(9, 30, 0, 250000), "TIME", "09:30:00.25"),
        (dt.datetime(2020, 1, 31), "TIMESTAMP", "2020-01-31"),
        (dt.datetime(2020, 1, 31, 9, 30), "TIMESTAMP", "2020-01-31T09:30:00"),
        ("2020-01-31 09:30:00.123456789", "TIMESTAMP_NS", "2020-01-31T09:30:00.123456789"),
        ("2020-01-31 00:00:00", "TIMESTAMP_NS", "2020-01-31"),
        (1580463000000000, "TIMESTAMP WITH TIME ZONE", "2020-01-31T09:30:00Z"),
        (1580463000000000001, "TIMESTAMPTZ_NS", "2020-01-31T09:30:00.000000001Z"),
        (-1, "TIMESTAMPTZ_NS", "1969-12-31T23:59:59.999999999Z"),
        (IDENTITY, "UUID", str(IDENTITY)),
    ],
)
def test_text_form(value: Any, kind: str, text: str | None) -> None:
    assert text_form(value, kind) == text


def test_what_is_no_single_value_has_no_text() -> None:
    with pytest.raises(DataError, match=r"INTEGER\[\]"):
        text_form([1], "INTEGER[]")


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["a", "", None]),
        pa.array([1, -2, None], pa.int8()),
        pa.array([2**63], pa.uint64()),
        pa.array([True, False, None]),
        pa.array([0.5, 3.0, 1e300, 1e-7, 0.1234567891, -0.0, float("nan"), float("inf"), None], pa.float64()),
        pa.array([0.1, 1e-7, 3e38, 16777217.0, None], pa.float32()),
        pa.array([Decimal("1.50"), Decimal("2.00"), None], pa.decimal128(10, 2)),
        pa.array([dt.date(2020, 1, 31), None]),
        pa.array([dt.time(9, 30, 0, 250000), None], pa.time64("us")),
        pa.array([dt.time(9, 30), None], pa.time32("s")),
        *(
            pa.array([dt.datetime(2020, 1, 31), dt.datetime(2020, 1, 31, 9, 30, 1), None], pa.timestamp(unit))
            for unit in ("s", "ms", "us", "ns")
        ),
        pa.array([1580463000123456789, None], pa.timestamp("ns")),
        pa.array([34200123456789, None], pa.time64("ns")),
        pa.array([dt.datetime(2020, 1, 31, 0, 0, tzinfo=UTC), None], pa.timestamp("us", "Europe/Paris")),
        # whole microseconds: DuckDB 1 has no others with a zone
        pa.array([1580463000123456000, -1000, 0, None], pa.timestamp("ns", "Europe/Paris")),
        pa.array([None, None]),
    ],
    ids=lambda array: str(array.type),
)
def test_the_second_formatter_agrees_with_the_first(array: pa.Array) -> None:
    """Labels of a hierarchy are made with the other one. Written twice, they must say the same."""
    con = duckdb.connect()
    con.register("t", pa.table({"v": array}))
    kind = con.execute("DESCRIBE t").fetchall()[0][1]
    assert is_single_value(kind)
    found = con.execute(f"SELECT {readable('v', kind)} FROM t").fetchall()
    assert [text_form(value, kind) for (value,) in found] == texts(array)


@pytest.mark.parametrize(
    "kind",
    [
        *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
        *("VARCHAR", "BOOLEAN", "FLOAT", "DOUBLE", "DECIMAL(18,3)", "UUID", '"NULL"'),
        *(
            "DATE",
            "TIME",
            "TIME_NS",
            "TIMESTAMP",
            "TIMESTAMP_S",
            "TIMESTAMP_MS",
            "TIMESTAMP_NS",
            "TIMESTAMP WITH TIME ZONE",
        ),
    ],
)
def test_single_values(kind: str) -> None:
    assert is_single_value(kind)
    assert duckdb.connect().execute(f"SELECT typeof(CAST(NULL AS {kind}))").fetchall() == [(kind,)]


@pytest.mark.parametrize(
    "kind", ["VARCHAR[]", "STRUCT(a INTEGER)", "INTERVAL", "BLOB", "MAP(VARCHAR, VARCHAR)", "JSON"]
)
def test_no_single_values(kind: str) -> None:
    assert not is_single_value(kind)


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("-7", -7), ("+7", 7), ("7.50", "7.5"), ("1e3", 1000), ("1E-2", "0.01"), ("007", 7), ("-0", 0)],
)
def test_numbers(text: str, number: Any) -> None:
    assert number_of(text) == Decimal(number)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        " 7",
        "7 ",
        "1_000",
        "1,5",
        "٧",
        "７",
        "nan",
        "inf",
        "0x10",
        "1e",
        ".5",
        "5.",
        "--5",
        "1e9999999",
        "7\n",
    ],
)
def test_no_numbers(text: str | None) -> None:
    assert number_of(text) is None


@pytest.mark.parametrize(
    ("text", "look"),
    [
        ("flu", "flu"),
        (" flu\t", "flu"),
        ("a b", "a b"),
        ("\u00a0flu\u3000", "flu"),
        ("fl\u200bu", "flu"),
        ("fl\u00adu\ufeff", "flu"),
        ("e\u0301", "é"),
        ("e\u200d\u0301", "é"),
        ("Flu", "Flu"),
    ],
)
def test_what_a_reader_sees(text: str, look: str) -> None:
    assert looks_like(text) == look
