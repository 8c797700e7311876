"""Records with a number in place of each quasi-identifier, through a small table for each, and counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.text import texts
from shoal.engines.local.connection import Connection
from shoal.engines.local.frequency_set import READING, brought
from shoal.engines.local.records import Records, reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy


def raw_values(con: Connection, name: str, hierarchy: Hierarchy) -> tuple[pa.Array, NDArray[np.int32]]:
    """The distinct values of a column as the data holds them, and the leaf code of each."""
    raw = brought(con).column(name).chunk(0).dictionary
    return raw, np.array([hierarchy.code(value) for value in texts(raw)], np.int32)


def count_mapped(
    con: Connection,
    table: str,
    prefix: str,
    maps: Mapping[str, tuple[pa.Array, NDArray[np.int32]]],
    others: Sequence[str],
    grouped: Sequence[str],
    records: Records,
) -> None:
    """`table`: PREFIX_0, …: the number of each quasi-identifier; other_0, …: the other columns as they are; n: how many records.

    maps: raw values and their numbers. A record with a value that is not there has no number, or is left out.
    """
    # each record is met once more only if there are columns that have not been counted yet
    source, n, rows = ("counted", "sum(n)::BIGINT", None)
    if not {*maps, *others} <= set(grouped):
        source, n, rows = ("numbered", "count(*)", records.number)
    picked, joins = [], []
    for c, (name, (raw, numbers)) in enumerate(maps.items()):
        con.register(f"map_{c}", pa.table({"raw": raw, "number": numbers}))
        key = f"s.{records.key(name)}"
        if name in records.coded:
            con.run(
                f"SET VARIABLE number_{c} = (SELECT list(number ORDER BY place) FROM (SELECT unnest({records.texts(name)}) AS t, "
                f"generate_subscripts({records.texts(name)}, 1) AS place) LEFT JOIN map_{c} ON t IS NOT DISTINCT FROM raw)"
            )
            picked.append(f"getvariable('number_{c}')[{key}] AS {prefix}_{c}")
        else:
            joins.append(f"JOIN map_{c} ON {key} IS NOT DISTINCT FROM map_{c}.raw")
            picked.append(f"map_{c}.number AS {prefix}_{c}")
    picked += [f"s.{records.key(name)} AS other_{i}" for i, name in enumerate(others)]
    shown = [f"{prefix}_{c}" for c in range(len(maps))]
    shown += [f"{records.value(name, f'other_{i}')} AS other_{i}" for i, name in enumerate(others)]
    unknown = " OR ".join(["false", *(f"other_{i} IS NULL" for i, name in enumerate(others) if name in records.coded)])
    with reading():
        con.run(
            f"CREATE TEMP TABLE {table} AS SELECT {', '.join(shown)}, n FROM "
            f"(SELECT {', '.join(picked)}, {n} AS n FROM {source} AS s {' '.join(joins)} GROUP BY ALL) "
            f"WHERE NOT ({unknown})",
            "counting equal records",
            rows,
            READING,
        )
    for c in range(len(maps)):
        con.unregister(f"map_{c}")
