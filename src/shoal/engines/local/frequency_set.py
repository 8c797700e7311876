"""frequency_set: one group-by over the raw values; everything after works on distinct tuples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.text import texts
from shoal.engines.engine import Domain
from shoal.engines.local.connection import Connection, quote
from shoal.engines.local.records import CHANGED, Records, reading
from shoal.errors import DataError
from shoal.hierarchies.coding import frequency_set

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.data.frequency import FrequencySet
    from shoal.hierarchies.hierarchy import Hierarchy


# How DuckDB counts its progress: a group-by is read halfway when it has read everything, and the rest is done in no time.
READING = 0.5


def group(con: Connection, records: Records, columns: Sequence[str]) -> None:
    """The distinct tuples of these columns with their counts: the view `tuples`; and `counted`, as `numbered` has them, with n."""
    keys = "".join(f"{records.key(name)}, " for name in columns)
    with reading():
        con.run(
            f"CREATE TEMP TABLE counted AS SELECT {keys}count(*) AS n FROM numbered GROUP BY ALL",
            rows=records.number,
            reading=READING,
        )
    if con.one(f"SELECT count(*) FROM counted WHERE {records.unknown(columns)}")[0]:
        raise DataError(CHANGED)
    shown = "".join(f"{records.value(name, records.key(name))} AS {quote(name)}, " for name in columns)
    con.run(f"CREATE TEMP VIEW tuples AS SELECT {shown}n AS {quote(count_name(columns))} FROM counted")
    con.once("tuples", lambda: _bring_counted(con, records, columns))


def count_name(columns: Sequence[str]) -> str:
    """A name for the count that no column has."""
    name = "count"
    while name in columns:
        name += "_"
    return name


def domain(con: Connection, column: str) -> Domain:
    """The distinct values of a column of `tuples`."""
    *_, counts = brought(con).columns
    held = brought(con).column(column).chunk(0)
    sums = np.bincount(held.indices.to_numpy(), weights=counts.to_numpy(), minlength=len(held.dictionary))
    made: dict[str | None, int] = {}
    for value, records in zip(texts(held.dictionary), sums.astype(np.int64).tolist(), strict=True):
        made[value] = made.get(value, 0) + records
    return Domain(made)


def of_tuples(
    con: Connection, hierarchies: Mapping[str, Hierarchy], sensitive: Mapping[str, Hierarchy | None]
) -> FrequencySet:
    """The frequency set of some columns of `tuples`."""
    tuples = brought(con)
    return frequency_set(tuples.select([*hierarchies, *sensitive, tuples.column_names[-1]]), hierarchies, sensitive)


def brought(con: Connection) -> pa.Table:
    """The table `tuples` with each column as numbers and the values they stand for; last, the count.

    It is brought over once, and all that is asked of distinct tuples is answered from it.
    """
    return con.once("tuples", lambda: _bring(con))


def _bring(con: Connection) -> pa.Table:
    *names, n = con.table("SELECT * FROM tuples LIMIT 0").column_names
    made = {name: _listed(con, quote(name), "tuples") for name in names}
    made[n] = con.table(f"SELECT {quote(n)}::BIGINT AS n FROM tuples").column("n").combine_chunks()
    return pa.table(made)


def _bring_counted(con: Connection, records: Records, columns: Sequence[str]) -> pa.Table:
    """The same, where some columns are numbers already."""
    made = {}
    for name in columns:
        key = records.key(name)
        if name not in records.coded:
            made[name] = _listed(con, key, "counted")
            continue
        texts_ = con.table(f"SELECT unnest({records.texts(name)}) AS held").column("held").combine_chunks()
        numbers = con.table(f"SELECT {key}::INTEGER - 1 AS held FROM counted").column("held").combine_chunks()
        if not pc.any(pc.equal(numbers, len(texts_) - 1)).as_py():  # nothing is missing
            texts_ = texts_.slice(0, len(texts_) - 1)
        made[name] = pa.DictionaryArray.from_arrays(numbers, texts_)
    made[count_name(columns)] = con.table("SELECT n FROM counted").column("n").combine_chunks()
    return pa.table(made)


def _listed(con: Connection, column: str, table: str) -> pa.DictionaryArray:
    """A column as numbers and values. One at a time, always in the order of the table: the values of all would take much room."""
    held = con.table(f"SELECT {column} AS held FROM {table}").column("held")
    return pc.dictionary_encode(pa.concat_arrays(held.chunks or [pa.array([], held.type)]), "encode")
