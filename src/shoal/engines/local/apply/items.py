"""apply, when items are shown as labels of their hierarchy: every record's list goes through a small table, one after the other.

No two records need to be compared for it. The release is ordered by what it shows: by the labels of a record as sorted texts, then
by the other columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.itemsets import ItemSets
from shoal.engines.driver.connection import Connection, quote
from shoal.engines.engine import Written
from shoal.engines.local.assignment import records_assigned
from shoal.engines.local.release import Release
from shoal.engines.local.rows import rows
from shoal.engines.local.sets import Sets, numbers_of, sets_of
from shoal.engines.local.stream import stream
from shoal.engines.local.values import Applied, SetValues
from shoal.errors import InternalError
from shoal.recoding.sets.items import LEFT_OUT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.engines.local.loaded import Loaded
    from shoal.recoding.sets.items import ItemRecoding


_LOOKED_AT = 1 << 19  # records, to see whether counting them would make them fewer


def apply(con: Connection, schema: Schema, loaded: Loaded, recoding: ItemRecoding) -> Release:
    """Leaves `assigned`: what each record holds and shows; and `release`, as for any recoding."""
    sets, records = loaded.one_set(recoding.column), loaded.number
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
        numbers = numbers_of(_shown(held, parts, shown, labels))
        names = ["code_0", "number_0", *batch.schema.names[1:]]
        return pa.RecordBatch.from_arrays([batch.column("code_0"), numbers, *batch.columns[1:]], names)

    kept = ", ".join(f"{quote(name)} AS other_{i}" for i, name in enumerate(others))
    select = f"SELECT {quote(sets.column)} AS code_0{kept and ', ' + kept} FROM data"
    stream(con, select, "assigned", recoded, "blurring the items", records)
    applied = Applied((sets.column,), others, (SetValues(labels),), (SetValues(sets.items),))
    (reached,) = con.one("SELECT count(*) FROM assigned")
    if reached != records:
        raise InternalError(f"Recoding reached {reached:,} of {records:,} records; nothing was published.")
    keys = ", ".join([*applied.numbers, *applied.kept])
    few = not others and _many_are_equal(con, keys)
    n, by = ("count(*)::BIGINT", f"GROUP BY {keys}") if few else ("1::BIGINT", "")
    con.run(
        f"CREATE TEMP TABLE release AS SELECT {keys}, {n} AS n FROM assigned {by} ORDER BY {keys}",
        "putting the records in order",
    )
    return Release(
        Written(records, 0), applied, lambda: rows(con, schema, applied), lambda: records_assigned(con, applied)
    )


def _many_are_equal(con: Connection, keys: str) -> bool:
    """Whether to count equal records before they are sorted, by the first of them. Nothing but the time depends on it."""
    different, looked_at = con.one(
        f"SELECT count(DISTINCT h), count(*) FROM (SELECT hash({keys}) AS h FROM assigned LIMIT {_LOOKED_AT})"
    )
    return 2 * different < looked_at


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
    record = held.rows
    numbers = shown[parts[record], held.items]
    kept = numbers != LEFT_OUT
    return ItemSets.of_pairs(record[kept], numbers[kept], len(held), labels)
