"""Parquet files as a stranger finds them: one file, or a flat folder of part files that make one table.

A folder is read as Spark and DuckDB read one: names that begin with `_` or `.` are not data. Rows are numbered through the files in
the order of their names. What would make the files anything but one table is refused: folders inside, other columns in some
file, files of another kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.verifier.files.opening import first_bytes
from shoal.verifier.files.parquet_growth import check_growth, check_length, footer_fits
from shoal.verifier.files.parquet_parts import looking, parts_of

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

MAGIC = b"PAR1"
# Tables of many versions, of which only some files count; and a job that has not ended.
_NOT_FLAT = frozenset({"_delta_log", ".hoodie", "_temporary"})


@dataclass(frozen=True)
class ParquetFiles:
    """The files of one table, in order, and how many records each has by its footer."""

    what: str  # how messages call it
    paths: tuple[Path, ...]
    names: tuple[str, ...]  # of the columns
    records: tuple[int, ...]  # by file

    @property
    def firsts(self) -> tuple[int, ...]:
        """By file: the number of records before it."""
        return tuple(accumulate(self.records[:-1], initial=0))


def open_file(path: Path) -> ParquetFiles:
    with looking() as con:
        names, _, records = _footer(path, con)
    check_length(path.name, records, path.stat().st_size)
    return ParquetFiles(path.name, (path,), names, (records,))


def open_folder(folder: Path) -> ParquetFiles:
    paths = _parts(folder)
    with looking() as con:
        footers = [_footer(path, con) for path in paths]
    names, form, _ = footers[0]
    for path, (_, other, _) in zip(paths, footers, strict=True):
        if other != form:
            raise DataError(
                f"{folder.name}: {path.name} has other columns, or columns of other types, than {paths[0].name}."
            )
    records = tuple(records for _, _, records in footers)
    check_length(folder.name, sum(records), sum(path.stat().st_size for path in paths))
    return ParquetFiles(folder.name, paths, names, records)


def _parts(folder: Path) -> tuple[Path, ...]:
    try:
        found = sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as error:
        raise DataError(f"{folder.name}: cannot be read ({error.strerror or type(error).__name__}).") from None
    parts = []
    for path in found:
        if path.name in _NOT_FLAT:
            raise DataError(f"{folder.name}: holds {path.name}, so its files are not simply the table.")
        if path.name.startswith(("_", ".")):
            continue
        if path.is_dir():
            raise DataError(
                f"{folder.name}: holds the folder {path.name}; only a flat folder of Parquet files is read. Read it in Spark "
                "and hand the frame over."
            )
        if first_bytes(path, len(MAGIC)) != MAGIC:
            raise DataError(f"{folder.name}: {path.name} is not a Parquet file.")
        parts.append(path)
    if not parts:
        raise DataError(f"{folder.name}: a folder without a Parquet file.")
    return tuple(parts)


def _footer(path: Path, con: duckdb.DuckDBPyConnection) -> tuple[tuple[str, ...], list[Any], int]:
    """(names of the columns, what they hold as it is stored, records)"""
    import pyarrow as pa
    import pyarrow.parquet

    try:
        if not footer_fits(path):
            raise DataError(f"{path.name}: not a Parquet file that can be read: its footer does not fit.")
        parts = parts_of(con, path)
        with pa.parquet.ParquetFile(path) as file:
            stored = (file.schema.column(i) for i in range(len(file.schema)))
            form = [(c.path, c.physical_type, str(c.logical_type), c.max_repetition_level, c.length) for c in stored]
            names, records = tuple(file.schema_arrow.names), int(file.metadata.num_rows)
        if any(part.column >= len(form) for part in parts):
            raise DataError(
                f"{path.name}: not a Parquet file that can be read: it has parts of columns that there are not."
            )
        check_growth(path, [column for column, *_ in form], parts)
        return names, form, records
    except (pa.ArrowException, OSError, ValueError, OverflowError):  # also names that are no text
        raise DataError(f"{path.name}: not a Parquet file that can be read.") from None
