"""count: numbers of records by key. Array kernels make partial counts in several threads; the sum is one group-by."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from queue import Empty, SimpleQueue
from threading import Lock, Semaphore
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.engines.driver.connection import Connection, quote
from shoal.engines.engine import RECORDS
from shoal.engines.local.sets import with_texts

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from shoal.engines.engine import Counter
    from shoal.engines.local.sets import Sets

_ROWS = 1 << 20  # of partial counts that a thread hands over at a time
_EVERY = 0.25  # seconds between looks at how far the threads are


def count(
    con: Connection,
    counter: Counter,
    columns: Sequence[str],
    at_least: int | None,
    at_most: int | None,
    threads: int,
    sets: Sequence[Sets] = (),
) -> pa.Table:
    """Threads make partial counts of batches; DuckDB adds them up."""
    schema = counter.keys.append(pa.field(RECORDS, pa.int64()))
    keys, n = ", ".join(map(quote, counter.keys.names)), f"sum({quote(RECORDS)})"
    limits = [f"{n} >= {at_least}"] * (at_least is not None) + [f"{n} <= {at_most}"] * (at_most is not None)
    having = f"HAVING {' AND '.join(limits)}" if limits else ""
    ordered = ", ".join(f"{quote(name)} NULLS LAST" for name in counter.keys.names)
    with con.beside() as other:  # a statement there does not end the reading of the records here
        other.register("handed_over", schema.empty_table())
        other.run("CREATE TEMP TABLE partials AS SELECT * FROM handed_over")  # there may be more than memory holds
        with closing(_partials(con, counter, columns, schema, threads, sets)) as handed_over:
            for partials in handed_over:
                other.register("handed_over", partials)
                other.run("INSERT INTO partials SELECT * FROM handed_over")
                other.unregister("handed_over")
        counted = other.table(
            f"SELECT {keys}, {n}::BIGINT AS {quote(RECORDS)} FROM partials GROUP BY {keys} {having} ORDER BY {ordered}"
        )
    return counted.cast(schema)


def _partials(
    con: Connection,
    counter: Counter,
    columns: Sequence[str],
    schema: pa.Schema,
    threads: int,
    sets: Sequence[Sets],
) -> Generator[pa.Table]:
    """What the threads count. Each has its share of the records, and they all end before this does."""
    (records,) = con.one("SELECT count(*) FROM data")
    pace = con.pace("counting", records)
    handed = _Handed(threads)
    reader = con.reader(f"SELECT {', '.join(map(quote, columns))} FROM data")
    batches = _Batches(reader, sets)
    with (
        reader,
        ThreadPoolExecutor(threads, "shoal-count") as pool,
    ):  # until it is closed DuckDB takes no other statement
        try:
            running = [pool.submit(_run, counter, batches, handed, schema) for _ in range(threads)]
            while handed.ended < threads:
                pace.rows(batches.records)
                partials = handed.take()
                if partials is not None:
                    yield partials
            for thread in running:
                thread.result()
        finally:
            batches.stop()
            handed.stop()


def _run(counter: Counter, batches: _Batches, handed: _Handed, schema: pa.Schema) -> None:
    held: list[pa.RecordBatch] = []
    rows = 0
    try:
        for partial in counter.partials(batches):
            held.append(partial.cast(schema))
            rows += partial.num_rows
            if rows >= _ROWS:
                handed.put(pa.Table.from_batches(held))
                held, rows = [], 0
        if held:
            handed.put(pa.Table.from_batches(held))
    except BaseException:
        batches.stop()  # for the other threads as well
        raise
    finally:
        handed.put_end()


class _Batches:
    """Batches of a reader for several threads: each goes to the one that asks next."""

    def __init__(self, reader: pa.RecordBatchReader, sets: Sequence[Sets] = ()) -> None:
        self._reader, self._sets = reader, sets
        self._lock = Lock()
        self._stopped = False
        self.records = 0  # handed out so far

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        with self._lock:
            if self._stopped:
                raise StopIteration
            batch = self._reader.read_next_batch()
            self.records += batch.num_rows
        return with_texts(batch, self._sets)

    def stop(self) -> None:
        self._stopped = True


class _Handed:
    """Partial counts on their way from the threads to the database. Threads wait when it does not keep up."""

    def __init__(self, most: int) -> None:
        self._tables: SimpleQueue[pa.Table | None] = SimpleQueue()  # None: a thread has ended
        self._room = Semaphore(most)
        self._stopped = False
        self.ended = 0  # threads

    def put(self, table: pa.Table) -> None:
        while not self._room.acquire(timeout=_EVERY):
            if self._stopped:
                return
        self._tables.put(table)

    def put_end(self) -> None:
        self._tables.put(None)

    def take(self) -> pa.Table | None:
        """None when there is nothing for a moment."""
        try:
            table = self._tables.get(timeout=_EVERY)
        except Empty:
            return None
        if table is None:
            self.ended += 1
        else:
            self._room.release()
        return table

    def stop(self) -> None:
        self._stopped = True
