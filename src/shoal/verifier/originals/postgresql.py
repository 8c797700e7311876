"""Tables of a PostgreSQL database, read by plain SELECTs in one read-only transaction, and folded here.

Only columns that are wanted, or that keys need, leave the server. What the server says is not repeated: it may quote cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError
from shoal.verifier.originals.databases.connecting import connected, text_of
from shoal.verifier.originals.keyed import Folding, columns_needed
from shoal.verifier.originals.keys import Key, hang, key_of
from shoal.verifier.originals.login import check_url

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    import pyarrow as pa

    from shoal.verifier.originals.paths import Wanted
    from shoal.verifier.recipe.places import Input
    from shoal.verifier.sql.sql import Sql

_ROWS = 10_000
_KEYS = """
SELECT con.conrelid::regclass::oid, con.confrelid::regclass::oid,
       ARRAY(SELECT attname::text FROM unnest(con.conkey) WITH ORDINALITY AS k(n, i)
             JOIN pg_catalog.pg_attribute ON attrelid = con.conrelid AND attnum = k.n ORDER BY k.i),
       ARRAY(SELECT attname::text FROM unnest(con.confkey) WITH ORDINALITY AS k(n, i)
             JOIN pg_catalog.pg_attribute ON attrelid = con.confrelid AND attnum = k.n ORDER BY k.i)
FROM pg_catalog.pg_constraint AS con WHERE con.contype = 'f'
"""


def database_records(place: Input, wanted: Wanted, sql: Sql) -> Iterator[pa.RecordBatch]:
    """The records of the tables that a recipe names."""
    what = f"the database {check_url(place.url)}"
    names = {name: _quoted(str(table)) for name, table in place.tables.items()}
    with connected(place.url, what) as connection:
        keys = [key_of(key) for key in place.keys] or _foreign_keys(connection, names, what)
        placed = hang(list(names), place.record, keys)
        needed = columns_needed(place.record, placed, wanted)
        tables = {name: _read(connection, names[name], sorted(some), what) for name, some in needed.items()}
    yield from Folding(sql, place.record, placed, tables).batches(wanted)


def _quoted(name: str) -> str:
    """`schema.table`, each part as it is written."""
    return ".".join(map(_identifier, name.split(".")))


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _foreign_keys(connection: Any, names: Mapping[str, str], what: str) -> list[Key]:
    """Those of the database, among the tables; by each of the names that a table has here."""
    numbers: dict[str, int] = {}
    for name, table in names.items():
        ((number,),) = connection.execute("SELECT to_regclass(%s)::oid", [table]).fetchall()
        if number is None:
            raise RecipeError(f"input.tables: there is no table '{name}' in {what}.")
        numbers[name] = number
    foreign = connection.execute(_KEYS).fetchall()
    return [
        Key(table, tuple(columns), to, tuple(unique))
        for table, mine in numbers.items()
        for to, other in numbers.items()
        for refers, referred, columns, unique in foreign
        if (refers, referred) == (mine, other)
    ]


def _read(connection: Any, table: str, columns: Collection[str], what: str) -> pa.Table:
    """The columns as texts."""
    import pyarrow as pa

    form = pa.schema([(name, pa.string()) for name in columns])
    selected = ", ".join(map(_identifier, columns)) or "1"
    batches = []
    with connection.cursor(name="shoal_original") as cursor:
        cursor.itersize = _ROWS
        cursor.execute(f"SELECT {selected} FROM {table}")
        while rows := cursor.fetchmany(_ROWS):
            values = [[text_of(value, what) for value in column] for column in zip(*rows, strict=True)]
            arrays = [pa.array(column, pa.string()) for column in values[: len(columns)]]
            batches.append(pa.RecordBatch.from_arrays(arrays, schema=form))
    return pa.Table.from_batches(batches, form)
