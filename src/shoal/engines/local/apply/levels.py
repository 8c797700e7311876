"""apply: replace the values of each column through a small table, drop suppressed classes, and put the rest in order.

Equal rows are counted, and only distinct ones are sorted; they are multiplied out again when they are written. Until then the
quasi-identifiers are numbers in the order of the hierarchy, packed into words: the order is a function of what is published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.engines.driver.connection import Connection
from shoal.engines.driver.tuples import raw_values
from shoal.engines.engine import Written
from shoal.engines.local.mapped import count_mapped
from shoal.engines.local.release import Release
from shoal.engines.local.rows import rows
from shoal.engines.local.values import Applied, Values
from shoal.engines.local.words import Words
from shoal.errors import InternalError

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.engines.local.loaded import Loaded
    from shoal.recoding.tables.levels import LevelRecoding


def apply(con: Connection, schema: Schema, loaded: Loaded, recoding: LevelRecoding) -> Release:
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
    words = Words(tuple(int(groups.max(initial=0)) + 1 for _, groups in maps.values()))
    count_mapped(con, "recoded", "number", maps, others, schema.grouped, loaded.records, words)
    known = " AND ".join(f"{word} IS NOT NULL" for word in words.names)
    (mapped,) = con.one(f"SELECT coalesce(sum(n) FILTER (WHERE {known}), 0)::BIGINT FROM recoded")
    if mapped != loaded.number:
        raise InternalError(f"Recoding reached {mapped:,} of {loaded.number:,} records; nothing was published.")
    con.register("hidden", pa.table({n: recoding.suppressed[:, c] for c, n in enumerate(applied.numbers)}))
    con.run(f"CREATE TEMP VIEW suppressed AS SELECT {', '.join(words.packed(applied.numbers))} FROM hidden")
    by = f"USING ({', '.join(words.names)})"
    (suppressed,) = con.one(f"SELECT coalesce(sum(n), 0)::BIGINT FROM recoded SEMI JOIN suppressed {by}")
    _sort(con, f"recoded ANTI JOIN suppressed {by}" if suppressed else "recoded", applied, words)
    con.unregister("hidden")
    written = Written(loaded.number - suppressed, suppressed)
    return Release(written, applied, lambda: rows(con, schema, applied))


def put_in_order(con: Connection, recoded: str, applied: Applied) -> None:
    """`release` out of the table `recoded`, which goes: it is as large."""
    largest = ", ".join(f"coalesce(max({number}), 0)" for number in applied.numbers)
    words = Words(tuple(int(number) + 1 for number in con.one(f"SELECT {largest} FROM {recoded}")))
    kept = "".join(f", {name}" for name in applied.kept)
    con.run(f"CREATE TEMP VIEW packed AS SELECT {', '.join(words.packed(applied.numbers))}{kept}, n FROM {recoded}")
    _sort(con, "packed", applied, words)


def _sort(con: Connection, packed: str, applied: Applied, words: Words) -> None:
    """`release` by words and other columns, out of `recoded`, which `packed` is or reads."""
    keys = ", ".join([*words.names, *applied.kept])
    con.run(
        f"CREATE TEMP TABLE sorted AS SELECT {keys}, n FROM {packed} ORDER BY {keys}", "putting the records in order"
    )
    con.run("DROP TABLE recoded")
    numbers = [f"{words.number(c)} AS {name}" for c, name in enumerate(applied.numbers)]
    con.run(f"CREATE TEMP VIEW release AS SELECT {', '.join([*numbers, *applied.kept, 'n'])} FROM sorted")
