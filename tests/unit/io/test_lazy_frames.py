"""Frames that compute their rows when they are asked: the same release, risk and verdict as of the rows themselves.

Each test runs with rows that stay in memory, because they are few, and with rows that are put on disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.io import lazy_frames
from shoal.io.lazy_frames import OnDisk, put_aside

TABLE = pa.table({"age": [str(20 + i % 4) for i in range(40)], "town": ["Ulm", "Kiel"] * 20, "note": ["x"] * 40})
RECIPE = {
    "columns": {"age": {"role": "quasi"}, "town": {"role": "quasi"}, "note": {"role": "plain"}},
    "guarantee": [{"name": "k-anonymity", "k": 5}],
    "method": {"name": "optimal"},
}
LAZY = {
    "dataset": ds.dataset,
    "filtered dataset": lambda path: ds.dataset(path).filter(ds.field("note") == "x"),
    "scanner": lambda path: ds.dataset(path).scanner(batch_size=7),
    "reader": lambda path: ds.dataset(path).scanner(batch_size=7).to_reader(),
    "lazy frame": pl.scan_parquet,
    "relation": lambda path: duckdb.read_parquet(str(path)),
}
BACK = {
    "dataset": pa.Table,
    "filtered dataset": pa.Table,
    "scanner": pa.Table,
    "reader": pa.RecordBatchReader,
    "lazy frame": pl.DataFrame,
    "relation": duckdb.DuckDBPyRelation,
}


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files; it must be empty in the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert os.listdir(folder) == []


@pytest.fixture(params=[1 << 26, 0], ids=["few rows", "on disk"], autouse=True)
def limit(request, monkeypatch):
    monkeypatch.setattr(lazy_frames, "_IN_MEMORY", request.param)
    return request.param


@pytest.fixture(params=LAZY)
def lazy(request, tmp_path):
    """(name, what opens it): a reader can be read once."""
    pq.write_table(TABLE, tmp_path / "people.parquet", row_group_size=9)
    return request.param, lambda: LAZY[request.param](tmp_path / "people.parquet")


def test_it_is_published_like_the_rows_themselves(lazy) -> None:
    name, opened = lazy
    release = shoal.anonymize(opened(), RECIPE)
    assert release.verdict.passed
    assert isinstance(release.data, BACK[name])
    back = release.data.read_all() if name == "reader" else pa.table(release.data)
    assert back.to_pydict() == shoal.anonymize(TABLE, RECIPE).data.to_pydict()


def test_it_is_verified_and_its_risk_is_known(lazy) -> None:
    _, opened = lazy
    assert shoal.verify(opened(), quasi=["age", "town"], k=5, any_order=True).passed
    assert not shoal.verify(opened(), quasi=["age", "town"], k=15, any_order=True).passed
    assert repr(shoal.risk(opened(), RECIPE)) == repr(shoal.risk(TABLE, RECIPE))
    assert repr(shoal.risk(opened(), quasi=["age"])) == repr(shoal.risk(TABLE, quasi=["age"]))


def test_every_other_call_takes_it(lazy) -> None:
    _, opened = lazy
    names = ["age", "town"]
    assert shoal.measure(opened(), quasi=names, original=opened()) == shoal.measure(TABLE, quasi=names, original=TABLE)
    release = shoal.anonymize(TABLE, RECIPE)
    assert shoal.verify(release.data, RECIPE, original=opened()).passed
    lost = shoal.anonymize(TABLE.slice(0, 20), RECIPE)
    assert not shoal.verify(lost.data, RECIPE, original=opened()).passed
    assert shoal.suggest(opened()).to_toml() == shoal.suggest(TABLE).to_toml()
    assert shoal.frontier(opened(), RECIPE).points == shoal.frontier(TABLE, RECIPE).points
    compared = shoal.compare(opened(), RECIPE, methods=["optimal"])
    assert compared.best == shoal.compare(TABLE, RECIPE, methods=["optimal"]).best
    attacked = shoal.attack(opened(), RECIPE, original=opened())
    assert len(attacked.attacks) == len(shoal.attack(TABLE, RECIPE, original=TABLE).attacks)


def test_item_sets_and_trees() -> None:
    sets = pa.table({"items": [["a", "b"], ["a"], ["a", "b"], ["b", "a"], []] * 4})
    recipe = {
        "columns": {"items": {"role": "quasi", "kind": "set", "hierarchy": {"groups": {"any": ["a", "b"]}}}},
        "guarantee": [{"name": "km-anonymity", "k": 2, "m": 2}],
    }
    assert repr(shoal.risk(sets.to_reader(), recipe)) == repr(shoal.risk(sets, recipe))
    eager, lazily = (shoal.anonymize(frame, recipe) for frame in (sets, sets.to_reader(max_chunksize=3)))
    assert lazily.data.read_all().to_pydict() == eager.data.to_pydict()
    trees = pa.table(
        {"sex": ["f", "m"] * 10, "visits": [[{"code": "x"}], [{"code": "y"}, {"code": None}], None, []] * 5}
    )
    recipe = {
        "columns": {
            "sex": {"role": "quasi", "kind": "node", "path": "sex"},
            "code": {"role": "quasi", "kind": "node", "path": "visits[].code"},
        },
        "guarantee": [{"name": "kmn-anonymity", "k": 2, "m": 1, "n": 0}],
    }
    assert repr(shoal.risk(pl.from_arrow(trees).lazy(), recipe)) == repr(shoal.risk(trees, recipe))
    eager, lazily = (shoal.anonymize(frame, recipe) for frame in (trees, trees.to_reader(max_chunksize=3)))
    assert lazily.data.read_all().to_pydict() == eager.data.to_pydict()


def test_values_of_every_type_are_what_they_were() -> None:
    """Those that Parquet would change stay in memory."""
    values = {
        "whole": pa.array([1, None, -3], pa.int64()),
        "small": pa.array([1, None, 3], pa.uint8()),
        "real": pa.array([0.5, None, -0.0], pa.float64()),
        "flag": pa.array([True, None, False]),
        "day": pa.array([1, None, 3], pa.date32()),
        "moment": pa.array([1, None, 3], pa.timestamp("us")),
        "exact": pa.array([Decimal("1.50"), None, Decimal("3.25")], pa.decimal128(9, 2)),
        "kind": pa.array(["a", None, "b"]).dictionary_encode(),
        "text": pa.array(["", None, "ä"], pa.string()),
        "unit": pa.array([1, None, 3], pa.timestamp("s")),
        "clock": pa.array([1, None, 3], pa.time32("s")),
        "none": pa.nulls(3),
    }
    for names in (list(values)[:9], list(values)):
        table = pa.table({name: values[name] for name in names}).take([0, 1, 2] * 4)
        columns = {name: {"role": "plain"} for name in names} | {"text": {"role": "quasi"}}
        recipe = {"columns": columns, "guarantee": [{"name": "k-anonymity", "k": 3}], "method": {"name": "optimal"}}
        eager, lazily = (shoal.anonymize(frame, recipe) for frame in (table, table.to_reader()))
        back = lazily.data.read_all()
        assert back.schema == eager.data.schema
        assert back.to_pylist() == eager.data.to_pylist()
        assert repr(shoal.risk(table.to_reader(), recipe)) == repr(shoal.risk(table, recipe))


def test_rows_on_disk_are_private_and_gone_when_the_call_is_over(limit, temporary) -> None:
    with put_aside(TABLE.to_reader()) as rows:
        if limit:
            assert isinstance(rows, pa.Table) and os.listdir(temporary) == []
        else:
            assert isinstance(rows, OnDisk)
            assert os.stat(rows.path.parent).st_mode & 0o077 == 0
            assert pa.table(rows).equals(pa.table(rows)) and pa.table(rows).num_rows == 40
    assert os.listdir(temporary) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_nothing_is_left_when_a_call_is_broken_off(temporary, error) -> None:
    def listener(progress) -> None:
        if progress.stage == "verify":
            raise error

    with pytest.raises(error):
        shoal.anonymize(TABLE.to_reader(), RECIPE, listener=listener)
    assert os.listdir(temporary) == []


def test_nothing_is_left_when_the_rows_break_off(temporary) -> None:
    def batches():
        yield from TABLE.to_batches()
        assert len(os.listdir(temporary)) <= 1
        raise ValueError("a secret")

    broken = pa.RecordBatchReader.from_batches(TABLE.schema, batches())
    with pytest.raises(shoal.DataError, match="could not be turned into an Arrow table") as refused:
        shoal.anonymize(broken, RECIPE)
    assert "secret" not in str(refused.value)
    assert os.listdir(temporary) == []


def test_what_a_library_says_of_a_frame_that_cannot_be_computed_is_not_quoted() -> None:
    broken = pl.LazyFrame({"age": ["a secret"]}).select(pl.col("age").cast(pl.Int64))
    with pytest.raises(shoal.DataError, match="could not be turned into an Arrow table") as refused:
        shoal.anonymize(broken, RECIPE)
    assert "secret" not in str(refused.value)


def test_no_rows() -> None:
    for empty in (pl.LazyFrame(schema={"age": pl.String, "town": pl.String, "note": pl.String}), TABLE[:0].to_reader()):
        with pytest.raises(shoal.DataError, match="no records"):
            shoal.anonymize(empty, RECIPE)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is measured by Linux")
def test_a_lazy_frame_takes_far_less_memory_than_its_rows(limit, tmp_path) -> None:
    if not limit:
        pytest.skip("once is enough")
    program = """
        import re, sys
        import pyarrow as pa
        import shoal, shoal.release.assess, shoal.engines.local

        texts = pa.array([f"value {n:03}" for n in range(500)])

        def batch(number):
            places = pa.array([(number + n * 7) % 500 for n in range(50_000)])
            return pa.RecordBatch.from_arrays([texts.take(places) for _ in range(8)], names=list("abcdefgh"))

        one = batch(0)
        reader = pa.RecordBatchReader.from_batches(one.schema, (batch(n) for n in range(60)))
        rows = reader.read_all() if sys.argv[1] == "eager" else reader
        print(shoal.risk(rows, quasi=["a", "b"]))
        print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])  # the rusage has the peak of the parent
    """
    said = {
        how: subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program), how],
            env={**os.environ, "TMPDIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for how in ("eager", "lazy")
    }
    assert said["eager"][0] == said["lazy"][0] and "3,000,000 records" in said["lazy"][0]
    rows = 3_000_000 * 8 * 13 / 1024  # KB: a text of nine letters and its offset
    assert int(said["lazy"][1]) < int(said["eager"][1]) - 0.5 * rows
    assert [one for one in Path(tmp_path).iterdir() if one.name.startswith("shoal-")] == []
