"""The different sets of items that records hold, with the number of records of each, brought here from an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import ItemSets
from shoal.loss.sets.release import Generalized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.data.blocks import BlockOf
    from shoal.engines.engine import Engine
    from shoal.recoding.sets.items import ItemRecoding

_BLOCKS = 32
_AT_ONCE = 1 << 16  # records that a worker looks at together
_SCHEMA = pa.schema([("items", pa.list_(pa.int32())), ("part", pa.int64()), ("records", pa.int64())])


@dataclass(frozen=True, eq=False)
class Originals:
    """Different sets, each with the number of records that hold it."""

    sets: ItemSets
    counts: NDArray[np.int64]  # (sets,)
    parts: NDArray[np.int64]  # (sets,): of the recoding; all 0 where it has one

    @classmethod
    def of(cls, engine: Engine, column: str, vocabulary: pa.Array, part_of: BlockOf | None = None) -> Originals:
        """vocabulary: every item that occurs, and others if need be."""
        blocks = engine.map_blocks([column], _BySize(column), _Coded(column, vocabulary, part_of), _SCHEMA)
        lists = blocks.column("items").combine_chunks()
        lists = lists.combine_chunks() if isinstance(lists, pa.ChunkedArray) else lists
        sizes = pc.list_value_length(lists).to_numpy(zero_copy_only=False).astype(np.int64)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        sets = ItemSets(offsets, lists.flatten().to_numpy(zero_copy_only=False).astype(np.int32), vocabulary)
        counts, parts = (blocks.column(name).to_numpy().astype(np.int64) for name in ("records", "part"))
        return cls(sets, counts, parts)

    @property
    def rows(self) -> int:
        """Records."""
        return int(self.counts.sum())


def recoded(lists: pa.Array | pa.ChunkedArray, counts: NDArray[np.int64], recoding: ItemRecoding) -> Generalized:
    """A column of sets as an engine hands it over, with labels in place of items. counts: (sets,) records of each."""
    sets = ItemSets.of_lists(lists, recoding.items, recoding.column)
    return Generalized.of(sets, counts, recoding, _parts(lists, recoding.column, recoding.part_of))


def stretches(
    batches: Iterator[pa.RecordBatch], recoding: ItemRecoding
) -> Iterator[tuple[Generalized, NDArray[np.int64]]]:
    """Records one by one with labels in place of items, and the part of each, many at a time: looking items up has its price."""
    held: list[pa.Array] = []
    for batch in batches:
        column = batch.column(recoding.column)
        for start in range(0, len(column), _AT_ONCE):
            held.append(column.slice(start, _AT_ONCE))
            if sum(map(len, held)) >= _AT_ONCE:
                yield _stretch(held, recoding)
                held = []
    if held:
        yield _stretch(held, recoding)


def _stretch(held: list[pa.Array], recoding: ItemRecoding) -> tuple[Generalized, NDArray[np.int64]]:
    lists = pa.chunked_array(held)
    sets = ItemSets.of_lists(lists, recoding.items, recoding.column)
    parts = _parts(lists, recoding.column, recoding.part_of)
    return Generalized.of(sets, np.ones(len(sets), np.int64), recoding, parts), parts


def _parts(lists: pa.Array | pa.ChunkedArray, column: str, part_of: BlockOf | None) -> NDArray[np.int64]:
    """(sets,): of a recoding; all 0 where it has one."""
    if part_of is None:
        return np.zeros(len(lists), np.int64)
    chunks = lists.chunks if isinstance(lists, pa.ChunkedArray) else [lists]
    found = [np.asarray(part_of(pa.RecordBatch.from_arrays([chunk], [column])), np.int64) for chunk in chunks]
    return np.concatenate([np.zeros(0, np.int64), *found])


@dataclass(frozen=True)
class _BySize:
    """Blocks are there to share the work out; any division does."""

    column: str

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        sizes = pc.list_value_length(batch.column(self.column)).fill_null(0)
        return pa.array(sizes.to_numpy(zero_copy_only=False).astype(np.int64) % _BLOCKS)


@dataclass(frozen=True, eq=False)
class _Coded:
    """Sets as numbers: they take a fraction of the room of texts."""

    column: str
    vocabulary: pa.Array
    part_of: BlockOf | None

    def __call__(self, block: pa.Table) -> pa.Table:
        lists = block.column(self.column)
        sets = ItemSets.of_lists(lists, self.vocabulary, self.column)
        parts = pa.array(_parts(lists, self.column, self.part_of))
        items = pa.ListArray.from_arrays(pa.array(sets.offsets, pa.int32()), pa.array(sets.items))
        records = block.column("records").cast(pa.int64()).combine_chunks()
        return pa.Table.from_arrays([items, parts, records], schema=_SCHEMA)
