"""The first records of a table, read as an engine reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.data.text import texts

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.io.source import Source


def head_of(source: Source, schema: Schema, records: int) -> pa.Table:
    """Of the published columns, with codes of missing values as none; rows without any value are no records. On a cluster: none."""
    names = list(schema.published)
    if source.table is not None:
        few = source.table.select(names).slice(0, 4 * records)
    elif source.files:
        with pq.ParquetFile(source.files[0]) as file:
            batches = file.iter_batches(batch_size=4 * records, columns=names)
            few = (
                pa.Table.from_batches([next(iter(batches))])
                if file.metadata.num_rows
                else pa.table({n: [] for n in names})
            )
    else:
        return pa.table({name: pa.array([], pa.string()) for name in names})
    shown = {}
    for name in names:
        none = {*schema.codes(name), *source.missing}
        shown[name] = [None if value in none else value for value in texts(few.column(name))]
    table = pa.table({name: pa.array(values, pa.string()) for name, values in shown.items()})
    held = [any(row) for row in zip(*([v is not None for v in values] for values in shown.values()), strict=True)]
    return table.filter(pa.array(held, pa.bool_())).slice(0, records) if held else table
