import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.io.frames import like
from shoal.io.source import from_frame

TABLE = pa.table({"age": ["30-39", None], "n": [1, None], "ok": [True, None]})


def test_pyarrow():
    assert like(TABLE, TABLE) is TABLE
    reader = like(TABLE, TABLE.to_reader())
    assert isinstance(reader, pa.RecordBatchReader)
    assert reader.read_all().equals(TABLE)
    for table in (TABLE, TABLE.slice(0, 0), pa.concat_tables([TABLE, TABLE])):
        batch = like(table, TABLE.to_batches()[0])
        assert isinstance(batch, pa.RecordBatch)
        assert batch.to_pylist() == table.to_pylist()


def test_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [1]})
    made = like(TABLE, frame)
    assert isinstance(made, polars.DataFrame)
    assert made.to_dicts() == TABLE.to_pylist()


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    made = like(TABLE, duckdb.sql("SELECT 1 AS a"))
    assert type(made) is type(duckdb.sql("SELECT 1 AS a"))
    assert made.fetchall() == [("30-39", 1, True), (None, None, None)]


def test_pandas_keeps_integers_and_its_own_types():
    pandas = pytest.importorskip("pandas")
    original = pandas.DataFrame(
        {
            "age": [39, 40],
            "n": pandas.array([1, None], "Int64"),
            "town": pandas.Categorical(["Lyon", "Paris"]),
            "x": [0.5, 1.5],
            "s": ["a", None],
        },
        index=[7, 8],
    )
    came_in = from_frame(original).table
    made = like(came_in, original)
    assert isinstance(made, pandas.DataFrame)
    assert made.dtypes.astype(str).to_dict() == original.dtypes.astype(str).to_dict()
    assert list(made.index) == [0, 1]  # the old row numbers do not come back
    blurred = came_in.set_column(0, "age", pa.array(["30-39", "40-49"]))
    assert list(like(blurred, original)["age"]) == ["30-39", "40-49"]


def test_pandas_missing_integers_do_not_become_floats():
    pandas = pytest.importorskip("pandas")
    made = like(TABLE, pandas.DataFrame({"other": [1]}))
    assert str(made["n"].dtype) == "Int64"
    assert str(made["ok"].dtype) == "boolean"


def test_unknown_kinds_get_a_table():
    assert like(TABLE, object()) is TABLE


def test_no_library_is_imported_for_it():
    code = (
        "import sys, pyarrow as pa; from shoal.io.frames import like; from shoal.io.source import from_frame\n"
        "t = pa.table({'a': pa.nulls(3)}); like(from_frame(t).table, t)\n"  # from a list, pyarrow itself would load pandas
        "print(sorted({'pandas', 'polars', 'duckdb', 'numba'} & set(sys.modules)))"
    )
    source = Path(shoal.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(source)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
