"""frequency_set: one group-by over the raw values; everything after works on distinct tuples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.driver.connection import UNREADABLE, Connection, quote
from shoal.engines.driver.tuples import count_name, numbered
from shoal.engines.local.records import Records, reading
from shoal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence


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
        raise DataError(UNREADABLE)
    values = "".join(f"{records.value(name, records.key(name))} AS {quote(name)}, " for name in columns)
    con.run(f"CREATE TEMP VIEW tuples AS SELECT {values}n AS {quote(count_name(columns))} FROM counted")
    con.once("tuples", lambda: _bring(con, records, columns))


def _bring(con: Connection, records: Records, columns: Sequence[str]) -> pa.Table:
    """The tuples as `driver.tuples` has them, where some columns are numbers already."""
    brought = {}
    for name in columns:
        key = records.key(name)
        if name not in records.coded:
            brought[name] = numbered(con, key, "counted")
            continue
        texts = con.table(f"SELECT unnest({records.texts(name)}) AS held").column("held").combine_chunks()
        numbers = con.table(f"SELECT {key}::INTEGER - 1 AS held FROM counted").column("held").combine_chunks()
        if not pc.any(pc.equal(numbers, len(texts) - 1)).as_py():  # nothing is missing
            texts = texts.slice(0, len(texts) - 1)
        brought[name] = pa.DictionaryArray.from_arrays(numbers, texts)
    brought[count_name(columns)] = con.table("SELECT n FROM counted").column("n").combine_chunks()
    return pa.table(brought)
