"""people: the records one by one, and what names each of them: to remember who lay in which class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.text import text_array
from shoal.engines.driver.connection import Connection, quote
from shoal.engines.engine import People
from shoal.engines.local.records import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.engines.local.loaded import Loaded


def people(con: Connection, loaded: Loaded, columns: Sequence[str], person: str | None) -> People | None:
    """None where records are more than rows of single values."""
    if not loaded.origin:
        return None

    def column(sql: str) -> pa.Array:
        # one at a time, always in the order of the source: the values of all would take much room
        with reading():
            values = con.table(f"SELECT {sql} AS held FROM {loaded.origin}").column("held")
        return pa.concat_arrays(values.chunks or [pa.array([], values.type)])

    names = None if person is None else text_array(column(quote(person)))
    return People(names, {name: pc.dictionary_encode(column(loaded.values[name]), "encode") for name in columns})
