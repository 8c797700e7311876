"""The table `release` row by row.

It holds distinct rows with how often each occurs. They are read in order and multiplied out batch by batch, as indices into small
dictionaries, so that ten million rows cost little more than the distinct ones and memory stays bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.engines.local.values import Values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.data.schema import Schema
    from shoal.engines.driver.connection import Connection
    from shoal.engines.driver.pace import Pace
    from shoal.engines.local.values import Applied

_ROWS = 1 << 17  # per batch: the size of a row group of a Parquet file


def rows(con: Connection, schema: Schema, applied: Applied) -> pa.RecordBatchReader:
    """The release row by row, in its final order. Text columns are dictionary-encoded."""
    (total,) = con.one("SELECT coalesce(sum(n), 0)::BIGINT FROM release")
    distinct = con.reader("SELECT * FROM release")
    kinds = {
        name: values.dictionary.type if isinstance(values, Values) else values.type
        for name, values in zip(applied.columns, applied.shown, strict=True)
    }
    kinds |= {name: distinct.schema.field(kept).type for name, kept in zip(applied.others, applied.kept, strict=True)}
    published = pa.schema([(name, _handed_over(kinds[name])) for name in applied.published(schema)])
    return pa.RecordBatchReader.from_batches(published, _multiplied(distinct, published, applied, con.pace("", total)))


def _handed_over(kind: pa.DataType) -> pa.DataType:
    return pa.dictionary(pa.int32(), pa.string()) if pa.types.is_string(kind) else kind


def _multiplied(
    distinct: pa.RecordBatchReader, schema: pa.Schema, applied: Applied, pace: Pace
) -> Iterator[pa.RecordBatch]:
    written = 0
    for batch in distinct:
        counts = batch.column(batch.num_columns - 1).to_numpy()
        held = dict(zip((*applied.columns, *applied.others), batch.columns, strict=False))
        held |= {name: values.at(held[name]) for name, values in zip(applied.columns, applied.shown, strict=True)}
        columns = [held[field.name].cast(field.type) for field in schema]
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
            written += stop - start
            pace.rows(written)  # raises when the run is cancelled
