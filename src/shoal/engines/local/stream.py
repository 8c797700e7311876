"""Batches on their way from one table to another, through array code: they never lie in memory all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shoal.engines.driver.connection import Connection


def stream(
    con: Connection,
    select: str,
    table: str,
    change: Callable[[pa.RecordBatch], pa.RecordBatch],
    doing: str,
    records: int,
) -> None:
    """Make a table out of what a statement delivers, each batch changed."""
    pace, done, begun = con.pace(doing, records), 0, False
    with con.beside() as other, con.reader(select) as reader:  # a table that is not temporary is seen by both
        for batch in _at_least_one(reader):
            other.register("batch", pa.Table.from_batches([change(batch)]))
            other.run(f"{f'INSERT INTO {table}' if begun else f'CREATE TABLE {table} AS'} SELECT * FROM batch")
            other.unregister("batch")
            begun, done = True, done + batch.num_rows
            pace.rows(done)  # raises when the run is cancelled


def _at_least_one(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """The batches, and an empty one where there are none: a table needs columns."""
    none = True
    for batch in reader:
        none = False
        yield batch
    if none:
        yield pa.RecordBatch.from_arrays([pa.array([], field.type) for field in reader.schema], schema=reader.schema)
