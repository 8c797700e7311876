"""Files that grow: refused in less than 5 s and 512 MB, measured in a process of their own."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.errors import DataError
from shoal.io.csv import read_csv
from shoal.io.files import Limits

SOURCE = Path(shoal.__file__).parents[1]
PROBE = """
import sys, time
from pathlib import Path
from shoal.errors import DataError
from shoal.io.reading import RowReading
from shoal.io.source import open_source
begin = time.perf_counter()
try:
    open_source(Path(sys.argv[1]), RowReading(multiline=True))
    print("read")
except DataError as error:
    print("refused", error)
seconds = time.perf_counter() - begin
# not ru_maxrss, which a process takes over from the one that started it
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(seconds, int(peak.split()[1]) / 1024)
"""

MEMBER = 32 << 20


def packed(pattern: bytes, header: bytes = b"a,b\n", times: int = 300) -> bytes:
    """Many gigabytes as gzip: one member holding 32 MiB of the pattern, over and over."""
    body = gzip.compress(pattern * (MEMBER // len(pattern)), 9, mtime=0)
    return gzip.compress(header, mtime=0) + body * times


def one_stream(pattern: bytes, header: bytes = b"a,b\n", size: int = 512 << 20) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    out = io.BytesIO()
    out.write(packer.compress(header))
    piece = pattern * ((4 << 20) // len(pattern))
    for _ in range(size // len(piece)):
        out.write(packer.compress(piece))
    out.write(packer.flush())
    return out.getvalue()


BOMBS = {
    "zeros": lambda: packed(b"\0"),
    "zeros-one-stream": lambda: one_stream(b"\0"),
    "rows": lambda: packed(b"1,2\n"),
    "rows-one-stream": lambda: one_stream(b"1,2\n"),
    "one-long-field": lambda: packed(b"x"),
    "one-long-quoted-field": lambda: packed(b"x", b'a,b\n"'),
    "line-breaks-in-a-quoted-field": lambda: packed(b"\n", b'a,b\n"'),
    "quotes": lambda: packed(b'""', b'a,b\n"'),
    "blank-lines": lambda: packed(b"\n"),
    "commas": lambda: packed(b","),
    "header-without-end": lambda: packed(b"a", b"a"),
    "header-of-commas": lambda: packed(b"a,", b"a,"),
    "empty-members": lambda: gzip.compress(b"a\n1\n", mtime=0) + gzip.compress(b"", mtime=0) * 2_000_000 + b"x",
    "tiny-members": lambda: gzip.compress(b"a\n", mtime=0) + gzip.compress(b"1\n", mtime=0) * 500_000,
    "carriage-returns": lambda: packed(b"\r"),
    "missing-rows": lambda: packed(b",\n"),
    "quoted-rows": lambda: packed(b'"",""\n'),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_gzip_bomb(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(BOMBS[name]())
    probe(path)


def probe(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(path)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    answer, figures = done.stdout.strip().splitlines()
    seconds, megabytes = map(float, figures.split())
    assert answer.startswith("refused"), done.stdout
    assert seconds < 5
    assert megabytes < 512


def test_many_members_of_ordinary_size_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a\n") + gzip.compress(b"123\n" * 500) * 1_200)
    assert read_csv(path).num_rows == 600_000


def test_limits_are_kept_exactly(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\n1\n2\n")
    assert read_csv(path, limits=Limits(size=6)).num_rows == 2
    with pytest.raises(DataError, match="at most 5"):
        read_csv(path, limits=Limits(size=5))
    packed_path = tmp_path / "t.csv.gz"
    packed_path.write_bytes(gzip.compress(path.read_bytes()))
    assert read_csv(packed_path, limits=Limits(size=100)).num_rows == 2
    with pytest.raises(DataError, match="more than 5"):
        read_csv(packed_path, limits=Limits(size=5))


def test_dense_but_honest_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000))
    assert read_csv(path).num_rows == 1_000_000


def test_limits_refuse_nonsense() -> None:
    with pytest.raises(ValueError, match="`ratio` of the limits"):
        Limits(ratio=0)


def test_parquet_column_that_unpacks_to_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    column = pa.array(["x" * 1_000_000], pa.large_string())
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0] * 200, pa.int32()), column)
    pq.write_table(pa.table({"a": dictionary.cast(pa.large_string())}), path, compression="zstd", use_dictionary=False)
    assert path.stat().st_size < 1_000_000
    probe(path)
