"""Parquet files of originals: a file or a flat folder, checked before anything of it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.verifier.files.parquet_parts import looking, parts_of
from shoal.verifier.originals.folders import check_marker
from shoal.verifier.originals.names import check_names
from shoal.verifier.source import parquet_of

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.verifier.files.parquet import ParquetFiles

_ROWS, _PER_BYTE = 20_000_000, 50  # data about people has less than one row in a byte


def parquet_files(path: Path) -> ParquetFiles:
    """The files of a table, in order. What claims more than its size can hold is refused, sooner than in a release."""
    if path.is_dir():
        check_marker(path)
    files = parquet_of(path)
    if files is None:
        raise DataError(f"{path.name}: not a Parquet file, in spite of its name.")
    size = sum(part.stat().st_size for part in files.paths)
    if max(sum(files.records), _values(files)) > max(_ROWS, _PER_BYTE * size):
        raise DataError(
            f"{files.what}: claims more records or values than data of its size has, as a decompression bomb does."
        )
    check_names(files.what, files.names)
    return files


def _values(files: ParquetFiles) -> int:
    """The most that a column has; lists have more than there are records."""
    most: dict[int, int] = {}  # by the place of the column: the name that a row group gives it may be another, or none
    with looking() as con:
        for file in files.paths:
            for part in parts_of(con, file):
                most[part.column] = most.get(part.column, 0) + part.values
    return max(most.values(), default=0)
