"""Footers: those of every writer are taken; those that contradict themselves are refused, and end no process."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import subprocess
import sys
from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from oracles import compact
from oracles.compact import BINARY, I32, I64, LIST, STRUCT
from shoal.errors import DataError
from shoal.io.footers.checking import check_footer
from shoal.io.footers.layout import read_footer
from shoal.io.parquet import open_parquet, write_parquet
from shoal.verifier.files.parquet import open_file

PROJECT = Path(__file__).parents[4]
ROWS = 300


def people() -> pa.Table:
    at = range(ROWS)
    return pa.table(
        {
            "age": pa.array([i % 90 if i % 7 else None for i in at], pa.int64()),
            "small": pa.array([i % 5 for i in at], pa.int8()),
            "name": [f"name {i % 20}" if i % 11 else None for i in at],
            "weight": pa.array([i / 3 for i in at], pa.float32()),
            "well": [i % 2 == 0 for i in at],
            "day": [dt.date(2000, 1, 1) + dt.timedelta(i) for i in at],
            "time": pa.array([dt.datetime(2000, 1, 1) + dt.timedelta(hours=i) for i in at], pa.timestamp("us")),
            "paid": [decimal.Decimal(i) / 4 for i in at],
            "nothing": pa.nulls(ROWS, pa.string()),
            "items": pa.array([[str(j) for j in range(i % 4)] if i % 5 else None for i in at], pa.list_(pa.string())),
            "visits": [[{"day": i, "found": ["a"] * (i % 3)}] * (i % 2) for i in at],
            "home": [{"street": f"{i}", "place": {"town": None}} if i % 3 else None for i in at],
        }
    )


ARROW = {
    "as it is": {},
    "with pages' bounds": {"write_page_index": True},
    "version 1": {"version": "1.0", "data_page_version": "1.0"},
    "pages of version 2": {"data_page_version": "2.0", "data_page_size": 64},
    "without a dictionary": {"use_dictionary": False, "compression": "none"},
    "without statistics": {"write_statistics": False},
    "small row groups": {"row_group_size": 7, "compression": "gzip"},
    "old times": {"use_deprecated_int96_timestamps": True},
    "checked": {"write_page_checksum": True, "use_byte_stream_split": ["weight"], "use_dictionary": ["age"]},
}


@pytest.mark.parametrize("name", ARROW)
def test_files_of_arrow_are_taken(tmp_path, name):
    path = tmp_path / "people.parquet"
    pq.write_table(people(), path, **ARROW[name])
    assert check_footer(path) == ROWS
    assert open_file(path).records == (ROWS,)


def test_footers_say_what_arrow_says(tmp_path):
    """Where Arrow reads a file, both agree on all that is used of it."""
    path = tmp_path / "people.parquet"
    pq.write_table(people(), path, row_group_size=70)
    data = path.read_bytes()
    footer = read_footer(data[-8 - int.from_bytes(data[-8:-4], "little") : -8])
    metadata = pq.read_metadata(path)
    columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
    assert [tuple(leaf) for leaf in footer.leaves] == [
        (c.path, c.physical_type, c.max_definition_level, c.max_repetition_level) for c in columns
    ]
    assert footer.rows == metadata.num_rows
    assert len(footer.chunks) == metadata.num_row_groups * metadata.num_columns
    for chunk in footer.chunks:
        other = metadata.row_group(chunk.group).column(chunk.column)
        assert chunk[2:7] == (
            other.physical_type,
            metadata.row_group(chunk.group).num_rows,
            other.num_values,
            other.total_uncompressed_size,
            other.total_compressed_size,
        )
        assert (chunk.data, chunk.dictionary or None) == (other.data_page_offset, other.dictionary_page_offset)


def test_files_without_rows_or_of_shoal_are_taken(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(people().slice(0, 0), path)
    assert open_parquet(path, nested=True).rows == 0
    write_parquet(people().select(["age", "name", "items"]), path)
    assert open_parquet(path, nested=True).rows == ROWS


@pytest.mark.parametrize("options", [{}, {"compression": "uncompressed", "row_group_size": 50}, {"statistics": "full"}])
def test_files_of_polars_are_taken(tmp_path, options):
    path = tmp_path / "people.parquet"
    polars.from_arrow(people()).write_parquet(path, **options)
    assert check_footer(path) == ROWS
    assert open_file(path).records == (ROWS,)


@pytest.mark.parametrize("version", ["V1", "V2"])
def test_files_of_duckdb_are_taken(tmp_path, version):
    path, table = tmp_path / "people.parquet", people()
    with duckdb.connect() as con:
        con.register("people", table)
        con.execute(f"COPY people TO '{path}' (FORMAT parquet, PARQUET_VERSION {version}, ROW_GROUP_SIZE 100)")
    assert check_footer(path) == ROWS
    assert open_file(path).records == (ROWS,)


@pytest.mark.spark
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_files_of_spark_are_taken(tmp_path, spark, version):
    rows = [(i % 90, f"name {i % 20}", i / 3, [str(j) for j in range(i % 4)]) for i in range(ROWS)]
    frame = spark.createDataFrame(rows, "age long, name string, weight double, items array<string>")
    frame = frame.selectExpr("*", "struct(age, array(struct(name))) AS home", "current_timestamp() AS time")
    frame.coalesce(1).write.option("parquet.writer.version", version).parquet(str(tmp_path / "people"))
    (path,) = (tmp_path / "people").glob("*.parquet")
    assert check_footer(path) == ROWS
    assert open_file(path).records == (ROWS,)


# ---- forged ---------------------------------------------------------------------------------------------------------------


def forged(path: Path, *, chunk=None, column=None, file=None, number="age") -> Path:
    """Two rows of a column that may be missing, with a footer of our own."""
    page = bytes(40)
    meta = {1: (I32, 2), 2: (LIST, (I32, [0])), 3: (LIST, (BINARY, [number.encode()])), 4: (I32, 0), 5: (I64, 2)}
    meta |= {6: (I64, 40), 7: (I64, 40), 9: (I64, 4)} | (column or {})
    group = {
        1: (LIST, (STRUCT, [{2: (I64, 4), 3: (STRUCT, meta)} | (chunk or {})])),
        2: (I64, 40),
        3: (I64, 2),
    }
    schema = [
        {4: (BINARY, b"root"), 5: (I32, 1)},
        {1: (I32, 2), 3: (I32, 1), 4: (BINARY, number.encode())},
    ]
    footer = compact.struct(
        {1: (I32, 2), 2: (LIST, (STRUCT, schema)), 3: (I64, 2), 4: (LIST, (STRUCT, [group]))} | (file or {})
    )
    path.write_bytes(b"PAR1" + page + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    return path


def test_a_forged_file_is_sound_but_for_what_is_forged(tmp_path):
    assert check_footer(forged(tmp_path / "people.parquet")) == 2


@pytest.mark.parametrize(
    ("forgery", "words"),
    [
        ({"file": {8: (STRUCT, {})}}, "encrypted Parquet file"),
        ({"chunk": {8: (STRUCT, {1: (STRUCT, {})})}}, "encrypted Parquet file"),
        ({"chunk": {9: (BINARY, b"x")}}, "encrypted Parquet file"),
        ({"chunk": {1: (BINARY, b"/etc/passwd")}}, "keeps columns in other files"),
        ({"column": {16: (STRUCT, {3: (LIST, (I64, [1, 1, 1]))})}}, "other levels"),
        ({"column": {16: (STRUCT, {2: (LIST, (I64, [1, 1]))})}}, "other levels"),
        ({"column": {16: (STRUCT, {1: (I64, 5)})}}, "statistics of texts"),
        ({"column": {12: (STRUCT, {5: (BINARY, b"1234")})}}, "statistics of another type"),
        ({"column": {1: (I32, 6)}}, "another type than in the schema"),
        ({"column": {1: (I32, 99)}}, "a type that there is not"),
        ({"column": {5: (I64, 3)}}, "3 values for 2 rows"),
        ({"column": {7: (I64, 41)}}, "beyond the end"),
        ({"column": {9: (I64, -1)}}, "beyond the end"),
        ({"column": {9: (I64, 2**62)}}, "beyond the end"),
        ({"column": {11: (I64, 2**62)}}, "beyond the end"),
        ({"column": {6: (I64, -1)}}, "below 0"),
        ({"file": {3: (I64, 3)}}, "claims 3 rows"),
        ({"file": {4: (LIST, (STRUCT, [{1: (LIST, (STRUCT, [])), 3: (I64, 2)}]))}}, "has 0 columns"),
        ({"file": {2: (LIST, (STRUCT, [{4: (BINARY, b"root"), 5: (I32, 2)}]))}}, "cut off"),
    ],
)
def test_what_contradicts_itself_is_refused(tmp_path, forgery, words):
    path = forged(tmp_path / "people.parquet", **forgery)
    with pytest.raises(DataError, match=words):
        open_parquet(path)


# of the seed below, as Arrow 26 writes it: (byte of the footer, bit) at which Arrow ends the process
ENDING = ((19, 0), (28, 2), (28, 3), (43, 0), (189, 5), (190, 5), (190, 6), (364, 6))
PROGRAM = """
import sys
from pathlib import Path
from shoal.errors import DataError
from shoal.io.parquet import read_parquet
from shoal.verifier.originals.parquet_files import parquet_files
from shoal.verifier.files.parquet_form import metadata_marks
refused = 0
for path in map(Path, sys.argv[1:]):
    for reader in (read_parquet, parquet_files, lambda path: metadata_marks([path])):
        try:
            reader(path)
        except DataError:
            refused += 1
        except (OSError, ValueError):  # of marks, which are looked for in a file that was opened before
            refused += 1
print(refused)
"""


def seed() -> bytes:
    buffer = io.BytesIO()
    table = pa.table({"age": [34, None], "sex": ["f", "m"], "items": [["a"], []]})
    pq.write_table(table, buffer, write_page_index=True)
    return buffer.getvalue()


def read_in_a_process(folder: Path, flips) -> subprocess.CompletedProcess[str]:
    whole = seed()
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    paths = []
    for place, bit in flips:
        changed = bytearray(whole)
        changed[start + place] ^= 1 << bit
        paths.append(folder / f"{place}-{bit}.parquet")
        paths[-1].write_bytes(changed)
    command = [sys.executable, "-c", PROGRAM, *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=PROJECT)


def test_files_at_which_arrow_ends_the_process_are_refused(tmp_path):
    done = read_in_a_process(tmp_path, ENDING)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= len(ENDING)


@pytest.mark.slow
def test_no_changed_bit_of_a_footer_ends_the_process(tmp_path):
    length = seed().find(b"ARROW:schema") - (len(seed()) - 8 - int.from_bytes(seed()[-8:-4], "little"))
    done = read_in_a_process(tmp_path, [(place, place % 8) for place in range(0, length, 3)])
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > length / 3
