"""Tables in files, Parquet or CSV, folded into nested records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.io.csv import read_csv
from shoal.io.folder import check_folder
from shoal.io.parquet import open_parquet
from shoal.io.trees.keyed import Table, check_tables, repeated_in
from shoal.io.trees.keyed_fold import fold_tables
from shoal.io.trees.keys import Key, hang, ties_of
from shoal.io.trees.opening import FLAT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shoal.io.reading import TreeReading
    from shoal.io.trees.opened import Opened

WHERE = "the tables"  # how messages call them


def open_table_files(
    files: Mapping[str, Path],
    record: str,
    keys: Sequence[str],
    reading: TreeReading,
    *,
    memory: str | None = None,
) -> Opened:
    """record: the table with a row for each person. memory: for DuckDB, such as "2GB"."""
    schema = reading.schema
    hung = hang(list(files), record, map(Key.of, keys))
    tables = {name: _open(path, reading) for name, path in files.items()}
    kept, unread = check_tables(hung, {name: table.schema for name, table in tables.items()}, schema, WHERE)
    opened = fold_tables(tables, hung, kept, scratch=reading.scratch, memory=memory)
    repeated = repeated_in(tables[record], schema, reading.missing)
    return replace(opened, unread=unread, ties=ties_of(hung), warnings=(*repeated, *opened.warnings))


def _open(path: Path, reading: TreeReading) -> Table:
    if path.is_dir():
        parts = check_folder(path)
        schemas = [open_parquet(part, nested=True).schema for part in parts]
        if any(not schema.equals(schemas[0]) for schema in schemas):
            raise DataError(f"{path.name}: not all files have the same columns and types.")
        return Table(schemas[0], parts)
    name = path.name.lower()
    if name.endswith(".parquet"):
        return Table(open_parquet(path, nested=True).schema, (path,))
    if name.endswith(FLAT):
        rows = read_csv(
            path,
            delimiter=reading.delimiter,
            multiline=reading.multiline,
            encoding=reading.encoding,
            quote=reading.quote,
        )
        return Table(rows.schema, rows=rows)
    raise DataError(f"{path.name} cannot be read as a table; it must end in .parquet, {', '.join(FLAT)}.")
