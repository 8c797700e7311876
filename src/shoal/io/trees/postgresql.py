"""Tables of a PostgreSQL database, folded into nested records.

All are read in one read-only transaction, so they fit together whoever writes meanwhile. Only columns that are kept, or that keys
need, leave the server; they come over a server cursor, a few thousand rows at a time. Values become their text form (data/text.py).
Messages name the database, tables and columns; what the server says is not repeated, for it may quote addresses and cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.text import text_of
from shoal.errors import RecipeError, did_you_mean
from shoal.io.databases.postgresql import PLAIN, connected, quoted
from shoal.io.databases.urls import database_of, url_problems
from shoal.io.trees.batches import Held
from shoal.io.trees.keyed import Table, check_tables, needed
from shoal.io.trees.keyed_fold import fold_tables
from shoal.io.trees.keys import Key, hang, ties_of
from shoal.io.trees.repeats import removed_singles, warnings_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from shoal.data.schema import Schema
    from shoal.io.trees.opened import Opened

_ROWS = 10_000
_COLUMNS = """
SELECT a.attname, CASE WHEN t.typtype = 'e' THEN 'text' WHEN t.typtype = 'd' THEN b.typname ELSE t.typname END
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type b ON b.oid = t.typbasetype
WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_KEYS = """
SELECT (SELECT array_agg(a.attname ORDER BY k.place) FROM unnest(c.conkey) WITH ORDINALITY k(number, place)
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number),
       (SELECT array_agg(a.attname ORDER BY k.place) FROM unnest(c.confkey) WITH ORDINALITY k(number, place)
        JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.number)
FROM pg_constraint c WHERE c.contype = 'f' AND c.conrelid = to_regclass(%s) AND c.confrelid = to_regclass(%s)
ORDER BY c.conname
"""
_TIED = """
SELECT f.relname, t.relname FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid
WHERE c.contype = 'f' AND f.oid <> t.oid AND pg_table_is_visible(f.oid) AND pg_table_is_visible(t.oid) ORDER BY 1, 2
"""
_TABLES = """
SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND pg_table_is_visible(oid)
AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) ORDER BY relname
"""


def tables_around(url: str, record: str) -> list[str]:
    """The table of records and those that keys tie to it: whose rows belong to a record, and what any of these look up.

    Rows that merely look up the same thing, as other people who live in the same town, belong to nobody here.
    """
    problems = url_problems(url)
    if problems:
        raise RecipeError(*problems)
    with connected(url, f"the database {database_of(url)}") as connection:
        known = [name for (name,) in connection.execute(_TABLES).fetchall()]
        tied = connection.execute(_TIED).fetchall()
    if record not in known:
        asked = f"there is no table '{record}'" if record else "which table has a row for each person?"
        raise RecipeError(f"--record: {asked} Tables: {', '.join(known)}.{did_you_mean(record, known)}")
    tables = [record]
    for one in tables:  # grows while it is read
        tables += [child for child, parent in tied if parent == one and child not in tables]
    for one in tables:
        tables += [parent for child, parent in tied if child == one and parent not in tables]
    return tables


def open_postgresql(
    url: str,
    tables: Mapping[str, str] | Sequence[str],
    record: str,
    keys: Sequence[str],
    schema: Schema | None,
    *,
    scratch: Path | None = None,
    memory: str | None = None,
    missing: Sequence[str] = (),
) -> Opened:
    """tables: names in the database, `table` or `schema.table`; a mapping gives each another name. keys: none, to find them there.

    schema: of the recipe; None to look at all there is. memory: for DuckDB, such as "2GB".
    """
    problems = url_problems(url)
    if problems:
        raise RecipeError(*problems)
    where = f"the database {database_of(url)}"
    names = dict(tables) if isinstance(tables, Mapping) else {name: name for name in tables}
    with connected(url, where) as connection:
        places = {name: quoted(place) for name, place in names.items()}
        schemas = {name: _columns(connection, name, place, where) for name, place in places.items()}
        parsed = [Key.of(key) for key in keys] or list(_keys(connection, places))
        hung = hang(list(names), record, parsed)
        kept, unread = check_tables(hung, schemas, schema, where)
        held: list[Held] = []
        try:
            read = {}
            for one in hung:
                columns = [name for group in needed(one, hung, kept) for name in group]
                held.append(_read(connection, places[one.table], columns, scratch))
                rows = None if held[-1].files else pa.Table.from_batches(held[-1].read(), held[-1].schema)
                read[one.table] = Table(held[-1].schema, held[-1].files, rows)
            opened = fold_tables(read, hung, kept, scratch=scratch, memory=memory)
            repeated = _repeated(connection, places[record], schemas[record].names, schema, missing)
            return replace(opened, unread=unread, ties=ties_of(hung), warnings=(*repeated, *opened.warnings))
        finally:
            for one_held in held:
                one_held.close()


def _repeated(
    connection: Any, place: str, columns: Sequence[str], schema: Schema | None, missing: Sequence[str]
) -> tuple[str, ...]:
    """Counted by the server, since these values do not leave it."""
    repeated = {}
    for path in removed_singles(schema):
        name = path.parts[0]
        if len(path.parts) == 1 and name in columns:
            value = '"' + str(name).replace('"', '""') + '"::text'
            column, table = (text.replace("%", "%%") for text in (value, place))  # a lone % would ask for a parameter
            statement = (
                f"SELECT count(*) AS n FROM {table} WHERE {column} <> ALL(%s) GROUP BY {column} HAVING count(*) > 1"
            )
            ((number,),) = connection.execute(
                f"SELECT coalesce(sum(n), 0)::bigint FROM ({statement}) AS repeated", [["", *missing]]
            ).fetchall()
            repeated[str(path)] = int(number)
    return warnings_of({name: number for name, number in repeated.items() if number})


def _columns(connection: Any, name: str, place: str, where: str) -> pa.Schema:
    """The columns with types that tell what can be kept; none of these types is read yet."""
    rows = connection.execute(_COLUMNS, [place]).fetchall()
    if not rows:
        there = connection.execute("SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f')").fetchall()
        known = [one for (one,) in there]
        raise RecipeError(f"input.tables: there is no table '{name}' in {where}.{did_you_mean(name, known)}")
    return pa.schema([(column, pa.string() if kind in PLAIN else pa.binary()) for column, kind in rows])


def _keys(connection: Any, places: Mapping[str, str]) -> Iterator[Key]:
    """The foreign keys among the tables."""
    for table, place in places.items():
        for to, other in places.items():
            for columns, keys in connection.execute(_KEYS, [place, other]).fetchall():
                yield Key(table, tuple(columns), to, tuple(keys))


def _read(connection: Any, place: str, columns: Sequence[str], scratch: Path | None) -> Held:
    schema = pa.schema([(name, pa.string()) for name in columns])
    if not columns:  # a table through which others are reached has keys at least
        schema = pa.schema([("1", pa.string())])
    selected = ", ".join('"' + name.replace('"', '""') + '"' for name in columns) or "'1'"

    def batches() -> Iterator[pa.RecordBatch]:
        with connection.cursor(name="shoal_rows") as cursor:
            cursor.itersize = _ROWS
            cursor.execute(f"SELECT {selected} FROM {place}")
            while rows := cursor.fetchmany(_ROWS):
                values = zip(*rows, strict=True)
                yield pa.RecordBatch.from_arrays(
                    [pa.array([text_of(value) for value in column], pa.string()) for column in values], schema=schema
                )

    return Held.of(schema, batches(), scratch)
