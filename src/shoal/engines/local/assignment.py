"""assignment: which record shows what, after a recoding that cannot be followed from values to values.

One row for each combination of a raw tuple, the other columns and what is published for it. Columns are named by what they
hold, so that no name of the data can be taken for another: `raw:age`, `shown:age`, `other:illness`, `records`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.engines.driver.connection import Connection
    from shoal.engines.local.values import Applied


def tuples_assigned(con: Connection, applied: Applied, origin: str) -> pa.RecordBatchReader:
    """Where `assigned` holds a row for each distinct record and part. origin: that, joined with what it holds and shows.

    The values of quasi-identifiers are handed over as dictionaries: few values, many rows.
    """
    codes = [f"code_{c}" for c in range(len(applied.columns))]
    reader = con.reader(
        f"SELECT {', '.join([*codes, *applied.numbers, *applied.kept])}, assigned.n AS n FROM {origin} "
        f"ORDER BY {', '.join([*applied.numbers, *applied.kept, *codes])}",
        "putting the assignment in order",
    )
    fields = []
    for name, raw, shown in zip(applied.columns, applied.raw, applied.shown, strict=True):
        fields += [(f"raw:{name}", raw.type), (f"shown:{name}", shown.type)]
    for name, kept in zip(applied.others, applied.kept, strict=True):
        fields.append((f"other:{name}", reader.schema.field(kept).type))
    schema = pa.schema([*fields, ("records", pa.int64())])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            cells: list[pa.Array] = []
            for code, number, raw, shown in zip(codes, applied.numbers, applied.raw, applied.shown, strict=True):
                cells += [raw.at(batch.column(code)), shown.at(batch.column(number))]
            cells += [batch.column(name) for name in applied.kept]
            yield pa.record_batch([*cells, batch.column("n")], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def records_assigned(con: Connection, applied: Applied) -> pa.RecordBatchReader:
    """Where `assigned` holds a row for each record, with what it holds and shows."""
    codes = [f"code_{c}" for c in range(len(applied.columns))]
    keys = ", ".join([*applied.numbers, *applied.kept, *codes])
    reader = con.reader(
        f"SELECT {keys}, count(*)::BIGINT AS n FROM assigned GROUP BY ALL ORDER BY {keys}",
        "putting the assignment in order",
    )
    sides = [
        (f"{side}:{name}", values[c], f"{what}_{c}")
        for c, name in enumerate(applied.columns)
        for side, values, what in (("raw", applied.raw, "code"), ("shown", applied.shown, "number"))
    ]
    others = [
        (f"other:{other}", reader.schema.field(kept).type)
        for other, kept in zip(applied.others, applied.kept, strict=True)
    ]
    schema = pa.schema([*((name, values.type) for name, values, _ in sides), *others, ("records", pa.int64())])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            cells = [values.at(batch.column(held)) for _, values, held in sides]
            cells += [batch.column(kept) for kept in applied.kept]
            yield pa.record_batch([*cells, batch.column("n")], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())
