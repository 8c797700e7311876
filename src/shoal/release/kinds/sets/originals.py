"""The different sets of items that records hold, with the number of records of each, brought here from an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import ItemSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.blocks import BlockOf
    from shoal.engines.engine import Engine

_BLOCKS = 32
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
        parts = pa.array(np.zeros(len(sets), np.int64))
        if self.part_of is not None:
            whole = lists.combine_chunks()
            whole = pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole
            parts = self.part_of(pa.RecordBatch.from_arrays([whole], [self.column]))
        items = pa.ListArray.from_arrays(pa.array(sets.offsets, pa.int32()), pa.array(sets.items))
        records = block.column("records").cast(pa.int64()).combine_chunks()
        return pa.Table.from_arrays([items, parts.cast(pa.int64()), records], schema=_SCHEMA)
