"""Rows of an SQLite file as texts: its columns have no types. It is opened read-only, and may be asked for rows only."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from shoal.errors import DataError
from shoal.verifier.text import text_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

_ROWS = 10_000
_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)


@contextmanager
def sqlite_rows(
    file: Path, origin: str
) -> Iterator[tuple[tuple[str, ...], Callable[[Sequence[str]], Iterator[pa.RecordBatch]]]]:
    """The names of all columns; and a function that reads some of them. origin: what stands after FROM."""
    import pyarrow as pa

    try:
        with closing(sqlite3.connect(f"file:{quote(str(file.absolute()))}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY
            )

            def batches(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
                form = pa.schema([(name, pa.string()) for name in names])
                selected = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
                yield pa.RecordBatch.from_pylist([], form)
                cursor = connection.execute(f"SELECT {selected} FROM {origin}")
                while rows := cursor.fetchmany(_ROWS):
                    texts = [[_text(file, value) for value in column] for column in zip(*rows, strict=True)]
                    yield pa.RecordBatch.from_arrays([pa.array(column, pa.string()) for column in texts], schema=form)

            described = connection.execute(f"SELECT * FROM {origin} LIMIT 0").description
            yield tuple(column[0] for column in described), batches
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise DataError(f"{file.name}: could not be read ({type(error).__name__}).") from None


def _text(file: Path, value: Any) -> str | None:
    if isinstance(value, bytes):
        raise DataError(f"{file.name}: a column holds bytes, not text or numbers.")
    return text_form(value, "DOUBLE" if isinstance(value, float) else "VARCHAR")
