"""Tables in files, Parquet or CSV, folded into nested records."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.io.csv import read_csv
from shoal.io.folder import check_folder
from shoal.io.parquet import open_parquet
from shoal.io.trees.keys import Key, hang, ties_of
from shoal.io.trees.opening import FLAT, Reading
from shoal.io.trees.table_fold import fold_tables
from shoal.io.trees.tables import Table, check_tables, repeated_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shoal.data.schema import Schema
    from shoal.io.trees.opening import Opened

WHERE = "the tables"  # how messages call them


def open_table_files(
    files: Mapping[str, Path],
    record: str,
    keys: Sequence[str],
    schema: Schema | None,
    *,
    scratch: Path | None = None,
    memory: str | None = None,
    reading: Reading | None = None,
) -> Opened:
    """schema: of the recipe; None to look at all there is. memory: for DuckDB, such as "2GB"."""
    hung = hang(list(files), record, map(Key.of, keys))
    tables = {name: _open(path, reading or Reading()) for name, path in files.items()}
    kept, unread = check_tables(hung, {name: table.schema for name, table in tables.items()}, schema, WHERE)
    opened = fold_tables(tables, hung, kept, scratch=scratch, memory=memory)
    repeated = repeated_in(tables[record], schema, reading.missing if reading is not None else ())
    return replace(opened, unread=unread, ties=ties_of(hung), warnings=(*repeated, *opened.warnings))


def _open(path: Path, reading: Reading) -> Table:
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
        rows = read_csv(path, delimiter=reading.delimiter, multiline=reading.multiline)
        return Table(rows.schema, rows=rows)
    raise DataError(f"{path.name} cannot be read as a table; it must end in .parquet, {', '.join(FLAT)}.")
