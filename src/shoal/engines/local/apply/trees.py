"""apply, when records are trees: each shows its own, one after the other, and nothing is compared.

The release is ordered by what it shows: by the labels of a tree, which are places in public hierarchies, then by the other columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.data.trees import TREE
from shoal.engines.driver.connection import Connection, quote
from shoal.engines.driver.trees import ShownTrees, published_schema
from shoal.engines.engine import Written
from shoal.engines.local.release import Release
from shoal.engines.local.stream import stream
from shoal.engines.local.values import Applied
from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.data.schema import Schema
    from shoal.engines.local.loaded import Loaded
    from shoal.recoding.trees.classes import TreeClassRecoding
    from shoal.recoding.trees.rules import TreeRecoding


def apply(con: Connection, schema: Schema, loaded: Loaded, recoding: TreeRecoding | TreeClassRecoding) -> Release:
    """Leaves `release`: number_0, the shown tree; other_0, …; and n, as for any recoding. Where an assignment has to tell who shows
    what, also `assigned`, with code_0: the tree as it is held."""
    shown, records = ShownTrees(loaded.forest.wording, recoding), loaded.number
    others = schema.scalars

    def recoded(batch: pa.RecordBatch) -> pa.RecordBatch:
        columns = [shown.over(batch.column(0)), *batch.columns[1:]]
        names = ["number_0", *batch.schema.names[1:]]
        if shown.by_classes:
            columns, names = [*columns, batch.column(0)], [*names, "code_0"]
        return pa.RecordBatch.from_arrays(columns, names)

    kept = "".join(f", {quote(name)} AS other_{i}" for i, name in enumerate(others))
    stream(con, f"SELECT {TREE}{kept} FROM data", "assigned", recoded, "blurring the trees", records)
    applied = Applied((TREE,), others, ())
    (reached,) = con.one("SELECT count(*) FROM assigned")
    if reached != records:
        raise InternalError(f"Recoding reached {reached:,} of {records:,} records; nothing was published.")
    keys = ", ".join([*applied.numbers, *applied.kept])
    con.run(
        f"CREATE TEMP TABLE release AS SELECT {keys}, 1::BIGINT AS n FROM assigned ORDER BY {keys}",
        "putting the records in order",
    )
    if not shown.by_classes:
        con.run("DROP TABLE assigned")  # the same once more, and not in order
    return Release(
        Written(records, 0),
        applied,
        lambda: _rows(con, applied, shown),
        (lambda: _assignment(con, applied, shown)) if shown.by_classes else None,
        shown.shape,
    )


def _assignment(con: Connection, applied: Applied, shown: ShownTrees) -> pa.RecordBatchReader:
    """Who shows what: `raw` and `shown`, trees as texts of JSON, `other:…`, `records`."""
    keys = ", ".join([*applied.numbers, *applied.kept, "code_0"])
    reader = con.reader(
        f"SELECT {keys}, count(*)::BIGINT AS n FROM assigned GROUP BY ALL ORDER BY {keys}",
        "putting the assignment in order",
    )
    others = [
        (f"other:{name}", reader.schema.field(kept).type)
        for name, kept in zip(applied.others, applied.kept, strict=True)
    ]
    texts = pa.large_string()
    schema = pa.schema([("raw", texts), ("shown", texts), *others, ("records", pa.int64())])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            texts_of_trees = shown.texts(batch.column("code_0"), batch.column("number_0"))
            kept = [batch.column(name) for name in applied.kept]
            yield pa.RecordBatch.from_arrays([*texts_of_trees, *kept, batch.column("n")], schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _rows(con: Connection, applied: Applied, shown: ShownTrees) -> pa.RecordBatchReader:
    """The release row by row, in its final order."""
    (total,) = con.one("SELECT count(*) FROM release")
    reader = con.reader(f"SELECT {', '.join([*applied.numbers, *applied.kept])} FROM release")
    fields = [
        reader.schema.field(kept).with_name(name) for name, kept in zip(applied.others, applied.kept, strict=True)
    ]
    schema = published_schema(shown.shape, fields)
    pace = con.pace("", total)

    def batches() -> Iterator[pa.RecordBatch]:
        done = 0
        for batch in reader:
            columns = [*batch.columns[1:], *shown.columns(batch.column(0))]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)
            done += batch.num_rows
            pace.rows(done)  # raises when the run is cancelled

    return pa.RecordBatchReader.from_batches(schema, batches())
