"""Rows of PostgreSQL by plain SELECTs in one read-only transaction. What the server says is not repeated: it may quote cells."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.verifier.originals.databases.connecting import connected, text_of
from shoal.verifier.originals.login import check_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

_ROWS = 10_000
# by PostgreSQL's own numbers of types, which do not change: bool, int8, int2, int4, float4, float8, date, timestamp
_KINDS = {
    16: "bool",
    20: "int64",
    21: "int64",
    23: "int64",
    700: "float32",
    701: "float64",
    1082: "date32",
    1114: "timestamp[us]",
}
_PADDED = 1042  # char(n), filled up with blanks


@contextmanager
def server_rows(url: str, origin: str) -> Iterator[tuple[tuple[str, ...], Callable[..., Iterator[pa.RecordBatch]]]]:
    """The names of all columns; and a function that reads some of them. origin: what stands after FROM."""
    what = f"the database {check_url(url)}"
    with connected(url, what) as connection:
        # prepared, so that it is one statement and no more
        asked = connection.execute(f"SELECT * FROM {origin} LIMIT 0", prepare=True)
        kinds = {column.name: column.type_code for column in asked.description}
        arrays = {
            number
            for (number,) in connection.execute(
                "SELECT oid FROM pg_catalog.pg_type WHERE typcategory = 'A' AND oid = ANY(%s)", [list(kinds.values())]
            ).fetchall()
        }

        def batches(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
            return _batches(connection, what, origin, {name: kinds[name] for name in names}, arrays)

        yield tuple(column.name for column in asked.description), batches


def _batches(
    connection: Any, what: str, origin: str, kinds: dict[str, int], arrays: set[int]
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    form = pa.schema([(name, _type(kind, kind in arrays)) for name, kind in kinds.items()])
    selected = ", ".join(_selected(name, kind, kind in arrays) for name, kind in kinds.items())
    yield pa.RecordBatch.from_pylist([], form)
    with connection.cursor(name="shoal_original") as cursor:
        cursor.itersize = _ROWS
        cursor.execute(f"SELECT {selected} FROM {origin}")
        while rows := cursor.fetchmany(_ROWS):
            columns = [_array(what, field, column) for field, column in zip(form, zip(*rows, strict=True), strict=True)]
            yield pa.RecordBatch.from_arrays(columns, schema=form)


def _type(kind: int, is_array: bool) -> pa.DataType:
    import pyarrow as pa

    return pa.list_(pa.string()) if is_array else pa.type_for_alias(_KINDS.get(kind, "string"))


def _selected(name: str, kind: int, is_array: bool) -> str:
    column = '"' + name.replace('"', '""') + '"'
    if is_array:
        return f"{column}::text[]"
    return f"{column}::text" if kind == _PADDED else column


def _array(what: str, field: pa.Field, values: Sequence[Any]) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array([text_of(value, what) for value in values] if field.type == pa.string() else values, field.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise DataError(f"{what}: column '{field.name}' holds values that do not fit its type.") from None
