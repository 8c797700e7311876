"""map_blocks: one array kernel per block of records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.engines.engine import RECORDS
from shoal.engines.local.connection import Connection, quote
from shoal.engines.local.frequency_set import count_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.engines.engine import BlockOf, Kernel


def map_blocks(
    con: Connection,
    grouped: Sequence[str],
    columns: Sequence[str],
    block_of: BlockOf,
    kernel: Kernel,
    schema: pa.Schema,
) -> pa.Table:
    """Blocks are sorted by all columns first: engines deliver rows in different orders, kernels must not notice."""
    names = ", ".join(map(quote, columns))
    counted, source = (
        (f"sum({quote(count_name(grouped))})", "tuples") if set(columns) <= set(grouped) else ("count(*)", "data")
    )
    ordered = ", ".join(f"{quote(name)} NULLS LAST" for name in columns)
    rows = con.table(
        f"SELECT {names}, {counted}::BIGINT AS {quote(RECORDS)} FROM {source} GROUP BY {names} ORDER BY {ordered}"
    ).combine_chunks()
    if not rows.num_rows:
        return schema.empty_table()
    blocks = np.concatenate([np.asarray(block_of(batch), np.int64) for batch in rows.to_batches()])
    order = np.argsort(blocks, kind="stable")
    edges = np.flatnonzero(np.diff(blocks[order])) + 1
    parts = [kernel(rows.take(pa.array(part))).cast(schema) for part in np.split(order, edges)]
    return pa.concat_tables(parts)
