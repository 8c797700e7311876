"""people: the records one by one, and what names each of them: to remember who lay in which class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import ItemSets
from shoal.data.text import text_array
from shoal.data.trees import TREE, Forest
from shoal.engines.driver.connection import Connection, quote
from shoal.engines.driver.trees import Leaves
from shoal.engines.engine import People
from shoal.engines.local.records import reading
from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.engines.local.loaded import Loaded
    from shoal.hierarchies.hierarchy import Hierarchy


def people(
    con: Connection,
    loaded: Loaded,
    columns: Sequence[str],
    person: str | None,
    trees: Mapping[str, Hierarchy] | None = None,
) -> People | None:
    """trees: the hierarchies that number the trees of the records."""

    def column(sql: str, origin: str = loaded.origin) -> pa.Array:
        # one at a time, always in the order of the source: the values of all would take much room
        with reading():
            values = con.table(f"SELECT {sql} AS held FROM {origin}").column("held")
        return pa.concat_arrays(values.chunks or [pa.array([], values.type)])

    if loaded.trees is not None:
        if trees is None:
            return None
        forest = Leaves.of(loaded.forest.wording, trees).forest(Forest.of_packed(column(TREE, "data")))
        held = {name: pc.dictionary_encode(column(quote(name), "data"), "encode") for name in columns}
        return People(_names_of_trees(loaded, person), held, forest=forest)
    if not loaded.origin:
        return None
    names = None if person is None else text_array(column(quote(person)))
    of_sets = {one.column: one.items for one in loaded.sets}
    return People(
        names,
        {name: pc.dictionary_encode(column(loaded.values[name]), "encode") for name in columns if name not in of_sets},
        {name: ItemSets.of_lists(column(loaded.values[name]), items, name) for name, items in of_sets.items()},
    )


def _names_of_trees(loaded: Loaded, person: str | None) -> pa.Array | None:
    """Of every record that was read. Where some were left out as empty nobody knows any more whose name is whose."""
    if person is None or loaded.names is None:
        return None
    if loaded.records.empty:
        raise InternalError("Records were left out as empty, and names asked for that would not be with their records.")
    return loaded.names(person)
