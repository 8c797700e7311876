"""Thousands of small audits one after the other: what costs most of such an audit is not what is judged, and is saved here.

Of an audit of a release of ten records nine tenths of the time go to DuckDB's parser and planner, and to the thread in which each
statement runs so that Ctrl-C is heard. Here a statement is parsed once for all cases, and runs in the thread of its caller. What is
asked of DuckDB, and what the verifier makes of the answers, stays as it is.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from shoal.verifier.running import Runner
from shoal.verifier.sql.duckdb import connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import duckdb

_STATEMENTS = 20_000  # parsed ones that are remembered


class Parsed:
    """A connection that remembers parsed statements; what it does not know it leaves to DuckDB's."""

    def __init__(self, con: duckdb.DuckDBPyConnection, known: dict[str, Any]) -> None:
        self._con, self._known = con, known

    def execute(self, text: str, *more: Any) -> duckdb.DuckDBPyConnection:
        statement = self._known.get(text)
        if statement is None:
            found = self._con.extract_statements(text)
            if len(found) != 1:
                return self._con.execute(text, *more)
            if len(self._known) >= _STATEMENTS:
                self._known.clear()
            statement = self._known[text] = found[0]
        return self._con.execute(statement, *more)

    def cursor(self) -> Parsed:
        return Parsed(self._con.cursor(), self._known)

    def __enter__(self) -> Parsed:
        return self

    def __exit__(self, *_: object) -> None:
        self._con.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._con, name)


@contextmanager
def many_audits() -> Iterator[Any]:
    """A database of one thread for audits, each in a cursor of its own."""

    def here(_: Runner, work: Callable[[], Any], *__: Any) -> Any:
        return work()

    usual = Runner.run
    Runner.run = here  # type: ignore[method-assign, assignment]
    try:
        with connection() as con:
            con.execute("SET threads = 1")
            yield Parsed(con, {})
    finally:
        Runner.run = usual  # type: ignore[method-assign]
