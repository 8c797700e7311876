"""Every curated bad input is refused: with a DataError that names the place and quotes no cell, and in time."""

from __future__ import annotations

import datetime as dt
import os
import time
import traceback
from pathlib import Path

import bad_inputs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import DataError, RecipeError
from shoal.io.parquet import read_parquet
from shoal.io.reading import RowReading
from shoal.io.source import open_source

CASES = bad_inputs.csv_cases()


def test_there_are_enough_and_each_has_its_own_name():
    assert len(CASES) >= 300
    assert len({bad.id for bad in CASES}) == len(CASES)


def refused(path: Path, **options) -> str:
    begin = time.perf_counter()
    with pytest.raises(DataError) as caught:
        source = open_source(path, RowReading(**options))
        if source.kind == "parquet":  # the footer may be sound and the pages not
            read_parquet(path)
    assert time.perf_counter() - begin < 5
    shown = "".join(traceback.format_exception(caught.value))
    assert bad_inputs.CANARY not in shown
    assert bad_inputs.CANARY not in repr(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("bad", CASES, ids=lambda bad: bad.id)
def test_refused(bad: bad_inputs.Bad, tmp_path: Path):
    path = tmp_path / bad.file
    path.write_bytes(bad.data)
    message = refused(path, **bad.options)
    assert bad.file in message
    assert bad.says in message
    if bad.line is not None:
        assert f"line {bad.line:,}:" in message


# ---- Parquet ---------------------------------------------------------------------------------------------------------------

CANARY = bad_inputs.CANARY
COLUMNS = {
    "list": pa.array([[CANARY]]),
    "large-list": pa.array([[CANARY]], pa.large_list(pa.string())),
    "fixed-list": pa.array([[1, 2]], pa.list_(pa.int64(), 2)),
    "struct": pa.array([{"a": CANARY}]),
    "map": pa.array([[(CANARY, 1)]], pa.map_(pa.string(), pa.int64())),
    "list-of-struct": pa.array([[{"a": CANARY}]]),
    "binary": pa.array([CANARY.encode()]),
    "large-binary": pa.array([CANARY.encode()], pa.large_binary()),
    "fixed-binary": pa.array([b"12345678"], pa.binary(8)),
    "duration": pa.array([dt.timedelta(1)]),
    "decimal256": pa.array([1], pa.decimal256(60, 2)),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_parquet_columns_that_are_no_table(kind: str, tmp_path: Path):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"age": [1], "odd one": COLUMNS[kind]}), path)
    message = refused(path)
    assert "'odd one'" in message
    assert "'age'" not in message


@pytest.mark.parametrize(
    "names",
    [["a", "a"], ["a", ""], ["a", " b"], ["a", "A"], ["a", "a\u200b"], ["a", "b\n"], ["caf\u00e9", "cafe\u0301"]],
)
def test_parquet_names(names: list[str], tmp_path: Path):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table([pa.array([CANARY])] * 2, names=names), path)
    assert "column" in refused(path)


def test_parquet_without_columns(tmp_path: Path):
    pq.write_table(pa.table({}), tmp_path / "people.parquet")
    assert "no columns" in refused(tmp_path / "people.parquet")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sound") / "sound.parquet"
    table = pa.table({"name": [f"{CANARY}{i % 50}" for i in range(2000)], "age": list(range(2000))})
    pq.write_table(table, path, write_page_checksum=True, compression="snappy", row_group_size=500)
    return path.read_bytes()


@pytest.mark.parametrize("share", [0, 1, 3, 4, 7, 8, 11, 12, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, -1, -4, -8, -9, -20])
def test_parquet_cut_off(share: float, sound: bytes, tmp_path: Path):
    keep = int(len(sound) * share) if isinstance(share, float) else (share if share >= 0 else len(sound) + share)
    path = tmp_path / "people.parquet"
    path.write_bytes(sound[:keep])
    refused(path)


@pytest.mark.parametrize("length", [0, 1, 7, 2**16, 2**24, 2**31 - 1, 2**31, 2**32 - 1])
def test_parquet_footer_length(length: int, sound: bytes, tmp_path: Path):
    path = tmp_path / "people.parquet"
    path.write_bytes(sound[:-8] + length.to_bytes(4, "little") + b"PAR1")
    refused(path)


@pytest.mark.parametrize("seed", range(40))
def test_parquet_flipped_bytes_never_crash(seed: int, sound: bytes, tmp_path: Path):
    """A flipped bit may hit a spot that means nothing; then the table must be the same or at least be a table. It must never be
    a crash or another exception."""
    import random

    chance = random.Random(seed)
    broken = bytearray(sound)
    for _ in range(chance.choice([1, 3, 20])):
        at = chance.randrange(4, len(sound) - 8) if seed % 2 else chance.randrange(len(sound) - 1500, len(sound) - 8)
        broken[at] ^= 1 << chance.randrange(8)
    path = tmp_path / "people.parquet"
    path.write_bytes(bytes(broken))
    begin = time.perf_counter()
    try:
        open_source(path)
        read_parquet(path)
    except DataError as error:
        assert CANARY not in str(error)
    assert time.perf_counter() - begin < 5


def test_parquet_text_that_is_not_utf8(tmp_path: Path):
    broken = pa.StringArray.from_buffers(2, pa.array([0, 1, 2], pa.int32()).buffers()[1], pa.py_buffer(b"\xffa"))
    pq.write_table(pa.table({"a": broken}), tmp_path / "people.parquet")
    refused(tmp_path / "people.parquet")


# ---- files ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz", "people.tsv", "people.parquet"])
def test_what_is_no_file(name: str, tmp_path: Path):
    (tmp_path / "peopel.csv").touch()
    path = tmp_path / name
    assert "no file" in refused(path)
    path.mkdir()
    assert "folder" in refused(path)
    path.rmdir()
    os.mkfifo(path)
    assert "regular" in refused(path)
    path.unlink()
    path.symlink_to("/dev/zero")
    assert "regular" in refused(path)
    path.unlink()
    path.symlink_to(path)
    assert "cannot be opened" in refused(path)
    path.unlink()
    path.symlink_to(tmp_path / "gone")
    assert "no file" in refused(path)


def test_a_near_miss_is_suggested(tmp_path: Path):
    (tmp_path / "people.csv").touch()
    assert "Did you mean 'people.csv'?" in refused(tmp_path / "peopel.csv")


def test_a_path_with_nul(tmp_path: Path):
    refused(tmp_path / "a\0b.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path):
    path = tmp_path / "people.csv"
    path.write_text("a\n1\n")
    path.chmod(0)
    assert "Permission" in refused(path)


@pytest.mark.parametrize("mark", ["", ",,", '"', "\n", "\r", "\0", "a", "1", "é", "-", ".", "_", "\x01", "\x7f"])
def test_delimiters_that_cannot_be(mark: str, tmp_path: Path):
    path = tmp_path / "people.csv"
    path.write_text("a\n1\n")
    with pytest.raises(RecipeError, match="delimiter"):
        open_source(path, RowReading(delimiter=mark))
