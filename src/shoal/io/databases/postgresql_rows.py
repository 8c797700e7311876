"""Rows of PostgreSQL: a table, a view or a query, over a server cursor. Only columns that are asked for leave the server.

A query is one statement (it is prepared, which no second statement survives) within a read-only transaction; what would write is
refused by the server. Whole numbers, floats, truth values, dates and timestamps keep their types; arrays of texts or whole numbers
are sets of items; all else that has a text form is text.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.text import text_of
from shoal.errors import DataError, RecipeError, did_you_mean
from shoal.io.databases.postgresql import PLAIN, ROWS, connected, identifier, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shoal.io.databases.selection import Selection

_LISTS = pa.list_(pa.string())
_TYPED = {
    "bool": pa.bool_(),
    "int2": pa.int64(),
    "int4": pa.int64(),
    "int8": pa.int64(),
    "float4": pa.float32(),
    "float8": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
}
_ITEMS = frozenset({"int2", "int4", "int8", "text", "varchar", "bpchar", "name", "citext", "uuid"})
_KINDS = """
SELECT t.oid, CASE WHEN t.typtype = 'e' THEN 'text' ELSE t.typname END,
       CASE WHEN t.typcategory <> 'A' THEN NULL WHEN e.typtype = 'e' THEN 'text' ELSE e.typname END
FROM pg_catalog.pg_type t LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem WHERE t.oid = ANY(%s)
"""
_TABLES = (
    "SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND pg_table_is_visible(oid)"
)


@contextmanager
def postgresql_rows(selection: Selection) -> Iterator[PostgresqlRows]:
    """The rows, as long as the transaction lasts."""
    with connected(selection.url, selection.where) as connection:
        origin = selection.origin(quoted(selection.table))
        yield PostgresqlRows(connection, selection, origin, _columns(connection, selection, origin))


@dataclass(frozen=True, eq=False)
class PostgresqlRows:
    """Of one table or query."""

    connection: Any
    selection: Selection
    origin: str  # after FROM
    schema: pa.Schema

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Over a server cursor, some thousand at a time."""
        fields = [self.schema.field(name) for name in columns]
        shown = ", ".join(_value(field) for field in fields)
        with self.connection.cursor(name="shoal_rows") as cursor, _faults(self.selection):
            cursor.itersize = ROWS
            cursor.execute(f"SELECT {shown} FROM {self.origin}")
            while rows := cursor.fetchmany(ROWS):
                values = zip(*rows, strict=True)
                arrays = [self._array(column, field) for column, field in zip(values, fields, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))

    def _array(self, values: tuple[Any, ...], field: pa.Field) -> pa.Array:
        try:
            return pa.array([text_of(v) for v in values] if field.type == pa.string() else values, field.type)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):  # their text quotes the value
            why = "arrays of more than one dimension" if field.type == _LISTS else "values that do not fit its type"
            raise DataError(f"{self.selection.where}: column '{field.name}' holds {why}.") from None


def _value(field: pa.Field) -> str:
    name = identifier(field.name)
    if field.type == _LISTS:
        return f"{name}::text[]"
    return f"{name}::text" if (field.metadata or {}).get(b"padded") else name  # char(n) is filled up with blanks


def _columns(connection: Any, selection: Selection, origin: str) -> pa.Schema:
    with _faults(selection, connection):
        # prepared: a second statement within a query would be refused, so none can end the read-only transaction
        cursor = connection.execute(f"SELECT * FROM {origin} LIMIT 0", prepare=True)
    described = [(column.name, column.type_code) for column in cursor.description]
    kinds = {oid: kind for oid, *kind in connection.execute(_KINDS, [[code for _, code in described]]).fetchall()}
    return pa.schema([_field(name, *kinds[code]) for name, code in described])


def _field(name: str, kind: str, item: str | None) -> pa.Field:
    if item is not None:
        return pa.field(name, _LISTS if item in _ITEMS else pa.binary())
    if kind == "bpchar":
        return pa.field(name, pa.string(), metadata={"padded": "1"})
    return pa.field(name, _TYPED.get(kind, pa.string()) if kind in PLAIN else pa.binary())


@contextmanager
def _faults(selection: Selection, connection: Any = None) -> Iterator[None]:
    """What is wrong with a table's name or a query, as far as the server's kind of fault tells."""
    import psycopg

    key = f"input.{'table' if selection.table else 'query'}"
    try:
        yield
    except psycopg.errors.ReadOnlySqlTransaction:
        raise RecipeError(f"{key}: would write to {selection.where}; it is read in a read-only transaction.") from None
    except psycopg.errors.InsufficientPrivilege:
        raise RecipeError(f"{key}: this login may not read that in {selection.where}.") from None
    except psycopg.errors.UndefinedTable:
        if not selection.table or connection is None:
            raise RecipeError(f"{key}: names a table that is not in {selection.where}.") from None
        connection.rollback()
        known = [name for (name,) in connection.execute(_TABLES).fetchall()]
        raise RecipeError(
            f"{key}: there is no table '{selection.table}' in {selection.where}.{did_you_mean(selection.table, known)}"
        ) from None
    except (psycopg.ProgrammingError, psycopg.NotSupportedError, psycopg.InternalError) as error:
        raise RecipeError(
            f"{key}: is not one query that {selection.where} understands ({type(error).__name__}). Try it in psql first."
        ) from None
