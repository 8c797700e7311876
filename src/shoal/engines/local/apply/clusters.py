"""apply, when every class shows single values of its own, and its items in its own way: records go through small tables.

The release is ordered by what it shows: single values by the first raw value each stands for, then by how many; items as sorted
texts; then by the other columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.engines.driver.clusters import MixedShow, shown_values
from shoal.engines.driver.connection import Connection, quote
from shoal.engines.driver.tuples import raw_values
from shoal.engines.engine import Written
from shoal.engines.local.assignment import records_assigned
from shoal.engines.local.release import Release
from shoal.engines.local.rows import rows
from shoal.engines.local.sets import numbers_of, with_texts
from shoal.engines.local.stream import stream
from shoal.engines.local.values import Applied, SetValues, Values
from shoal.errors import InternalError

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.engines.local.loaded import Loaded
    from shoal.recoding.mixed.clusters import MixedRecoding


def apply(con: Connection, schema: Schema, loaded: Loaded, recoding: MixedRecoding) -> Release:
    """Leaves `assigned`: what each record holds and shows; and `release`, as for any recoding."""
    sets, records = loaded.sets, loaded.number
    values = recoding.groups.columns
    if [one.column for one in sets] != list(recoding.columns):
        raise InternalError("A recoding of sets speaks of other columns than hold sets.")
    raw = {n: raw_values(con, n, h) for n, h in zip(values, recoding.groups.hierarchies, strict=True)}
    show = MixedShow.of(recoding, schema, raw)
    columns = (*values, *recoding.columns)
    others = tuple(name for name in schema.published if name not in columns)
    applied = Applied(
        columns,
        others,
        (
            *(Values.of(*one) for one in shown_values(recoding, raw)),
            *(SetValues(one.labels) for one in show.sets),
        ),
        (*(Values.of(codes, held) for held, codes in raw.values()), *(SetValues(one.items) for one in sets)),
        alone=len(values),
    )
    names = [*(f"code_{c}" for c in range(len(columns))), *applied.numbers, *applied.kept]
    met = np.zeros(len(recoding.groups.recoded.values), np.int64)

    def recoded(batch: pa.RecordBatch) -> pa.RecordBatch:
        held = with_texts(pa.RecordBatch.from_arrays(batch.columns[: len(columns)], columns), sets)
        leaves = show.leaves(held)
        classes = show.classes(leaves)
        met[:] += np.bincount(classes, minlength=len(met))
        cells = [pa.array(leaves[:, c]) for c in range(len(values))]
        cells += batch.columns[len(values) : len(columns)]
        cells += [pa.array(show.values[classes, c]) for c in range(len(values))]
        cells += [numbers_of(one) for one in show.shown_items(held, classes)]
        return pa.RecordBatch.from_arrays([*cells, *batch.columns[len(columns) :]], names)

    picked = ", ".join(f"{quote(name)} AS c{place}" for place, name in enumerate((*columns, *others)))
    stream(con, f"SELECT {picked} FROM data", "assigned", recoded, "blurring the records", records)
    if not np.array_equal(met, recoding.groups.recoded.class_sizes) or int(met.sum()) != records:
        raise InternalError(f"Recoding reached {int(met.sum()):,} of {records:,} records; nothing was published.")
    keys = ", ".join([*applied.numbers, *applied.kept])
    con.run(
        f"CREATE TEMP TABLE release AS SELECT {keys}, 1::BIGINT AS n FROM assigned ORDER BY {keys}",
        "putting the records in order",
    )
    return Release(
        Written(records, 0), applied, lambda: rows(con, schema, applied), lambda: records_assigned(con, applied)
    )
