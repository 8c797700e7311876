"""apply: replace the values of each column through a small table, drop suppressed classes, and put the rest in order.

Equal rows are counted, and only distinct ones are sorted; they are multiplied out again when they are written. Until then the
quasi-identifiers are numbers in the order of the hierarchy: the order is a function of what is published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.engines.engine import Written
from shoal.engines.local.connection import Connection
from shoal.engines.local.mapped import count_mapped, raw_values
from shoal.engines.local.values import Applied, Values
from shoal.errors import InternalError

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.engines.local.records import Records
    from shoal.recoding.levels import LevelRecoding


def apply(
    con: Connection, schema: Schema, recoding: LevelRecoding, grouped: tuple[str, ...], records: Records
) -> tuple[Written, Applied]:
    """Leaves the table `release`: the distinct published rows in their final order, with how often each occurs."""
    maps, shown = {}, []
    for c, name in enumerate(recoding.columns):
        hierarchy, level = recoding.hierarchies[c], recoding.levels[c]
        raw, leaves = raw_values(con, name, hierarchy)
        groups = hierarchy.groups[level][leaves]
        maps[name] = raw, groups
        labels = recoding.labels(c)
        # a column left at level 0 keeps its type
        shown.append(
            Values.of(groups, raw) if level == 0 else Values.of(np.arange(len(labels)), pa.array(labels, pa.string()))
        )
    others = tuple(name for name in schema.published if name not in maps)
    applied = Applied(recoding.columns, others, tuple(shown))
    count_mapped(con, "recoded", "number", maps, others, grouped, records)
    numbers = ", ".join(applied.numbers)
    known = " AND ".join(f"{number} IS NOT NULL" for number in applied.numbers)
    (mapped,) = con.one(f"SELECT coalesce(sum(n) FILTER (WHERE {known}), 0)::BIGINT FROM recoded")
    if mapped != records.number:
        raise InternalError(f"Recoding reached {mapped:,} of {records.number:,} records; nothing was published.")
    con.register("suppressed", pa.table({n: recoding.suppressed[:, c] for c, n in enumerate(applied.numbers)}))
    (suppressed,) = con.one(f"SELECT coalesce(sum(n), 0)::BIGINT FROM recoded SEMI JOIN suppressed USING ({numbers})")
    put_in_order(con, f"recoded ANTI JOIN suppressed USING ({numbers})", applied)
    con.unregister("suppressed")
    return Written(records.number - suppressed, suppressed), applied


def put_in_order(con: Connection, recoded: str, applied: Applied) -> None:
    """The table `release` out of `recoded`, which goes: it is as large."""
    keys = ", ".join([*applied.numbers, *applied.kept])
    con.run(
        f"CREATE TEMP TABLE release AS SELECT {keys}, n FROM {recoded} ORDER BY {keys}", "putting the records in order"
    )
    con.run("DROP TABLE recoded")
