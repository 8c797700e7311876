"""apply: replace the values of each column through a small table, drop suppressed classes, and put the rest in order.

Rows are not mapped one by one: equal rows are counted first, and only distinct ones are mapped, sorted and multiplied out
again when they are written. The order (by published values, in hierarchy order) is a function of what is published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.text import texts
from shoal.engines.engine import Written
from shoal.engines.local.connection import Connection, quote
from shoal.engines.local.frequency_set import count_name
from shoal.errors import InternalError

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.recoding.levels import LevelRecoding


def apply(con: Connection, schema: Schema, recoding: LevelRecoding, grouped: tuple[str, ...], records: int) -> Written:
    """Leaves the table `release`: the distinct published rows in their final order, with how often each occurs."""
    published = schema.published
    others = [name for name in published if name not in recoding.columns]
    n = quote(count_name(published))
    if set(published) <= set(grouped):
        source = f"(SELECT * EXCLUDE ({quote(count_name(grouped))}), {quote(count_name(grouped))} AS {n} FROM tuples)"
    else:
        source = f"(SELECT *, count(*) AS {n} FROM data GROUP BY ALL)"
    joins, groups, labels = [], [], {}
    for c, name in enumerate(recoding.columns):
        _register_map(con, c, name, recoding)
        joins.append(f"JOIN map_{c} ON s.{quote(name)} IS NOT DISTINCT FROM map_{c}.raw")
        groups.append(f"map_{c}.grp AS grp_{c}")
        labels[name] = f"label_{c}.label AS {quote(name)}"
    group_names = [f"grp_{c}" for c in range(len(recoding.columns))]
    other_names = [quote(name) for name in others]
    keys = ", ".join([*group_names, *other_names])
    con.register("suppressed", pa.table({g: recoding.suppressed[:, c] for c, g in enumerate(group_names)}))
    con.run(
        f"CREATE TEMP TABLE recoded AS SELECT {keys}, sum({n})::BIGINT AS {n} FROM "
        f"(SELECT {', '.join([*groups, *(f's.{o}' for o in other_names)])}, {n} FROM {source} s {' '.join(joins)}) "
        f"GROUP BY ALL"
    )
    hidden = f"FROM recoded SEMI JOIN suppressed USING ({', '.join(group_names)})"
    suppressed = con.one(f"SELECT coalesce(sum({n}), 0)::BIGINT {hidden}")[0]
    mapped = con.one(f"SELECT coalesce(sum({n}), 0)::BIGINT FROM recoded")[0]
    if mapped != records:
        raise InternalError(f"Recoding reached {mapped:,} of {records:,} records; nothing was published.")
    label_joins = " ".join(f"JOIN label_{c} ON grp_{c} = label_{c}.grp" for c in range(len(group_names)))
    columns = ", ".join(labels.get(name, quote(name)) for name in published)
    con.run(
        f"CREATE TEMP TABLE release AS SELECT {columns}, {n} "
        f"FROM (FROM recoded ANTI JOIN suppressed USING ({', '.join(group_names)})) {label_joins} ORDER BY {keys}"
    )
    return Written(records - suppressed, suppressed)


def _register_map(con: Connection, c: int, name: str, recoding: LevelRecoding) -> None:
    """map_c: raw value → group; label_c: group → published value. A column left at level 0 keeps its type."""
    hierarchy, level = recoding.hierarchies[c], recoding.levels[c]
    raw = con.table(f"SELECT DISTINCT {quote(name)} AS raw FROM tuples").column("raw").combine_chunks()
    leaves = np.array([hierarchy.code(value) for value in texts(raw)], np.int32)
    groups = hierarchy.groups[level][leaves]
    con.register(f"map_{c}", pa.table({"raw": raw, "grp": groups}))
    if level == 0:
        con.register(f"label_{c}", pa.table({"grp": groups, "label": raw}))
    else:
        labels = recoding.labels(c)
        con.register(
            f"label_{c}",
            pa.table({"grp": np.arange(len(labels), dtype=np.int32), "label": pa.array(labels, pa.string())}),
        )
