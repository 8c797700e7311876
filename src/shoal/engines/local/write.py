"""write: the recoded rows as a Parquet or CSV file.

The table `release` holds distinct rows with how often each occurs. They are read in order and multiplied out batch by batch,
as indices into small dictionaries, so that ten million rows cost little more than the distinct ones and memory stays bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.engines.local.connection import Connection, quote
from shoal.engines.local.frequency_set import count_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from shoal.data.schema import Schema

_ROWS = 1 << 17  # per batch: the size of a row group of a Parquet file


def write(con: Connection, schema: Schema, draft: Path, *, spreadsheet_safe: bool = False) -> None:
    reader = rows(con, schema)
    if draft.suffix == ".parquet":
        from shoal.io.parquet import write_parquet

        write_parquet(reader, draft)
    else:
        from shoal.io.csv_write import write_csv

        write_csv(reader, draft, spreadsheet_safe=spreadsheet_safe)


def rows(con: Connection, schema: Schema) -> pa.RecordBatchReader:
    """The release row by row, in its final order. Text columns are dictionary-encoded."""
    names = ", ".join(map(quote, schema.published))
    distinct = con.reader(f"SELECT {names}, {quote(count_name(schema.published))} FROM release")
    fields = [
        pa.field(field.name, pa.dictionary(pa.int32(), pa.string()) if pa.types.is_string(field.type) else field.type)
        for field in distinct.schema
    ][:-1]
    made = pa.schema(fields)
    return pa.RecordBatchReader.from_batches(made, _multiplied(distinct, made))


def _multiplied(distinct: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in distinct:
        counts = batch.column(batch.num_columns - 1).to_numpy()
        columns = [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=False)]
        ends = np.cumsum(counts)
        for start in range(0, int(ends[-1]) if len(ends) else 0, _ROWS):
            stop = min(start + _ROWS, int(ends[-1]))
            first, last = np.searchsorted(ends, [start, stop - 1], side="right")
            times = counts[first : last + 1].copy()
            times[0] = min(ends[first], stop) - start
            if last > first:
                times[-1] = stop - ends[last - 1]
            index = pa.array(np.repeat(np.arange(first, last + 1), times))
            yield pa.record_batch([column.take(index) for column in columns], schema=schema)
