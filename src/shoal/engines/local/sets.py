"""Sets of items while the engine holds them: lists of numbers, ascending. The numbers are places in the sorted list of all items.

Sorted as texts: lists of numbers then come in the same order as lists of texts do, here and on every engine. Counting and recoding
need whole lists and no joins, so batches go through array code on their way from one table to another, and never lie in
memory all at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import ItemSets
from shoal.engines.driver.connection import Connection, quote
from shoal.engines.engine import Domain
from shoal.engines.local.stream import stream
from shoal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Sets:
    """A column of sets. In `data` its cells are lists of numbers."""

    column: str
    items: pa.Array  # texts, sorted
    counts: NDArray[np.int64]  # (items,): records that hold each

    @property
    def domain(self) -> Domain:
        return Domain(dict(zip(self.items.to_pylist(), self.counts.tolist(), strict=True)))

    def with_texts(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The same records with texts in place of numbers, where they have the column."""
        if self.column not in batch.schema.names:
            return batch
        place = batch.schema.names.index(self.column)
        columns = [texts_of(c, self.items) if i == place else c for i, c in enumerate(batch.columns)]
        return pa.RecordBatch.from_arrays(columns, batch.schema.names)

    def numbers(self, vocabulary: pa.Array) -> NDArray[np.int32]:
        """(vocabulary,): the place of each text here, -1 where no record has it."""
        indices = pc.index_in(vocabulary, value_set=self.items).fill_null(-1)
        places: NDArray[np.int32] = indices.to_numpy(zero_copy_only=False).astype(np.int32)
        return places


def with_texts(batch: pa.RecordBatch, sets: Sequence[Sets]) -> pa.RecordBatch:
    """The same records with texts in place of numbers, in all columns of sets."""
    for one in sets:
        batch = one.with_texts(batch)
    return batch


def texts_of(numbers: pa.ListArray, items: pa.Array) -> pa.ListArray:
    """Lists of numbers as lists of texts; the texts are kept once."""
    inner = pa.DictionaryArray.from_arrays(numbers.values, items)
    return pa.ListArray.from_arrays(numbers.offsets, inner)


def sets_of(numbers: pa.Array, vocabulary: pa.Array) -> ItemSets:
    """A batch of a table's lists of numbers."""
    offsets = numbers.offsets.to_numpy().astype(np.int64)
    items = numbers.values.to_numpy()[offsets[0] : offsets[-1]]
    return ItemSets(offsets - offsets[0], items, vocabulary)


def numbers_of(sets: ItemSets) -> pa.ListArray:
    """As lists of numbers, the way `data` holds them."""
    return pa.ListArray.from_arrays(pa.array(sets.offsets, pa.int32()), pa.array(sets.items))


def load_sets(
    con: Connection, columns: Sequence[str], values: dict[str, str], origin: str, records: int
) -> tuple[Sets, ...]:
    """The table `data`. values: how each column is read, in SQL; origin: what reads them."""
    items = {column: _items(con, column, values[column], origin) for column in columns}
    counts = {column: np.zeros(len(items[column]), np.int64) for column in columns}

    def coded(batch: pa.RecordBatch) -> pa.RecordBatch:
        held = {name: batch.column(name) for name in values}
        for column in columns:
            sets = ItemSets.of_lists(held[column], items[column], column)
            counts[column] += sets.supports()
            held[column] = numbers_of(sets)
        return pa.RecordBatch.from_arrays(list(held.values()), list(held))

    named = ", ".join(f"{value} AS {quote(name)}" for name, value in values.items())
    stream(con, f"SELECT {named} FROM {origin}", "data", coded, "reading the sets", records)
    return tuple(Sets(column, items[column], counts[column]) for column in columns)


def _items(con: Connection, column: str, value: str, origin: str) -> pa.Array:
    """All items of a column, sorted as texts."""
    table = con.table(f"SELECT DISTINCT unnest({value}) AS item FROM {origin} ORDER BY item NULLS LAST")
    items = table.column("item").combine_chunks().cast(pa.string())
    if items.null_count or "" in (items[:1].to_pylist()):
        (bad,) = con.one(
            f"SELECT count(*) FROM {origin} WHERE len({value}) <> list_count({value}) OR list_contains({value}, '')"
        )
        raise DataError(
            f"Column '{column}': {bad:,} records have an item that is missing or empty. An item needs a text; a record without "
            "items is an empty list."
        )
    return items
