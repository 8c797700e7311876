"""assignment: which record shows what, after a recoding that cannot be followed from values to values.

One row for each combination of a raw tuple, the other columns and what is published for it. Columns are named by what they
hold, so that no name of the data can be taken for another: `raw:age`, `shown:age`, `other:illness`, `records`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.engines.local.apply_groups import ASSIGNED
from shoal.engines.local.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Schema


def assignment(con: Connection, schema: Schema, columns: Sequence[str]) -> pa.Table:
    """`columns`: the quasi-identifiers in the order of the recoding that was applied."""
    others = [name for name in schema.published if name not in columns]
    codes = [f"code_{c}" for c in range(len(columns))]
    ranks = [f"rank_{c}" for c in range(len(columns))]
    kept = [f"other_{i}" for i in range(len(others))]
    found = con.table(
        f"SELECT {', '.join([*codes, *ranks, *kept])}, assigned.n AS n FROM {ASSIGNED} "
        f"ORDER BY {', '.join([*ranks, *kept, *codes])}"
    )
    made: dict[str, pa.Array | pa.ChunkedArray] = {}
    for c, name in enumerate(columns):  # few different values, many rows: handed over as dictionaries
        made[f"raw:{name}"] = _looked_up(con, f"SELECT code, raw FROM map_{c}", _numbers(found, codes[c]))
        made[f"shown:{name}"] = _looked_up(con, f"SELECT rank_{c}, label FROM label_{c}", _numbers(found, ranks[c]))
    made |= {f"other:{name}": found.column(kept[i]) for i, name in enumerate(others)}
    return pa.table({**made, "records": found.column("n")})


def _numbers(table: pa.Table, name: str) -> NDArray[np.int64]:
    return np.asarray(table.column(name).to_numpy(), np.int64)


def _looked_up(con: Connection, query: str, wanted: NDArray[np.int64]) -> pa.DictionaryArray:
    """query: number, value. A missing value is a missing entry, and not one of the dictionary."""
    known = con.table(query)
    numbers, values = known.column(0).to_numpy(), known.column(1).combine_chunks()
    present = values.is_valid().to_numpy(zero_copy_only=False)
    place = np.full(int(numbers.max(initial=-1)) + 1, -1, np.int32)
    place[numbers[present]] = np.arange(int(present.sum()), dtype=np.int32)
    index = place[wanted]
    return pa.DictionaryArray.from_arrays(pa.array(index, mask=index < 0), values.drop_null())
