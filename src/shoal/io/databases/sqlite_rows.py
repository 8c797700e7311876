"""Rows of an SQLite file, opened read-only, with nothing allowed but to select.

SQLite holds no column to a type, so each value is read as its text, as from CSV: an empty one is missing, and a set of items is a
text with marks in it.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pyarrow as pa

from shoal.data.text import text_of
from shoal.errors import DataError, RecipeError, did_you_mean
from shoal.io.databases.postgresql import ROWS, identifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shoal.io.databases.selection import Selection

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_LONGEST = 16 << 20  # bytes of a cell


@contextmanager
def sqlite_rows(selection: Selection) -> Iterator[SqliteRows]:
    """The rows, as long as the file is open."""
    file = selection.file
    assert file is not None
    if not file.is_file():
        raise DataError(f"There is no file {file}.")
    try:
        connection = sqlite3.connect(f"file:{quote(str(file.absolute()))}?mode=ro", uri=True)
    except sqlite3.Error:
        raise DataError(f"{selection.where} cannot be opened.") from None
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        known = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        ]
        connection.set_authorizer(lambda what, *_: sqlite3.SQLITE_OK if what in _ALLOWED else sqlite3.SQLITE_DENY)
        if selection.table and selection.table not in known:
            raise RecipeError(
                f"input.table: there is no table '{selection.table}' in {selection.where}."
                f"{did_you_mean(selection.table, known)}"
            )
        origin = selection.origin(identifier(selection.table))
        yield SqliteRows(connection, selection, origin, _columns(connection, selection, origin))
    except sqlite3.Error as error:
        raise DataError(f"{selection.where} could not be read ({type(error).__name__}).") from None
    finally:
        connection.close()


@dataclass(frozen=True, eq=False)
class SqliteRows:
    """Of one table or query."""

    connection: sqlite3.Connection
    selection: Selection
    origin: str  # after FROM
    schema: pa.Schema

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Some thousand at a time."""
        schema = pa.schema([self.schema.field(name) for name in columns])
        cursor = self.connection.execute(f"SELECT {', '.join(map(identifier, columns))} FROM {self.origin}")
        while rows := cursor.fetchmany(ROWS):
            values = zip(*rows, strict=True)
            texts = [[self._text(value, name) for value in v] for v, name in zip(values, columns, strict=True)]
            yield pa.RecordBatch.from_arrays([pa.array(column, pa.string()) for column in texts], schema=schema)

    def _text(self, value: Any, name: str) -> str | None:
        if isinstance(value, bytes):
            raise DataError(
                f"{self.selection.where}: column '{name}' holds values that are bytes, not text or numbers."
            )
        return text_of(value) or None


def _columns(connection: sqlite3.Connection, selection: Selection, origin: str) -> pa.Schema:
    try:
        cursor = connection.execute(f"SELECT * FROM {origin} LIMIT 0")  # a second statement is refused
    except (sqlite3.Error, sqlite3.Warning):
        key = f"input.{'table' if selection.table else 'query'}"
        raise RecipeError(f"{key}: is not one query that reads {selection.where}, and nothing else.") from None
    return pa.schema([(name, pa.string()) for name, *_ in cursor.description])
