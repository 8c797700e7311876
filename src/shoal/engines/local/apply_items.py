"""apply, when items are shown as labels of their hierarchy: every record's list goes through a small table, one after the other.

No two records need to be compared for it. The release is ordered by what it shows: by the labels of a record as sorted texts, then
by the other columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.itemsets import ItemSets
from shoal.engines.engine import Written
from shoal.engines.local.connection import Connection, quote
from shoal.engines.local.sets import Sets, numbers_of, sets_of, stream
from shoal.engines.local.values import Applied, SetValues
from shoal.errors import InternalError
from shoal.recoding.items import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.recoding.items import ItemRecoding


def apply(con: Connection, schema: Schema, recoding: ItemRecoding, sets: Sets, records: int) -> tuple[Written, Applied]:
    """Leaves `assigned`: what each record holds and shows; and `release`, as for any recoding."""
    others = tuple(name for name in schema.published if name != sets.column)
    labels, shown = _table(recoding, sets)
    part_of = recoding.part_of

    def recoded(batch: pa.RecordBatch) -> pa.RecordBatch:
        held = sets_of(batch.column("code_0"), sets.items)
        parts = np.zeros(len(held), np.int64)
        if part_of is not None:
            lists = pa.RecordBatch.from_arrays([batch.column("code_0")], [sets.column])
            parts = part_of(sets.with_texts(lists)).to_numpy(zero_copy_only=False)
            if len(parts) and (parts.min() < 0 or parts.max() >= recoding.parts):
                raise InternalError("A record belongs to a part that the recoding of items does not have.")
        made = numbers_of(_shown(held, parts, shown, labels))
        names = ["code_0", "number_0", *batch.schema.names[1:]]
        return pa.RecordBatch.from_arrays([batch.column("code_0"), made, *batch.columns[1:]], names)

    kept = ", ".join(f"{quote(name)} AS other_{i}" for i, name in enumerate(others))
    select = f"SELECT {quote(sets.column)} AS code_0{kept and ', ' + kept} FROM data"
    stream(con, select, "assigned", recoded, "blurring the items", records)
    applied = Applied((sets.column,), others, (SetValues(labels),), (SetValues(sets.items),))
    (reached,) = con.one("SELECT count(*) FROM assigned")
    if reached != records:
        raise InternalError(f"Recoding reached {reached:,} of {records:,} records; nothing was published.")
    keys = ", ".join([*applied.numbers, *applied.kept])
    con.run(
        f"CREATE TEMP TABLE release AS SELECT {keys}, 1::BIGINT AS n FROM assigned ORDER BY {keys}",
        "putting the records in order",
    )
    return Written(records, 0), applied


def assignment(con: Connection, applied: Applied) -> pa.RecordBatchReader:
    """Who shows what: `raw:NAME` and `shown:NAME` of each column, `other:…`, `records`."""
    codes = [f"code_{c}" for c in range(len(applied.columns))]
    keys = ", ".join([*applied.numbers, *applied.kept, *codes])
    found = con.reader(
        f"SELECT {keys}, count(*)::BIGINT AS n FROM assigned GROUP BY ALL ORDER BY {keys}",
        "putting the assignment in order",
    )
    sides = [
        (f"{side}:{name}", values[c], f"{what}_{c}")
        for c, name in enumerate(applied.columns)
        for side, values, what in (("raw", applied.raw, "code"), ("shown", applied.shown, "number"))
    ]
    others = [
        (f"other:{other}", found.schema.field(kept).type)
        for other, kept in zip(applied.others, applied.kept, strict=True)
    ]
    schema = pa.schema([*((name, values.type) for name, values, _ in sides), *others, ("records", pa.int64())])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in found:
            made = [values.at(batch.column(held)) for _, values, held in sides]
            made += [batch.column(kept) for kept in applied.kept]
            yield pa.record_batch([*made, batch.column("n")], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _table(recoding: ItemRecoding, sets: Sets) -> tuple[pa.Array, NDArray[np.int32]]:
    """The labels that may be shown, sorted as texts; and (parts, items) the place of each item's label there, or LEFT_OUT."""
    recoding.refuse_strangers(sets.items.to_pylist())
    leaves = [recoding.hierarchy.code(item) for item in sets.items.to_pylist()]
    nodes = recoding.nodes[:, np.array(leaves, np.int64)]
    used = np.unique(nodes[nodes != LEFT_OUT])
    order = sorted(used.tolist(), key=lambda node: recoding.hierarchy.labels[node] or "")
    place = np.full(len(recoding.hierarchy.labels) + 1, LEFT_OUT, np.int32)  # the last is that of LEFT_OUT
    place[order] = np.arange(len(order), dtype=np.int32)
    return pa.array([recoding.hierarchy.labels[node] for node in order], pa.string()), place[nodes]


def _shown(held: ItemSets, parts: NDArray[np.int64], shown: NDArray[np.int32], labels: pa.Array) -> ItemSets:
    rows = held.rows
    numbers = shown[parts[rows], held.items]
    kept = numbers != LEFT_OUT
    return ItemSets.of_pairs(rows[kept], numbers[kept], len(held), labels)
