"""Rows of a database as a source of records, in an order that says nothing.

They are kept in memory while they are few; more go to a Parquet file in a private folder. A server hands rows over in any order,
so they are sorted by all that is read of them: what is made of the same rows is the same each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa

from shoal.errors import DataError
from shoal.io.columns import check_names, check_types
from shoal.io.databases.duckdb_rows import duckdb_rows
from shoal.io.databases.postgresql import identifier
from shoal.io.databases.postgresql_rows import postgresql_rows
from shoal.io.databases.sqlite_rows import sqlite_rows
from shoal.io.databases.urls import scheme_of
from shoal.io.files import Limits
from shoal.io.scratch import scratch_database
from shoal.io.sets.items import split
from shoal.io.source import Source
from shoal.io.trees.batches import Held

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from shoal.io.databases.selection import Rows, Selection
    from shoal.io.reading import RowReading

_READERS: dict[str, Callable[[Selection], AbstractContextManager[Rows]]] = {
    "postgresql": postgresql_rows,
    "duckdb": duckdb_rows,
    "sqlite": sqlite_rows,
}
_ROWS = 100_000


def open_database(
    selection: Selection,
    reading: RowReading,
    *,
    published: Collection[str] | None = None,
    scratch: Path | None = None,
    memory: str | None = None,
) -> Source:
    """published: the columns that are read, with the one that names people; no other leaves the database. None for all.

    memory: for DuckDB, such as "2GB".
    """
    where = f"{selection.what} in {selection.where}"
    with _READERS[scheme_of(selection.url)](selection) as rows:
        names = tuple(rows.schema.names)
        check_names(names, where)
        if published is None:
            wanted = [name for name in names if not pa.types.is_binary(rows.schema.field(name).type)]
        else:
            wanted = [name for name in names if name in published]
        if not wanted:
            raise DataError(f"{where} has no column that is published and can be read.")
        cells = _Cells(rows.schema, wanted, reading, where, written=scheme_of(selection.url) == "sqlite")
        unsorted = Held.of(cells.schema, _limited(map(cells.batch, rows.batches(wanted)), where), scratch)
    try:
        with scratch_database(scratch, memory, "The rows of the database could not be sorted") as con:
            held = Held.of(cells.schema, _sorted(con, unsorted), scratch)
    finally:
        unsorted.close()
    if held.files:
        return Source(
            "parquet", names, path=held.files[0], files=held.files, missing=reading.missing, label=where, kept=held
        )
    table = pa.Table.from_batches(held.read(), held.schema)
    return Source("arrow", names, table=table, missing=reading.missing, label=where)


class _Cells:
    """What is read of the rows. written: sets of items stand in texts, with marks between the items."""

    def __init__(self, schema: pa.Schema, wanted: list[str], reading: RowReading, where: str, *, written: bool) -> None:
        self._marked = [name for name in reading.sets or () if name in wanted and written]
        self._items, self._where = reading.items, where
        self.schema = self._split(pa.Table.from_batches([], pa.schema([schema.field(name) for name in wanted]))).schema
        self.schema = pa.schema([field.remove_metadata() for field in self.schema])
        sets = None if reading.sets is None else [name for name in reading.sets if name in wanted]
        check_types(self.schema, where, sets)

    def batch(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """With sets as lists."""
        table = self._split(pa.Table.from_batches([rows])).replace_schema_metadata(None)
        return table.combine_chunks().cast(self.schema).to_batches()[0]

    def _split(self, table: pa.Table) -> pa.Table:
        return split(table, self._marked, self._items, self._where)


def _limited(batches: Iterable[pa.RecordBatch], where: str) -> Iterator[pa.RecordBatch]:
    size, limit = 0, Limits().size
    for batch in batches:
        size += batch.nbytes
        if size > limit:
            raise DataError(f"{where} holds more than {limit:,} bytes; no more are read.")
        yield batch


def _sorted(con: duckdb.DuckDBPyConnection, held: Held) -> Iterator[pa.RecordBatch]:
    if held.files:
        con.read_parquet(str(held.files[0])).create_view("held")
    else:
        con.register("held", pa.Table.from_batches(held.read(), held.schema))
    order = ", ".join(f"{identifier(name)} NULLS FIRST" for name in held.schema.names)
    for batch in con.sql(f"SELECT * FROM held ORDER BY {order}").to_arrow_reader(_ROWS):
        yield from pa.Table.from_batches([batch]).cast(held.schema).combine_chunks().to_batches()
