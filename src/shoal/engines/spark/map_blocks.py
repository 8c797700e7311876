"""map_blocks: one array kernel per block of records, on the workers.

Records are counted first, so a block holds distinct ones. A task is given whole blocks, each in the order of all its columns: what
a kernel sees does not depend on how Spark cut the data. What kernels return travels as Arrow streams, so that any Arrow type does.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as sql
from pyspark.sql import types

from shoal import errors
from shoal.engines.driver.connection import quote
from shoal.engines.driver.tuples import count_name
from shoal.engines.engine import RECORDS
from shoal.engines.spark.frames import N, to_spark
from shoal.engines.spark.session import workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import SparkSession

    from shoal.data.blocks import BlockOf
    from shoal.engines.driver.connection import Connection
    from shoal.engines.engine import Kernel
    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.jobs import Jobs

    _Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_BLOCK = "block"
_RESULT_IN_SPARK = "problem string, results binary"
_RESULT = pa.schema([("problem", pa.string()), ("results", pa.binary())])
_ROWS_PER_TASK = 50_000
_HANDED_OVER = 4 << 20  # bytes of results that are sent in one piece


def map_blocks(
    jobs: Jobs,
    con: Connection,
    loaded: Loaded,
    columns: Sequence[str],
    block_of: BlockOf,
    kernel: Kernel,
    schema: pa.Schema,
) -> pa.Table:
    """Blocks are numbered and gathered by Spark; each is worked on by one of its Python workers."""
    keys = [loaded.place(name) for name in columns]
    names = [*columns, RECORDS]
    if set(columns) <= set(loaded.grouped):
        here = _combinations(con, loaded, columns).rename_columns([*keys, N])
        counted = to_spark(jobs.session, here, [*map(loaded.kind, columns), None])
        tasks = task_count(jobs.session, here.num_rows)
    else:
        counted = loaded.data.groupBy(*keys).agg(sql.count(sql.lit(1)).alias(N))
        tasks = min(task_count(jobs.session, None), task_count(jobs.session, loaded.records))
    numbered = counted.mapInArrow(_numbering(names, block_of), _with_block(counted.schema))
    ordered = numbered.repartition(tasks, _BLOCK).sortWithinPartitions(
        _BLOCK, *(sql.col(key).asc_nulls_last() for key in keys)
    )
    worked = ordered.mapInArrow(_working(names, kernel, schema), _RESULT_IN_SPARK)
    table = jobs.run("blocks", "working on blocks", worked.toArrow)
    _raise_first(table)
    numbered_schema = schema.append(pa.field(_BLOCK, pa.int64()))
    parts = [pa.ipc.open_stream(results.as_buffer()).read_all() for results in table.column("results")]
    made = pa.concat_tables([numbered_schema.empty_table(), *parts])
    order = np.argsort(made.column(made.num_columns - 1).to_numpy(), kind="stable")
    return made.take(pa.array(order)).remove_column(made.num_columns - 1)


def _combinations(con: Connection, loaded: Loaded, columns: Sequence[str]) -> pa.Table:
    """The distinct records of these columns and their number, from the driver."""
    names, n = ", ".join(map(quote, columns)), quote(count_name(loaded.grouped))
    return con.table(f"SELECT {names}, sum({n})::BIGINT FROM tuples GROUP BY {names}")


def task_count(session: SparkSession, rows: int | None) -> int:
    """Into how many tasks to cut work for kernels. Spark is told a number, or it would put several tasks into one.

    rows: how many there are at most, where that is known.
    """
    if rows is None:
        return int(session.conf.get("spark.sql.shuffle.partitions", "200") or 200)
    return max(4 * workers(session), -(-rows // _ROWS_PER_TASK))


def _with_block(schema: types.StructType) -> types.StructType:
    return types.StructType([*schema.fields, types.StructField(_BLOCK, types.LongType())])


def _numbering(names: Sequence[str], block_of: BlockOf) -> _Task:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            blocks = block_of(pa.RecordBatch.from_arrays(batch.columns, names))
            yield pa.RecordBatch.from_arrays(
                [*batch.columns, pa.array(np.asarray(blocks, np.int64))], [*batch.schema.names, _BLOCK]
            )

    return run


def _working(names: Sequence[str], kernel: Kernel, schema: pa.Schema) -> _Task:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        waiting: list[pa.Table] = []
        try:
            for number, block in _blocks(batches, names):
                result = kernel(block).cast(schema)
                waiting.append(result.append_column(_BLOCK, pa.array(np.full(result.num_rows, number, np.int64))))
                if sum(table.nbytes for table in waiting) > _HANDED_OVER:
                    yield _handed_over(waiting)
                    waiting = []
            if waiting:
                yield _handed_over(waiting)
        except errors.ShoalError as error:  # Spark would bury it in a text of its own
            yield pa.record_batch(
                [pa.array([f"{type(error).__name__}:{error}"]), pa.array([None], pa.binary())], _RESULT
            )

    return run


def _blocks(batches: Iterator[pa.RecordBatch], names: Sequence[str]) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each block, whole. batches: sorted by block, which is their last column."""
    waiting: list[pa.RecordBatch] = []
    number = 0
    for batch in batches:
        blocks = batch.column(batch.num_columns - 1).to_numpy()
        rows = pa.RecordBatch.from_arrays(batch.columns[:-1], names)
        edges = [0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), len(blocks)]
        for start, stop in pairwise(edges):
            if waiting and blocks[start] != number:
                yield number, pa.Table.from_batches(waiting).combine_chunks()
                waiting = []
            number = int(blocks[start])
            waiting.append(rows.slice(start, stop - start))
    if waiting:
        yield number, pa.Table.from_batches(waiting).combine_chunks()


def _handed_over(tables: list[pa.Table]) -> pa.RecordBatch:
    table = pa.concat_tables(tables)
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return pa.record_batch(
        [pa.array([None], pa.string()), pa.array([stream.getvalue().to_pybytes()], pa.binary())], _RESULT
    )


def _raise_first(table: pa.Table) -> None:
    """What a kernel raised, in the words it used; ours name columns and counts, never values."""
    problems = [problem for problem in table.column("problem").to_pylist() if problem is not None]
    if problems:
        kind, _, words = min(problems).partition(":")
        raise getattr(errors, kind, errors.InternalError)(words)
