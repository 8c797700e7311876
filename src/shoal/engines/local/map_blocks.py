"""map_blocks: one array kernel per block of records, in worker processes when that is worth it.

Blocks are sorted by all columns first: engines deliver rows in different orders, kernels must not notice. They are read from
DuckDB one by one, which keeps and, if need be, spills the rest.
"""

from __future__ import annotations

import time
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.engines.driver.connection import Connection, quote
from shoal.engines.driver.memory import size_of
from shoal.engines.driver.tuples import count_name
from shoal.engines.engine import RECORDS
from shoal.engines.local.sets import with_texts
from shoal.engines.local.workers import Workers, importable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from shoal.data.blocks import BlockOf
    from shoal.engines.engine import Kernel
    from shoal.engines.local.sets import Sets

_MEMORY = 1 << 30  # of what the recipe allows, for each worker: it takes a third, and its block
_MANY = 50_000  # distinct records, for which processes are started at once …
_PATIENCE = 1.0  # … else after some seconds: starting one with its imports takes that long


def workers(con: Connection, memory: str | None) -> int:
    """As many as the engine has threads, and as memory allows."""
    (threads,) = con.one("SELECT current_setting('threads')::BIGINT")
    return threads if memory is None else max(1, min(threads, size_of(memory) // _MEMORY))


def map_blocks(
    con: Connection,
    grouped: Sequence[str],
    columns: Sequence[str],
    block_of: BlockOf,
    kernel: Kernel,
    schema: pa.Schema,
    workers: int,
    sets: Sequence[Sets] = (),
) -> pa.Table:
    """Blocks are read one after the other, and worked on by other processes where it pays."""
    rows = _count(con, grouped, columns)
    blocks = _number(con, columns, block_of, sets) if rows else 0
    try:
        if not blocks:
            return schema.empty_table()
        pace = con.pace(f"working on {blocks:,} blocks")
        patience = 0.0 if rows >= _MANY else _PATIENCE
        with closing(_read(con, columns, sets)) as given:
            parts = _run(kernel, given, blocks, workers, patience, lambda done: pace.share(done / blocks))
        return pa.concat_tables([part.cast(schema) for part in parts])
    finally:
        con.unregister("block_numbers")
        con.run("DROP TABLE IF EXISTS block_rows")


def _run(
    kernel: Kernel, given: Iterator[pa.Table], blocks: int, workers: int, patience: float, report: Callable[[int], None]
) -> list[pa.Table]:
    """What the kernel makes of each block. Processes are started when it has taken some time here."""
    until = time.monotonic() + patience
    parts: list[pa.Table] = []
    while len(parts) < blocks:
        many = min(workers, blocks - len(parts))
        if many > 1 and time.monotonic() >= until and importable(kernel):
            with Workers(many, kernel) as started:
                return parts + started.run(given, lambda more: report(len(parts) + more))
        parts.append(kernel(next(given)))
        report(len(parts))
    return parts


def _count(con: Connection, grouped: Sequence[str], columns: Sequence[str]) -> int:
    """`block_rows`: the distinct records as c_0, …, with how many there are of each. Returns how many are distinct."""
    enough = set(columns) <= set(grouped)
    counted = f"sum({quote(count_name(grouped))})" if enough else "count(*)"
    names = ", ".join(map(quote, columns))
    named = ", ".join(f"{quote(name)} AS c_{c}" for c, name in enumerate(columns))
    con.run(
        f"CREATE TEMP TABLE block_rows AS SELECT {named}, {counted}::BIGINT AS n FROM {'tuples' if enough else 'data'} "
        f"GROUP BY {names}",
        "counting the records of the blocks",
    )
    return con.one("SELECT count(*) FROM block_rows")[0]


def _number(con: Connection, columns: Sequence[str], block_of: BlockOf, sets: Sequence[Sets]) -> int:
    """`block_numbers`: for each line of `block_rows` the number of its block. Returns how many blocks there are."""
    values = ", ".join(f"c_{c}" for c in range(len(columns)))
    lines, numbers = [], []
    with con.reader(f"SELECT {values}, rowid AS line FROM block_rows") as reader:
        for batch in reader:
            *held, line = batch.columns
            lines.append(line)
            rows = pa.RecordBatch.from_arrays(held, list(columns))
            numbers.append(block_of(with_texts(rows, sets)))
    numbered = pa.table({"line": pa.chunked_array(lines), "block": pa.chunked_array(numbers, pa.int64())})
    con.register("block_numbers", numbered)
    return len(np.unique(numbered.column("block").to_numpy()))


def _read(con: Connection, columns: Sequence[str], sets: Sequence[Sets]) -> Generator[pa.Table]:
    """The blocks in the order of their numbers, each in a total order."""
    values = [f"c_{c}" for c in range(len(columns))]
    ordered = con.reader(
        f"SELECT {', '.join(values)}, n, block FROM block_rows JOIN block_numbers ON block_rows.rowid = line "
        f"ORDER BY block, {', '.join(f'{value} NULLS LAST' for value in values)}"
    )
    waiting: list[pa.RecordBatch] = []  # of the block that may go on in the next batch
    number = 0
    with ordered as reader:
        for batch in reader:
            *held, block = batch.columns
            rows, blocks = pa.RecordBatch.from_arrays(held, [*columns, RECORDS]), block.to_numpy()
            rows = with_texts(rows, sets)
            for start, end in pairwise([0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), len(blocks)]):
                if waiting and blocks[start] != number:
                    yield pa.Table.from_batches(waiting).combine_chunks()
                    waiting = []
                number = int(blocks[start])
                waiting.append(rows.slice(start, end - start))
    yield pa.Table.from_batches(waiting).combine_chunks()
