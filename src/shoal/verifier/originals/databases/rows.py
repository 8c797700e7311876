"""Which reader a database asks for. All yield the names of the columns that are there and wanted, and batches of their values."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from shoal.errors import DataError, RecipeError
from shoal.verifier.originals.databases.duckdb_file import duckdb_rows
from shoal.verifier.originals.databases.server import server_rows
from shoal.verifier.originals.databases.sqlite_file import sqlite_rows
from shoal.verifier.originals.names import check_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    import pyarrow as pa

    from shoal.verifier.recipe.places import Input

_FILES: dict[str, Callable[[Path, str], AbstractContextManager[tuple[tuple[str, ...], Callable[..., object]]]]] = {
    "duckdb": duckdb_rows,
    "sqlite": sqlite_rows,
}


@contextmanager
def database_rows(
    place: Input, wanted: Collection[str]
) -> Iterator[tuple[str, tuple[str, ...], Iterator[pa.RecordBatch]]]:
    """How messages call it, the columns that are read, and batches of these."""
    if bool(place.table) == bool(place.query):
        raise RecipeError("input.url: one `table` or one `query` says which rows are the records.")
    scheme = urlsplit(place.url).scheme
    file = file_of(place)
    what = f"the database {file.name}" if file is not None else "the database"
    # the end of a line: a comment at the end of a query hides nothing that follows
    origin = _quoted(place.table, scheme) if place.table else "(" + place.query.rstrip().rstrip(";") + "\n) AS original"
    opened = server_rows(place.url, origin) if file is None else _FILES[scheme](file, origin)
    with opened as (names, batches):
        check_names(what, names)
        kept = tuple(name for name in names if name in wanted)
        if not kept:
            raise DataError(f"{what}: none of its columns is published.")
        yield what, kept, batches(kept)  # type: ignore[misc]


def file_of(place: Input) -> Path | None:
    """Of a database that is one."""
    address = urlsplit(place.url)
    if address.scheme not in _FILES:
        return None
    if address.netloc or address.query or address.fragment or not address.path.strip("/"):
        raise RecipeError(f"input.url: a file is written {address.scheme}:///file.")
    file = place.folder / unquote(address.path.removeprefix("/"))
    if not file.is_file():
        raise DataError(f"{file.name}: there is no such file.")
    return file


def _quoted(table: str, scheme: str) -> str:
    parts = [table] if scheme == "sqlite" else table.split(".")
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)
