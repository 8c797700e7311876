"""Rows of a DuckDB file, opened read-only, without access to anything but that file: a query cannot read or write other files."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data.itemsets import is_list
from shoal.errors import DataError, RecipeError, did_you_mean
from shoal.io.arrow_frames import ordinary
from shoal.io.columns import unfit, unfit_list
from shoal.io.databases.postgresql import identifier, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shoal.io.databases.selection import Selection

_ROWS = 100_000
_ALONE = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_unsigned_extensions": "false",
    "python_enable_replacements": "false",  # or a query could read variables of this program
    "lock_configuration": "true",
}


@contextmanager
def duckdb_rows(selection: Selection) -> Iterator[DuckdbRows]:
    """The rows, as long as the file is open."""
    import duckdb

    file = selection.file
    assert file is not None
    if not file.is_file():
        raise DataError(f"There is no file {file}.")
    try:
        connection = duckdb.connect(str(file), read_only=True, config={**_ALONE})
    except duckdb.Error:
        raise DataError(
            f"{selection.where} cannot be opened. Is it a DuckDB file of this version, and does nobody write to it just now?"
        ) from None
    try:
        origin = selection.origin(quoted(selection.table))
        with _faults(selection, connection):
            schema = connection.sql(f"SELECT * FROM {origin} LIMIT 0").to_arrow_table().schema
        yield DuckdbRows(connection, selection, origin, schema)
    except duckdb.Error as error:  # its text may quote cells
        raise DataError(f"{selection.where} could not be read ({type(error).__name__}).") from None
    finally:
        connection.close()


@dataclass(frozen=True, eq=False)
class DuckdbRows:
    """Of one table or query."""

    connection: Any
    selection: Selection
    origin: str  # after FROM
    stored: pa.Schema  # as DuckDB hands it over

    @property
    def schema(self) -> pa.Schema:
        """In types that every engine computes with."""
        fit = pa.schema([field for field in self.stored if _is_fit(field.type)])
        usual = ordinary(pa.Table.from_batches([], fit)).schema
        return pa.schema(
            [usual.field(f.name) if _is_fit(f.type) else pa.field(f.name, pa.binary()) for f in self.stored]
        )

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """As they come."""
        shown = ", ".join(map(identifier, columns))
        with _faults(self.selection):
            reader = self.connection.sql(f"SELECT {shown} FROM {self.origin}").to_arrow_reader(_ROWS)
            for batch in reader:
                yield from ordinary(pa.Table.from_batches([batch])).combine_chunks().to_batches()


def _is_fit(kind: pa.DataType) -> bool:
    return (unfit_list(kind) if is_list(kind) else unfit(kind)) is None


@contextmanager
def _faults(selection: Selection, connection: Any = None) -> Iterator[None]:
    import duckdb

    key = f"input.{'table' if selection.table else 'query'}"
    try:
        yield
    except duckdb.PermissionException:
        raise RecipeError(f"{key}: reaches beyond {selection.where}; only that file is read.") from None
    except duckdb.CatalogException:
        if not selection.table or connection is None:
            raise RecipeError(f"{key}: names something that is not in {selection.where}.") from None
        known = [name for (name,) in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()]
        raise RecipeError(
            f"{key}: there is no table '{selection.table}' in {selection.where}.{did_you_mean(selection.table, known)}"
        ) from None
    except (duckdb.ParserException, duckdb.BinderException, duckdb.InvalidInputException) as error:
        raise RecipeError(
            f"{key}: is not one query that {selection.where} understands ({type(error).__name__}). It may only read."
        ) from None
