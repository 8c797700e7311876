"""load: the same records from every kind of source."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pyarrow as pa
import pytest

from contract.conftest import SCHEMA, TABLE
from shoal.data.schema import Column, Role, Schema
from shoal.errors import DataError
from shoal.io.parquet import write_parquet
from shoal.io.reading import RowReading
from shoal.io.source import from_frame, open_source


def test_the_number_of_records_is_told(engine, source):
    assert engine.load(source, SCHEMA) == TABLE.num_rows


def test_a_table_without_records(engine):
    assert engine.load(from_frame(TABLE.slice(0, 0)), SCHEMA) == 0
    assert engine.domain("age").counts == {}


def test_a_file_without_records(engine, tmp_path):
    write_parquet(TABLE.slice(0, 0), tmp_path / "none.parquet")
    assert engine.load(open_source(tmp_path / "none.parquet"), SCHEMA) == 0
    assert engine.domain("age").counts == {}


def test_a_folder_of_files(engine, tmp_path):
    (tmp_path / "folder").mkdir()
    for number in range(3):
        write_parquet(TABLE.slice(number * 3, 3), tmp_path / "folder" / f"part-{number}.parquet")
    (tmp_path / "folder" / "_SUCCESS").touch()
    assert engine.load(open_source(tmp_path / "folder"), SCHEMA) == TABLE.num_rows
    assert engine.domain("age").counts == {"20": 3, "21": 1, "35": 2, "36": 1, None: 1}


def test_paths_are_no_patterns_and_folders_no_columns(engine, tmp_path):
    folder = tmp_path / "sex=F" / "a b[1]{x}%20#"
    folder.mkdir(parents=True)
    write_parquet(TABLE, folder / "people[1]*?.parquet")
    assert engine.load(open_source(folder / "people[1]*?.parquet"), SCHEMA) == TABLE.num_rows
    assert engine.domain("city").counts == {"Ulm": 5, "Bonn": 3}


def test_columns_may_come_in_another_order_than_they_are_published(engine):
    schema = Schema((Column("ill", Role.SENSITIVE), Column("weight", Role.IDENTIFYING), Column("age", Role.QUASI)))
    engine.load(from_frame(TABLE), schema)
    assert engine.domain("ill").counts == {"flu": 5, "cold": 2, None: 1}


# ---- what is missing -------------------------------------------------------------------------------------------------


def test_not_a_number_is_missing_and_zero_has_no_sign(engine):
    engine.load(from_frame(TABLE), Schema((Column("weight", Role.QUASI), Column("city", Role.PLAIN))))
    assert engine.domain("weight").counts == {"1.5": 2, "2": 2, "0": 2, None: 2}


def test_texts_for_missing_values(engine, tmp_path):
    """Whatever the type of a column, by how the value is written."""
    table = pa.table(
        {
            "s": ["?", "x", None, "-1"],
            "i": [-1, 2, None, 3],
            "f": [-1.0, 2.5, None, -1.5],
            "g": pa.array([-1.0, 2.5, None, 1e10], pa.float32()),
            "d": [dt.date(1900, 1, 1), dt.date(2000, 1, 1), None, None],
            "b": [True, False, None, True],
            "there": ["x", "x", "x", "x"],  # or a row of nothing would be no record
        }
    )
    write_parquet(table, tmp_path / "table.parquet")
    source = open_source(tmp_path / "table.parquet", RowReading(missing=("?", "-1", "-1.0", "1900-01-01", "false")))
    engine.load(source, Schema(tuple(Column(name, Role.QUASI) for name in table.column_names)))
    assert {name: engine.domain(name).counts for name in table.column_names} == {
        "s": {"x": 1, None: 3},
        "i": {"2": 1, "3": 1, None: 2},
        "f": {"2.5": 1, "-1.5": 1, None: 2},
        "g": {"2.5": 1, "10000000000": 1, None: 2},
        "d": {"2000-01-01": 1, None: 3},
        "b": {"true": 2, None: 2},
        "there": {"x": 4},
    }


# ---- types -----------------------------------------------------------------------------------------------------------


def typed():
    moments = [dt.datetime(2020, 1, 31, 9, 30), dt.datetime(1500, 2, 1), None, dt.datetime(2020, 1, 31, 9, 30, 0, 250)]
    return {
        "int8": pa.array([1, -2, None, 1], pa.int8()),
        "uint8": pa.array([1, 255, None, 1], pa.uint8()),
        "uint32": pa.array([1, 2**32 - 1, None, 1], pa.uint32()),
        "uint64": pa.array([1, 2**64 - 1, None, 1], pa.uint64()),
        "int64": pa.array([2**63 - 1, -(2**63), None, 0], pa.int64()),
        "float32": pa.array([0.1, 1e10, None, -0.0], pa.float32()),
        "float64": pa.array([0.1, 1e300, float("nan"), -0.0]),
        "decimal": pa.array([Decimal("1.50"), Decimal("-0.00"), None, Decimal("12345.67")], pa.decimal128(10, 2)),
        "bool": pa.array([True, False, None, True]),
        "date": pa.array([dt.date(2020, 2, 29), dt.date(1, 1, 1), None, dt.date(2020, 2, 29)]),
        "date64": pa.array([dt.date(2020, 2, 29), dt.date(1900, 1, 1), None, None], pa.date64()),
        "moment": pa.array(moments, pa.timestamp("us")),
        "second": pa.array([dt.datetime(2020, 1, 31), None, None, dt.datetime(1960, 1, 1)], pa.timestamp("ms")),
        "zoned": pa.array([None if m is None else m.replace(year=2020) for m in moments], pa.timestamp("us", "Europe/Berlin")),
        "text": pa.array(["", " x ", None, "é\u200b'\"\\"]),
        "large": pa.array(["a", "b", None, "a"], pa.large_string()),
        "dictionary": pa.array(["a", "b", None, "a"]).dictionary_encode(),
        "nothing": pa.nulls(4),
        "there": pa.array(["x"] * 4),  # or a row of nothing would be no record
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_every_type_has_one_text_form_on_every_engine(engine, tmp_path, kind):
    from shoal.data.text import texts

    table = pa.table(typed())
    if kind == "parquet":
        write_parquet(table, tmp_path / "table.parquet")
    source = from_frame(table) if kind == "arrow" else open_source(tmp_path / "table.parquet")
    engine.load(source, Schema(tuple(Column(name, Role.QUASI) for name in table.column_names)))
    for name in table.column_names:
        counts = {}
        for value in texts(table[name]):
            counts[value] = counts.get(value, 0) + 1
        assert engine.domain(name).counts == counts, name


# ---- only on Spark ---------------------------------------------------------------------------------------------------


@pytest.mark.spark
def test_a_frame_of_spark(spark):
    from pyspark.sql import functions as sql

    from shoal.engines.spark import SparkEngine

    noted = {"comment": "Ulm is in the notes of the column"}
    frame = spark.createDataFrame(TABLE).withColumn("city", sql.col("city").alias("city", metadata=noted))
    engine = SparkEngine(spark)
    assert engine.load(from_frame(frame), SCHEMA) == TABLE.num_rows
    assert engine.domain("age").counts == {"20": 3, "21": 1, "35": 2, "36": 1, None: 1}
    assert not any(field.metadata for field in engine._data.data.schema.fields)
    engine.close()


@pytest.mark.spark
def test_a_file_that_spark_overlooks_is_noticed(spark, tmp_path):
    """To Spark a name with an underscore in front is none."""
    from shoal.engines.spark import SparkEngine

    write_parquet(TABLE, tmp_path / "_table.parquet")
    engine = SparkEngine(spark)
    with pytest.raises(DataError):
        engine.load(open_source(tmp_path / "_table.parquet"), SCHEMA)
    engine.close()


@pytest.mark.spark
def test_nanoseconds_are_refused_and_not_cut(spark):
    from shoal.engines.spark import SparkEngine

    table = pa.table({"when": pa.array([1, 1000], pa.timestamp("ns"))})
    engine = SparkEngine(spark)
    with pytest.raises(DataError, match="'when' holds nanoseconds"):
        engine.load(from_frame(table), Schema((Column("when", Role.QUASI),)))
    engine.close()


@pytest.mark.spark
def test_what_spark_says_of_broken_data_is_not_repeated(spark, tmp_path):
    from shoal.engines.spark import SparkEngine

    write_parquet(TABLE, tmp_path / "table.parquet")
    source = open_source(tmp_path / "table.parquet")
    content = bytearray((tmp_path / "table.parquet").read_bytes())
    content[4:400] = b"\xff" * 396
    (tmp_path / "table.parquet").write_bytes(content)
    engine = SparkEngine(spark)
    with pytest.raises(DataError) as refused:
        engine.load(source, SCHEMA)
    assert str(refused.value).startswith("Spark could not finish 'load' (")
    assert "table.parquet" not in str(refused.value) and len(str(refused.value)) < 300
    engine.close()
