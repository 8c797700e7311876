"""Where the rows are counted: the SQL of DuckDB or of Spark. What is counted goes to a DuckDB of the verifier's own.

Rows stay where they are. Group-bys over them run in the engine that holds them; their results, as many rows as there are different
combinations, are brought to the driver's DuckDB, and everything after that is one code. Statements that may run in either engine
are written in what both understand: GROUP BY ALL, IS NOT DISTINCT FROM, CAST AS STRING and BIGINT, FILTER, grouping sets, explicit
NULLS LAST; no rowid, no QUALIFY, no unnest, no names of columns from outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import duckdb

    from shoal.verifier.running import Runner


class Sql(Protocol):
    """One engine, for the time of one verification."""

    @property
    def driver(self) -> duckdb.DuckDBPyConnection:
        """The verifier's own DuckDB, in this process."""
        ...

    @property
    def runner(self) -> Runner: ...

    @property
    def here(self) -> Sql:
        """The SQL of the driver's DuckDB."""
        ...

    def literal(self, text: str) -> str:
        """A text as SQL of the engine."""
        ...

    def make(self, name: str, select: str) -> tuple[str, int]:
        """Keep a result in the engine; returns what stands after FROM there, and how many rows it has."""
        ...

    def bring(self, name: str, select: str) -> None:
        """Put a result of the engine into the driver's DuckDB, as the table `name`."""
        ...

    def send(self, name: str) -> str:
        """Make a table of the driver's DuckDB readable in the engine; returns what stands after FROM there."""
        ...

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        """A few rows."""
        ...

    def lowest(self, select: str, number: int) -> dict[int, tuple[int, ...]]:
        """Of a select of (id, pos): by id, the lowest positions in ascending order, so many at most."""
        ...

    def close(self) -> None: ...
