"""The distinct combinations of single values, which every engine leaves in the driving process as the relation `tuples`.

Its columns are the quasi-identifiers and sensitive columns under their own names, and last the number of records. What is asked of
domains, frequency sets and raw values is answered from it, whatever engine counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.text import texts
from shoal.engines.driver.connection import Connection, quote
from shoal.engines.engine import Domain
from shoal.hierarchies.coding import frequency_set

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.hierarchies.hierarchy import Hierarchy


class FrequencySets:
    """The frequency sets of `tuples`. The last one is kept: a run asks for the same again and again."""

    def __init__(self, con: Connection) -> None:
        self._con = con
        self._kept: dict[tuple[object, ...], FrequencySet] = {}

    def of(self, hierarchies: Mapping[str, Hierarchy], sensitive: Mapping[str, Hierarchy | None]) -> FrequencySet:
        """Of some of the columns."""
        question = (*hierarchies.items(), *sensitive.items())
        if question not in self._kept:
            with self._con.stage("count"):
                table = distinct_tuples(self._con)
                columns = [*hierarchies, *sensitive, table.column_names[-1]]
                self._kept = {question: frequency_set(table.select(columns), hierarchies, sensitive)}
        return self._kept[question]


def count_name(columns: Sequence[str]) -> str:
    """A name for the count that no column has."""
    name = "count"
    while name in columns:
        name += "_"
    return name


def domain(con: Connection, column: str) -> Domain:
    """The distinct values of a column."""
    *_, counts = distinct_tuples(con).columns
    values = distinct_tuples(con).column(column).chunk(0)
    sums = np.bincount(values.indices.to_numpy(), weights=counts.to_numpy(), minlength=len(values.dictionary))
    records_of: dict[str | None, int] = {}
    for value, records in zip(texts(values.dictionary), sums.astype(np.int64).tolist(), strict=True):
        records_of[value] = records_of.get(value, 0) + records
    return Domain(records_of)


def raw_values(con: Connection, name: str, hierarchy: Hierarchy) -> tuple[pa.Array, NDArray[np.int32]]:
    """The distinct values of a column as the data holds them, and the leaf code of each."""
    raw = distinct_tuples(con).column(name).chunk(0).dictionary
    return raw, np.array([hierarchy.code(value) for value in texts(raw)], np.int32)


def distinct_tuples(con: Connection) -> pa.Table:
    """Each column as numbers and the values they stand for; last, the count.

    It is brought over once, and all that is asked of distinct tuples is answered from it.
    """
    return con.once("tuples", lambda: _bring(con))


def numbered(con: Connection, column: str, table: str) -> pa.DictionaryArray:
    """A column as numbers and values. One at a time, always in the order of the table: the values of all would take much room."""
    values = con.table(f"SELECT {column} AS held FROM {table}").column("held")
    return pc.dictionary_encode(pa.concat_arrays(values.chunks or [pa.array([], values.type)]), "encode")


def _bring(con: Connection) -> pa.Table:
    *names, n = con.table("SELECT * FROM tuples LIMIT 0").column_names
    columns = {name: numbered(con, quote(name), "tuples") for name in names}
    columns[n] = con.table(f"SELECT {quote(n)}::BIGINT AS n FROM tuples").column("n").combine_chunks()
    return pa.table(columns)
