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
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.recoding.levels import LevelRecoding


def apply(con: Connection, schema: Schema, recoding: LevelRecoding, grouped: tuple[str, ...], records: int) -> Written:
    """Leaves the table `release`: the distinct published rows in their final order, with how often each occurs."""
    published, columns = schema.published, recoding.columns
    others = [name for name in published if name not in columns]
    source, count = counted_rows(schema, grouped)
    joins, picked, group_names = [], [], [f"grp_{c}" for c in range(len(columns))]
    for c, name in enumerate(columns):
        _register_map(con, c, name, recoding)
        joins.append(f"JOIN map_{c} ON s.{quote(name)} IS NOT DISTINCT FROM map_{c}.raw")
        picked.append(f"map_{c}.grp AS grp_{c}")
    other_names = [f"other_{i}" for i in range(len(others))]
    picked += [f"s.{quote(name)} AS {other}" for name, other in zip(others, other_names, strict=True)]
    groups, keys = ", ".join(group_names), ", ".join([*group_names, *other_names])
    con.register("suppressed", pa.table({g: recoding.suppressed[:, c] for c, g in enumerate(group_names)}))
    con.run(
        f"CREATE TEMP TABLE recoded AS SELECT {keys}, sum(n)::BIGINT AS n FROM "
        f"(SELECT {', '.join(picked)}, s.{count} AS n FROM {source} s {' '.join(joins)}) GROUP BY ALL"
    )
    suppressed = con.one(f"SELECT coalesce(sum(n), 0)::BIGINT FROM recoded SEMI JOIN suppressed USING ({groups})")[0]
    mapped = con.one("SELECT coalesce(sum(n), 0)::BIGINT FROM recoded")[0]
    if mapped != records:
        raise InternalError(f"Recoding reached {mapped:,} of {records:,} records; nothing was published.")
    put_in_order(con, schema, f"(FROM recoded ANTI JOIN suppressed USING ({groups}))", columns, group_names)
    return Written(records - suppressed, suppressed)


def put_in_order(con: Connection, schema: Schema, recoded: str, columns: Sequence[str], numbers: Sequence[str]) -> None:
    """The table `release` from distinct recoded rows: a number for each of `columns`, other_0, …, and the count n.

    label_c: number → published value. Columns of ours carry the name of their table: one of the data may be called the same.
    """
    others = [name for name in schema.published if name not in columns]
    shown = {name: f"label_{c}.label" for c, name in enumerate(columns)}
    shown |= {name: f"r.other_{i}" for i, name in enumerate(others)}
    joins = " ".join(f"JOIN label_{c} ON r.{number} = label_{c}.{number}" for c, number in enumerate(numbers))
    con.run(
        f"CREATE TEMP TABLE release AS SELECT {', '.join(f'{shown[name]} AS {quote(name)}' for name in schema.published)}, "
        f"r.n AS {quote(count_name(schema.published))} FROM {recoded} AS r {joins} "
        f"ORDER BY {', '.join(f'r.{key}' for key in (*numbers, *(f'other_{i}' for i in range(len(others)))))}"
    )


def counted_rows(schema: Schema, grouped: tuple[str, ...]) -> tuple[str, str]:
    """What to select the distinct records from, and the name of their count there."""
    published = schema.published
    if set(published) <= set(grouped):
        return "tuples", quote(count_name(grouped))
    n = quote(count_name(published))
    return f"(SELECT *, count(*) AS {n} FROM data GROUP BY ALL)", n


def raw_values(con: Connection, name: str, hierarchy: Hierarchy) -> tuple[pa.Array, NDArray[np.int32]]:
    """The distinct values of a column as the data holds them, and the leaf code of each."""
    raw = con.table(f"SELECT DISTINCT {quote(name)} AS raw FROM tuples").column("raw").combine_chunks()
    return raw, np.array([hierarchy.code(value) for value in texts(raw)], np.int32)


def _register_map(con: Connection, c: int, name: str, recoding: LevelRecoding) -> None:
    """map_c: raw value → group; label_c: group → published value. A column left at level 0 keeps its type."""
    hierarchy, level = recoding.hierarchies[c], recoding.levels[c]
    raw, leaves = raw_values(con, name, hierarchy)
    groups = hierarchy.groups[level][leaves]
    con.register(f"map_{c}", pa.table({"raw": raw, "grp": groups}))
    if level == 0:
        con.register(f"label_{c}", pa.table({f"grp_{c}": groups, "label": raw}))
    else:
        labels = recoding.labels(c)
        con.register(
            f"label_{c}",
            pa.table({f"grp_{c}": np.arange(len(labels), dtype=np.int32), "label": pa.array(labels, pa.string())}),
        )
