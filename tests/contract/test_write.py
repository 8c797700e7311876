"""write: what is written is what the engine holds, in an order that says nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq
import pytest

from contract.conftest import as_table, written
from contract.test_apply import recoding
from contract.test_apply_groups import grouping
from shoal.data.schema import Column, Role, Schema
from shoal.engines.local import LocalEngine
from shoal.errors import DataError
from shoal.hierarchies.build import build
from shoal.io.source import from_frame


def test_the_file_holds_what_the_table_holds(loaded, trees, tmp_path):
    loaded.apply(recoding(trees, (1, 1)))
    path = tmp_path / "release.parquet"
    loaded.write(path)
    assert written(path).equals(as_table(loaded.frame()))


def test_nothing_is_told_beside_the_rows(loaded, trees, tmp_path):
    loaded.apply(recoding(trees, (1, 1)))
    path = tmp_path / "release.parquet"
    loaded.write(path)
    files = [path] if path.is_file() else sorted(path.iterdir())
    assert [file.suffix for file in files] == [".parquet"]
    for file in files:
        told = pq.read_metadata(file)
        assert told.row_group(0).column(0).compression == "ZSTD"
        assert b"pandas" not in (told.metadata or {})
        assert set(told.metadata or {}) <= {b"org.apache.spark.version", b"org.apache.spark.sql.parquet.row.metadata"}


def test_a_csv_file_holds_what_the_table_holds(loaded, trees, tmp_path, engine_name):
    loaded.apply(recoding(trees, (1, 1)))
    if engine_name == "spark":
        with pytest.raises(DataError, match=r"not CSV or JSON: let the output end with \.parquet"):
            loaded.write(tmp_path / "release.csv")
        return
    from shoal.io.csv import read_csv

    loaded.write(tmp_path / "release.csv")
    again, table = read_csv(tmp_path / "release.csv"), loaded.frame()
    assert [len(again), again.column_names] == [len(table), table.column_names]


def contents(path):
    """Of the files, by their order. Spark gives files names of chance."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return tuple(file.read_bytes() for file in files)


def shuffled(table, seed):
    return table.take(np.random.default_rng(seed).permutation(table.num_rows))


@pytest.mark.parametrize("kind", ["levels", "groups"])
def test_the_order_of_the_input_leaves_no_trace(new_engine, tmp_path, kind):
    """The same rows in another order give the same bytes, where no tuple is dealt out."""
    rows = 5000
    chance = np.random.default_rng(0)
    table = pa.table(
        {
            "age": chance.integers(0, 90, rows),
            "city": chance.choice(["Ulm", "Bonn", "Kiel"], rows),
            "note": [f"n{i}" for i in range(rows)],
        }
    )
    schema = Schema((Column("age", Role.QUASI), Column("city", Role.QUASI), Column("note", Role.PLAIN)))
    people = Counter(zip(map(str, table["age"].to_pylist()), table["city"].to_pylist(), strict=True))
    seen = set()
    for seed in range(3):
        engine = new_engine()
        engine.load(from_frame(shuffled(table, seed)), schema)
        trees = {
            "age": build({"intervals": [10, 50], "from": 0, "to": 100}, sorted(engine.domain("age").counts)),
            "city": build(None, sorted(engine.domain("city").counts)),
        }
        if kind == "levels":
            engine.apply(recoding(trees, (2, 0)))
        else:
            shows = [(trees["age"].label(trees["age"].code(age), int(age) % 3), "*") for age, _ in people]
            engine.apply(grouping(trees, shows, [(raw, n, i) for i, (raw, n) in enumerate(people.items())]))
        path = tmp_path / f"{seed}.parquet"
        engine.write(path)
        seen.add(contents(path))
    assert len(seen) == 1


@pytest.mark.parametrize("counted", [True, False])
def test_records_that_were_not_counted_are_written_as_if_they_were(tmp_path, monkeypatch, counted):
    """A nearly unique column is not worth counting. What is written depends neither on that nor on the order of the input."""
    chance = np.random.default_rng(4)
    rows = 3000
    table = pa.table(
        {"age": chance.integers(0, 90, rows), "note": pa.array(chance.integers(0, rows, rows), pa.int64())}
    )
    table = table.set_column(1, "note", pa.compute.if_else(pa.array(chance.random(rows) < 0.05), None, table["note"]))
    schema = Schema((Column("age", Role.QUASI), Column("note", Role.PLAIN)))
    monkeypatch.setattr("shoal.engines.local.mapped._tell_records_apart", lambda *_: not counted)
    seen = set()
    for seed in range(3):
        engine = LocalEngine()
        engine.load(from_frame(shuffled(table, seed)), schema)
        tree = build({"intervals": [10], "from": 0, "to": 90}, sorted(engine.domain("age").counts))
        outcome = engine.apply(recoding({"age": tree}, (1,), hidden=[("20",)]))
        engine.write(tmp_path / f"{seed}.parquet")
        engine.close()
        seen.add(contents(tmp_path / f"{seed}.parquet"))
        again = written(tmp_path / f"{seed}.parquet")
        left = [(a, n) for a, n in zip(*table.to_pydict().values(), strict=True) if not 20 <= a < 30]
        assert (outcome.records, outcome.suppressed) == (len(left), rows - len(left))
        expected = sorted(((a // 10, n) for a, n in left), key=lambda one: (one[0], one[1] is None, one[1] or 0))
        assert [(int(a.split("-")[0]) // 10, n) for a, n in zip(*again.to_pydict().values(), strict=True)] == expected
    assert len(seen) == 1


def test_rows_are_multiplied_out_across_batches(engine, engine_name, monkeypatch):
    if engine_name == "local":
        monkeypatch.setattr("shoal.engines.local.rows._ROWS", 7)
    else:
        monkeypatch.setattr("shoal.engines.spark.tuples._PIECE", 7)
    table = pa.table({"city": ["Ulm"] * 20 + ["Bonn"] + ["Kiel"] * 15})
    engine.load(from_frame(table), Schema((Column("city", Role.QUASI),)))
    trees = {"city": build(None, ["Ulm", "Bonn", "Kiel"])}
    engine.apply(recoding(trees, (0,)))
    assert as_table(engine.frame())["city"].to_pylist() == ["Bonn"] + ["Kiel"] * 15 + ["Ulm"] * 20


def test_a_release_of_no_records_can_be_written(engine, tmp_path):
    engine.load(from_frame(pa.table({"q": ["a", "b"]})), Schema((Column("q", Role.QUASI),)))
    tree = build(None, ["a", "b"])
    engine.apply(recoding({"q": tree}, (1,), hidden=[("a",)]))
    engine.write(tmp_path / "release.parquet")
    assert written(tmp_path / "release.parquet").num_rows == 0
    assert written(tmp_path / "release.parquet").column_names == ["q"]


# ---- only on Spark ---------------------------------------------------------------------------------------------------


@pytest.fixture
def small_files(monkeypatch):
    monkeypatch.setattr("shoal.engines.spark.files.PER_FILE", 100)
    monkeypatch.setattr("shoal.engines.spark.tuples._PIECE", 16)


@pytest.mark.spark
@pytest.mark.parametrize("giant", [0, 1000])
def test_records_are_spread_over_files_in_order(spark, small_files, tmp_path, giant):
    """Whatever a class holds: one that would fill several files is spread over those."""
    from shoal.engines.spark import SparkEngine

    chance = np.random.default_rng(3)
    ages = np.concatenate([chance.integers(0, 60, 950), np.full(giant, 30)])
    table = pa.table({"age": ages, "note": chance.integers(0, 40, len(ages))})
    schema = Schema((Column("age", Role.QUASI), Column("note", Role.PLAIN)))
    engine = SparkEngine(spark)
    engine.load(from_frame(table), schema)
    tree = build({"intervals": [2, 4], "from": 0, "to": 60}, sorted(engine.domain("age").counts))
    engine.apply(recoding({"age": tree}, (1,)))
    engine.write(tmp_path / "release.parquet")
    files = [pq.read_table(file) for file in sorted((tmp_path / "release.parquet").glob("*.parquet"))]
    assert -(-len(ages) // 100) - 3 <= len(files) <= -(-len(ages) // 100)
    assert max(map(len, files)) <= 300
    expected = Counter((f"{a // 2 * 2}-{a // 2 * 2 + 1}", n) for a, n in zip(*table.to_pydict().values(), strict=True))
    assert Counter(zip(*pa.concat_tables(files).to_pydict().values(), strict=True)) == expected
    order = [[int(age.split("-")[0]) for age in file["age"].to_pylist()] for file in files]
    assert all(ages == sorted(ages) for ages in order)
    if not giant:
        together = [age for ages in order for age in ages]
        assert together == sorted(together)
    assert as_table(engine.frame()).equals(pa.concat_tables(files))
    engine.close()


@pytest.mark.spark
def test_a_folder_that_holds_something_is_not_written_to(spark, tmp_path):
    from shoal.engines.spark import SparkEngine

    engine = SparkEngine(spark)
    engine.load(from_frame(pa.table({"q": ["a", "b"]})), Schema((Column("q", Role.QUASI),)))
    engine.apply(recoding({"q": build(None, ["a", "b"])}, (1,)))
    (tmp_path / "empty.parquet").mkdir()
    engine.write(tmp_path / "empty.parquet")
    with pytest.raises(DataError, match="PATH_ALREADY_EXISTS"):
        engine.write(tmp_path / "empty.parquet")
    assert written(tmp_path / "empty.parquet").num_rows == 2
    engine.close()


@pytest.mark.spark
def test_moments_are_written_with_their_time_zone(spark, tmp_path):
    import datetime as dt

    from shoal.engines.spark import SparkEngine

    when = [dt.datetime(2020, 1, 1, 12, tzinfo=dt.UTC), None]
    table = pa.table({"q": ["a", "a"], "when": pa.array(when, pa.timestamp("us", "UTC"))})
    engine = SparkEngine(spark)
    engine.load(from_frame(table), Schema((Column("q", Role.QUASI), Column("when", Role.PLAIN))))
    engine.apply(recoding({"q": build(None, ["a", "b"])}, (1,)))
    engine.write(tmp_path / "release.parquet")
    assert written(tmp_path / "release.parquet").schema.field("when").type == pa.timestamp("us", "UTC")
    assert spark.conf.get("spark.sql.parquet.outputTimestampType") == "INT96"  # Spark's own setting is back
    engine.close()


@pytest.mark.spark
def test_a_frame_that_was_handed_out_outlives_the_engine(spark):
    """And does not change when the data it came from does."""
    from shoal.engines.spark import SparkEngine

    engine = SparkEngine(spark)
    engine.load(from_frame(pa.table({"q": ["a", "b"]})), Schema((Column("q", Role.QUASI),)))
    engine.apply(recoding({"q": build(None, ["a", "b"])}, (0,)))
    frame = engine.frame()
    engine.close()
    assert sorted(as_table(frame)["q"].to_pylist()) == ["a", "b"]
    assert "file" not in frame._jdf.queryExecution().optimizedPlan().toString().lower()
