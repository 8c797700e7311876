"""load: rows without any published value are no records, and codes are missing values, on every engine."""

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from shoal.data.schema import Column, Role, Schema
from shoal.io.parquet import write_parquet
from shoal.io.reading import RowReading
from shoal.io.source import from_frame, open_source

NAN = float("nan")


def source_of(table, tmp_path, kind, sets=()):
    if kind == "arrow":
        return from_frame(table, sets)
    write_parquet(table, tmp_path / "table.parquet")
    return open_source(tmp_path / "table.parquet", RowReading(sets=sets))


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_rows_without_a_published_value(engine, tmp_path, kind):
    table = pa.table(
        {
            "id": ["1", "2", "3", "4", "5", "6", None],
            "q": ["a", "a", None, "", " \u00a0", "\u3164\u200b", None],
            "s": pa.array([0.5, None, 0.5, NAN, None, NAN, None]),
            "p": pa.array([None, None, None, None, None, None, None], pa.int32()),
        }
    )
    schema = Schema(
        (Column("id", Role.IDENTIFYING), Column("q", Role.QUASI), Column("s", Role.SENSITIVE), Column("p", Role.PLAIN))
    )
    assert engine.load(source_of(table, tmp_path, kind), schema) == 3
    assert engine.empty_rows == 4
    assert engine.domain("q").counts == {"a": 2, None: 1}


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_codes_of_every_type(engine, tmp_path, kind):
    """By value where the column is not of text: 99 is 99.0."""
    values = {
        "text": (pa.array(["99", "99.0", "Refused", "x"]), ("99", "Refused"), {"99.0": 1, "x": 1, None: 2}),
        "int": (pa.array([99, -1, 0, 7]), ("99.0", "-1", "7.5", "no"), {"0": 1, "7": 1, None: 2}),
        "float": (pa.array([99.0, 0.1, NAN, 2.5]), ("99", "0.1"), {"2.5": 1, None: 3}),
        "single": (pa.array([99.0, 0.1, 3.0, 2.5], pa.float32()), ("99", "0.1"), {"2.5": 1, "3": 1, None: 2}),
        "decimal": (
            pa.array([Decimal("99.00"), Decimal("1.50"), None, Decimal("2.50")], pa.decimal128(6, 2)),
            ("99", "1.5", "2.505", "1000000"),
            {"2.5": 1, None: 3},
        ),
        "day": (pa.array([dt.date(1900, 1, 1), dt.date(2000, 1, 1), None, None]), ("1900-01-01",), {"2000-01-01": 1, None: 3}),
        "moment": (
            pa.array([dt.datetime(1900, 1, 1), dt.datetime(2000, 1, 1, 9), None, None], pa.timestamp("us")),
            ("1900-01-01",),
            {"2000-01-01T09:00:00": 1, None: 3},
        ),
        "truth": (pa.array([True, False, None, True]), ("false", "1"), {"true": 2, None: 2}),
    }  # fmt: skip
    table = pa.table({name: array for name, (array, _, _) in values.items()} | {"there": pa.array([1] * 4)})
    columns = [Column(name, Role.QUASI, missing=codes) for name, (_, codes, _) in values.items()]
    assert engine.load(source_of(table, tmp_path, kind), Schema((*columns, Column("there", Role.PLAIN)))) == 4
    for name, (_, _, counts) in values.items():
        assert engine.domain(name).counts == counts, name


def test_a_row_of_codes_is_no_record(engine):
    table = pa.table({"q": ["Refused", "a"], "s": [99, 99]})
    schema = Schema((Column("q", Role.QUASI, missing=("Refused",)), Column("s", Role.SENSITIVE, missing=("99",))))
    assert engine.load(from_frame(table), schema) == 1
    assert engine.empty_rows == 1


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_sets_alone(engine, tmp_path, kind):
    table = pa.table({"items": pa.array([["a"], [], None, None])})
    assert engine.load(source_of(table, tmp_path, kind, {"items"}), Schema((Column("items", Role.QUASI, "set"),))) == 2
    assert engine.empty_rows == 2


def test_sets_beside_values(engine, tmp_path):
    table = pa.table({"items": pa.array([["a"], [], None, None]), "age": ["1", None, None, "2"]})
    items, age = Column("items", Role.QUASI, "set"), Column("age", Role.QUASI)
    assert engine.load(source_of(table, tmp_path, "parquet", {"items"}), Schema((items, age))) == 2
    assert engine.empty_rows == 2
