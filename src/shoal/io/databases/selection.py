"""Which rows of a database are meant: those of one table, or of one query."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shoal.io.databases.urls import database_of, file_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa


@dataclass(frozen=True)
class Selection:
    """A table or a query, and the database it is of."""

    url: str
    table: str = ""
    query: str = ""
    folder: Path = Path()  # that the address of a file starts from

    def __post_init__(self) -> None:
        if bool(self.table) == bool(self.query):
            raise ValueError("A Selection has either a `table` or a `query`.")

    @property
    def where(self) -> str:
        """How messages call the database."""
        return f"the database {database_of(self.url)}"

    @property
    def what(self) -> str:
        """How messages call the rows."""
        return f"the table {self.table}" if self.table else "the query"

    @property
    def file(self) -> Path | None:
        """Of a database that is a file."""
        return file_of(self.url, self.folder)

    def origin(self, table: str) -> str:
        """What stands after FROM. table: its name as SQL. A comment at the end of the query must not swallow what follows."""
        return table if self.table else f"(\n{self.query.strip().removesuffix(';')}\n) AS shoal_rows"


class Rows(Protocol):
    """Rows within an open database."""

    @property
    def schema(self) -> pa.Schema:
        """Every column; those whose values cannot be read are binary."""
        ...

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Some of the columns, in this order; the order of rows is nobody's promise."""
        ...
