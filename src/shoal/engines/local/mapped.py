"""Records with a number in place of each quasi-identifier, through a small table for each, and counted.

Where a column is nearly unique there is nothing to count: records then stay as they are, one row each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.engines.driver.connection import Connection
from shoal.engines.local.frequency import READING
from shoal.engines.local.records import Records, reading
from shoal.engines.local.words import Words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

_LOOKED_AT = 1 << 17  # records, to see whether counting them would make them fewer


def count_mapped(
    con: Connection,
    table: str,
    prefix: str,
    maps: Mapping[str, tuple[pa.Array, NDArray[np.int32]]],
    others: Sequence[str],
    grouped: Sequence[str],
    records: Records,
    words: Words | None = None,
) -> None:
    """`table`: PREFIX_0, …: the number of each quasi-identifier; other_0, …: the other columns as they are; n: how many records.

    maps: raw values and their numbers. A record with a value that is not there has no number, or is left out. With `words`: w0, …
    in place of the numbers; and then several rows may be equal.
    """
    # each record is met once more only if there are columns that have not been counted yet
    source, n, by, rows = ("counted", "sum(n)::BIGINT", "GROUP BY ALL", None)
    if new := [name for name in (*maps, *others) if name not in grouped]:
        source, n, rows = ("numbered", "count(*)", records.number)
        if words is not None and _tell_records_apart(con, records, new):
            n, by = ("1::BIGINT", "")
    numbers_, joins = [], []
    for c, (name, (raw, numbers)) in enumerate(maps.items()):
        con.register(f"map_{c}", pa.table({"raw": raw, "number": numbers}))
        key = f"s.{records.key(name)}"
        if name in records.coded:
            con.run(
                f"SET VARIABLE number_{c} = (SELECT list(number ORDER BY place) FROM (SELECT unnest({records.texts(name)}) AS t, "
                f"generate_subscripts({records.texts(name)}, 1) AS place) LEFT JOIN map_{c} ON t IS NOT DISTINCT FROM raw)"
            )
            numbers_.append(f"getvariable('number_{c}')[{key}]")
        else:
            joins.append(f"JOIN map_{c} ON {key} IS NOT DISTINCT FROM map_{c}.raw")
            numbers_.append(f"map_{c}.number")
    shown = [f"{prefix}_{c}" for c in range(len(maps))] if words is None else words.names
    picked = (
        [f"{number} AS {name}" for number, name in zip(numbers_, shown, strict=True)]
        if words is None
        else words.packed(numbers_)
    )
    picked += [f"s.{records.key(name)} AS other_{i}" for i, name in enumerate(others)]
    shown += [f"{records.value(name, f'other_{i}')} AS other_{i}" for i, name in enumerate(others)]
    unknown = " OR ".join(["false", *(f"other_{i} IS NULL" for i, name in enumerate(others) if name in records.coded)])
    with reading():
        con.run(
            f"CREATE TEMP TABLE {table} AS SELECT {', '.join(shown)}, n FROM "
            f"(SELECT {', '.join(picked)}, {n} AS n FROM {source} AS s {' '.join(joins)} {by}) "
            f"WHERE NOT ({unknown})",
            "counting equal records",
            rows,
            READING,
        )
    for c in range(len(maps)):
        con.unregister(f"map_{c}")


def _tell_records_apart(con: Connection, records: Records, columns: Sequence[str]) -> bool:
    """Whether most of the first records differ in these columns. A guess, by which nothing but the time depends."""
    keys = ", ".join(f"s.{records.key(name)}" for name in columns)
    with reading():
        different, looked_at = con.one(
            f"SELECT count(DISTINCT h), count(*) FROM (SELECT hash({keys}) AS h FROM numbered AS s LIMIT {_LOOKED_AT})"
        )
    return 2 * different > looked_at
