"""A DuckDB connection that stays inside this process and this machine, tells how far it is, and can be stopped."""

from __future__ import annotations

import shutil
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb
import pyarrow as pa

from shoal.engines.driver.memory import size_of
from shoal.engines.driver.pace import Pace
from shoal.errors import DataError
from shoal.io.footers.belief import believe_no_footer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from shoal.engines.engine import Listener

T = TypeVar("T")

_BATCH = 1 << 17  # rows
_PATIENCE = 0.5  # seconds before a statement is worth a report
_EVERY = 0.25  # seconds between reports
_AGAIN = 0.05  # seconds until a statement that did not stop is told again: it may only just have begun


UNREADABLE = "The data could not be read to the end: it is damaged, or it changed while it was read."


def is_of_the_data(error: BaseException) -> bool:
    """Whether DuckDB stumbled over what it read. What it says of that is dropped: it may quote cells.

    It has no name of its own for much that a damaged Parquet file holds: then the error is of no narrower class. Statements that it
    does not understand are our bugs, and a full disk is no fault of the data.
    """
    named = (
        duckdb.InvalidInputException,
        duckdb.ConversionException,
        duckdb.OutOfRangeException,
        duckdb.SerializationException,
        duckdb.NotImplementedException,
    )
    return isinstance(error, named) or type(error) is duckdb.Error or isinstance(error, pa.ArrowInvalid)


class Connection:
    """Runs statements to their end, and keeps spilled data in a private folder that goes when the connection does.

    Statements run in a thread of their own, and the caller's waits: DuckDB 2.0 would hold Ctrl-C back until a statement ends. While
    it waits, the caller's thread tells the listener how far the statement is; when anything is raised there, the statement is
    stopped first. `resting` is the memory limit between statements far apart, see `rest`.
    """

    def __init__(
        self,
        memory: str | None = None,
        threads: int | None = None,
        spill: Path | None = None,
        *,
        resting: str | None = None,
        listener: Listener | None = None,
    ) -> None:
        self._spill = _private_folder(spill)
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": self._spill,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "preserve_insertion_order": "true",
        }
        if memory is not None:
            config["memory_limit"] = memory
        if threads is not None:
            config["threads"] = str(threads)
        self._duckdb = duckdb.connect(config=config)
        believe_no_footer(self._duckdb)
        self._limits = (memory, resting)
        self._rests = False
        self._kept: dict[str, Any] = {}
        self.seed: int | None = None  # what is dealt out follows from it; None: from the operating system's generator
        self._listener = listener
        self._stage = ""
        self._running: Future[Any] | None = None
        self._worker = ThreadPoolExecutor(1, "shoal-duckdb")
        if listener is not None:
            self._measure()

    # ---- statements ---------------------------------------------------------------------------------------------------

    def run(self, sql: str, doing: str = "", rows: int | None = None, reading: float = 1.0) -> None:
        """doing: what a report says of it. rows: how many it reads, in the first `reading` of what DuckDB calls its progress."""
        self._wait(lambda: self._duckdb.execute(sql).fetchall(), doing, rows, reading)

    def one(self, sql: str) -> tuple[int, ...]:
        rows = self._wait(lambda: self._duckdb.execute(sql).fetchall())
        return tuple(rows[0])

    def table(self, sql: str, doing: str = "") -> pa.Table:
        return self._wait(lambda: self._duckdb.sql(sql).to_arrow_table(), doing)

    def reader(self, sql: str, doing: str = "") -> pa.RecordBatchReader:
        """Delivers when the statement is as far as it can be without handing rows over; until then it is reported."""
        return self._wait(lambda: self._reader(sql), doing)

    def _reader(self, sql: str) -> pa.RecordBatchReader:
        relation = self._duckdb.sql(sql)
        if hasattr(relation, "to_arrow_reader"):
            return relation.to_arrow_reader(_BATCH)
        return relation.fetch_record_batch(_BATCH)  # DuckDB 1.x

    def once(self, what: str, make: Callable[[], T]) -> T:
        """What `make` returns; made once, and kept as long as the connection."""
        if what not in self._kept:
            self._kept[what] = make()
        value: T = self._kept[what]
        return value

    def register(self, name: str, table: pa.Table) -> None:
        self._duckdb.register(name, table)

    def unregister(self, name: str) -> None:
        self._duckdb.unregister(name)

    @contextmanager
    def beside(self) -> Iterator[Connection]:
        """A second session of the same database, with temporary tables of its own. What a reader of this one reads goes on."""
        other = copy(self)
        other._duckdb = self._duckdb.cursor()
        try:
            yield other
        finally:
            other._duckdb.close()

    # ---- progress -----------------------------------------------------------------------------------------------------

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """What is run inside is reported as work of this stage."""
        before, self._stage = self._stage, name
        try:
            yield
        finally:
            self._stage = before

    def pace(self, doing: str, rows: int | None = None) -> Pace:
        """For work on what a reader delivers: the caller reports it."""
        return Pace(self._listener or (lambda _: None), self._stage, doing, rows)

    def _wait(self, work: Callable[[], T], doing: str = "", rows: int | None = None, reading: float = 1.0) -> T:
        self._wake()
        pace = self.pace(doing, rows)
        self._running = running = self._worker.submit(work)
        try:
            if wait([running], _PATIENCE).not_done:
                self._tell(running, pace, reading)
            return running.result()
        except duckdb.OutOfMemoryException:
            raise DataError(
                "The data needs more memory than there is, or than `[engine] memory` allows, although all that can be is kept on "
                "disk. Allow more, or fewer `[engine] threads`: each needs some of its own."
            ) from None
        except BaseException as error:
            self._stop(running)
            if is_of_the_data(error):
                raise DataError(UNREADABLE) from None
            raise

    def _measure(self) -> None:
        """Let DuckDB know how far a statement is, without printing it.

        In a notebook it wants ipywidgets for that, to draw a bar that nobody asked for. Without them it goes unmeasured.
        """
        with suppress(duckdb.InvalidInputException):
            self._duckdb.execute("SET enable_progress_bar_print = false").fetchall()
            self._duckdb.execute("SET enable_progress_bar = true").fetchall()

    def _tell(self, running: Future[T], pace: Pace, reading: float) -> None:
        done = None
        while wait([running], _EVERY).not_done:  # never without end: Ctrl-C wakes only what looks up by itself
            if self._listener is not None:
                percent = self._duckdb.query_progress()
                if percent >= 0:  # it is -1 before the statement begins, and again when it has ended
                    done = percent / 100 / reading
                pace.share(done)

    def _stop(self, running: Future[T]) -> None:
        while not running.done():
            self._duckdb.interrupt()
            wait([running], _AGAIN)

    # ---- memory -------------------------------------------------------------------------------------------------------

    def rest(self) -> None:
        """Give memory back while others work: tables go to the private folder. The next statement takes it again.

        DuckDB refuses a limit below what it cannot put away at this moment. Then it keeps more, and the run goes on.
        """
        working, resting = self._limits
        if working is None or resting is None or self._rests:
            return
        limit, most = _bytes(resting), _bytes(working)
        while limit < most and not self._rests:
            with self.stage("write"), suppress(DataError):
                self.run(f"SET memory_limit = {text(f'{limit}B')}", "making room for the verifier")
                self._rests = True
            limit *= 2

    def _wake(self) -> None:
        if self._rests:
            self._rests = False
            self.run(f"SET memory_limit = {text(self._limits[0] or '')}")

    def close(self) -> None:
        if self._running is not None:  # after a second Ctrl-C it may still
            self._stop(self._running)
        self._worker.shutdown()
        self._duckdb.close()
        shutil.rmtree(self._spill, ignore_errors=True)


def _private_folder(parent: Path | None) -> str:
    folder = tempfile.mkdtemp(prefix="shoal-", dir=parent)  # mode 0700
    try:
        folder.encode()
    except UnicodeEncodeError:
        shutil.rmtree(folder)
        raise DataError(
            "The folder of the output, or one above it, has a name that is no UTF-8, and DuckDB cannot write there. Rename it; or "
            "set LC_ALL=C.UTF-8, if the name is right and only this terminal reads it otherwise."
        ) from None
    return folder


def _bytes(limit: str) -> int:
    """Of a limit as a recipe has it, or in bytes: 4GB, 4000000000B."""
    return int(limit[:-1]) if limit[:-1].isdigit() else size_of(limit)


def quote(name: str) -> str:
    """An identifier in SQL, whatever it contains."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A string in SQL."""
    return "'" + value.replace("'", "''") + "'"
