"""assignment: which record shows what, after a recoding that cannot be followed from values to values.

One row for each combination of a raw tuple, the other columns and what is published for it. Columns are named by what they
hold, so that no name of the data can be taken for another: `raw:age`, `shown:age`, `other:illness`, `records`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.engines.local.apply_groups import ASSIGNED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.engines.local.connection import Connection
    from shoal.engines.local.values import Applied


def assignment(con: Connection, applied: Applied) -> pa.RecordBatchReader:
    """After a recoding by groups. The values of quasi-identifiers are handed over as dictionaries: few values, many rows."""
    codes = [f"code_{c}" for c in range(len(applied.columns))]
    found = con.reader(
        f"SELECT {', '.join([*codes, *applied.numbers, *applied.kept])}, assigned.n AS n FROM {ASSIGNED} "
        f"ORDER BY {', '.join([*applied.numbers, *applied.kept, *codes])}",
        "putting the assignment in order",
    )
    fields = []
    for name, raw, shown in zip(applied.columns, applied.raw, applied.shown, strict=True):
        fields += [(f"raw:{name}", raw.type), (f"shown:{name}", shown.type)]
    for name, kept in zip(applied.others, applied.kept, strict=True):
        fields.append((f"other:{name}", found.schema.field(kept).type))
    schema = pa.schema([*fields, ("records", pa.int64())])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in found:
            made: list[pa.Array] = []
            for code, number, raw, shown in zip(codes, applied.numbers, applied.raw, applied.shown, strict=True):
                made += [raw.at(batch.column(code)), shown.at(batch.column(number))]
            made += [batch.column(name) for name in applied.kept]
            yield pa.record_batch([*made, batch.column("n")], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())
