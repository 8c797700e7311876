"""map_blocks: one array kernel per block of records that agree in a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.engines.local.connection import Connection, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def map_blocks(
    con: Connection,
    key: Sequence[str],
    kernel: Callable[[pa.Table], pa.Table],
    schema: pa.Schema,
    columns: Sequence[str],
) -> pa.Table:
    """Blocks are sorted by all columns first: engines deliver rows in different orders, kernels must not notice."""
    rest = [name for name in columns if name not in key]
    names = ", ".join(map(quote, [*key, *rest]))
    keys = ", ".join(map(quote, key))
    rows = con.table(f"SELECT {names}, dense_rank() OVER (ORDER BY {keys}) AS block_ FROM data ORDER BY {names}")
    blocks = rows.column("block_").to_numpy()
    rows = rows.drop_columns(["block_"])
    starts = np.flatnonzero(np.diff(blocks, prepend=0))
    ends = np.append(starts[1:], len(blocks))
    parts = [kernel(rows.slice(start, end - start)).cast(schema) for start, end in zip(starts, ends, strict=True)]
    return pa.concat_tables(parts) if parts else schema.empty_table()
