"""Rows of a DuckDB file, read-only and cut off from all other files."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from shoal.errors import DataError
from shoal.verifier.originals.frames import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

_ROWS = 50_000
_SETTINGS = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "lock_configuration": "true",
}


@contextmanager
def duckdb_rows(
    file: Path, origin: str
) -> Iterator[tuple[tuple[str, ...], Callable[[Sequence[str]], Iterator[pa.RecordBatch]]]]:
    """The names of all columns; and a function that reads some of them. origin: what stands after FROM."""
    import duckdb
    import pyarrow as pa

    try:
        connection = duckdb.connect(str(file), read_only=True, config={**_SETTINGS})
    except duckdb.Error as error:
        raise DataError(f"{file.name}: cannot be opened as a DuckDB file ({type(error).__name__}).") from None

    def batches(names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        selected = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        reader = connection.sql(f"SELECT {selected} FROM {origin}").to_arrow_reader(_ROWS)
        yield _plain(pa.RecordBatch.from_pylist([], reader.schema))
        for batch in reader:
            yield _plain(batch)

    try:
        described = connection.execute(f"SELECT * FROM {origin} LIMIT 0").description
        yield tuple(column[0] for column in described), batches
    except duckdb.Error as error:
        raise DataError(f"{file.name}: could not be read ({type(error).__name__}).") from None
    finally:
        connection.close()


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([plain(column) for column in batch.columns], batch.schema.names)
