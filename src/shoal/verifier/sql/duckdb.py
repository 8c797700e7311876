"""Counting in DuckDB: the rows are in this process, and so is what is counted."""

from __future__ import annotations

from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from shoal.verifier.running import Runner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import duckdb

T = TypeVar("T")

_TRUSTING = {
    "statistics_propagation",
    "compressed_materialization",
    "filter_pushdown",
    "join_filter_pushdown",
    "row_group_pruner",
}


@contextmanager
def connection(memory: str | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB of the verifier's own. What does not fit in memory goes to a private folder that is removed at the end."""
    import duckdb

    with TemporaryDirectory(prefix="shoal-verify-") as folder:
        con = duckdb.connect(
            ":memory:",
            config={
                "temp_directory": folder,
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "python_enable_replacements": "false",
                **({} if memory is None else {"memory_limit": memory}),
            },
        )
        try:
            _believe_no_footer(con)
            yield con
        finally:
            con.close()


def _believe_no_footer(con: duckdb.DuckDBPyConnection) -> None:
    """Bounds and numbers of missing values in the footer of a Parquet file are what its maker says they are.

    DuckDB packs groups into as few bits as the bounds allow, and passes over parts of the file that cannot fit a condition. With
    forged bounds 600 people who differ were one class of 600. So everything that looks at them is off.
    """
    known = {name for (name,) in con.execute("SELECT name FROM duckdb_optimizers()").fetchall()}
    con.execute(f"SET disabled_optimizers = {literal(','.join(sorted(known & _TRUSTING)))}")


class DuckDBSql:
    """See `Sql`. Keeping, bringing and sending are one: there is only one place."""

    def __init__(self, con: duckdb.DuckDBPyConnection, runner: Runner | None = None) -> None:
        self.driver = con
        self.runner = runner or Runner()
        if self.runner.is_watched:
            _measure(con)

    @property
    def here(self) -> DuckDBSql:
        return self

    def literal(self, text: str) -> str:
        return literal(text)

    def make(self, name: str, select: str) -> tuple[str, int]:
        ((number,),) = self.rows(f"CREATE TEMP TABLE {name} AS {select}")
        return name, int(number)

    def bring(self, name: str, select: str) -> None:
        self.make(name, select)

    def send(self, name: str) -> str:
        return name

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        return self._run(lambda: self.driver.execute(select).fetchall())

    def lowest(self, select: str, number: int) -> dict[int, tuple[int, ...]]:
        # not a window over all positions: a class may hold most of the rows
        found = self.rows(f"SELECT id, min(pos, {number}) FROM ({select}) AS found GROUP BY id")
        return {name: tuple(positions) for name, positions in found}

    def close(self) -> None:
        self.runner.close()

    def _run(self, work: Callable[[], T]) -> T:
        return self.runner.run(work, self._done, self.driver.interrupt)

    def _done(self) -> float | None:
        percent = self.driver.query_progress()  # below 0 when it cannot tell
        return percent / 100 if percent >= 0 else None


def _measure(con: duckdb.DuckDBPyConnection) -> None:
    """Let DuckDB know how far a statement is, without printing it. In a notebook it wants ipywidgets for that, or refuses."""
    import duckdb

    try:
        con.execute("SET enable_progress_bar_print = false").fetchall()
        con.execute("SET enable_progress_bar = true").fetchall()
    except duckdb.InvalidInputException:
        pass


def literal(text: str) -> str:
    """A text as SQL of DuckDB."""
    return "'" + text.replace("'", "''") + "'"
