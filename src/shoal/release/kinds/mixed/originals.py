"""The different records of single values and sets of items, with the number of each, brought here from an engine as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.hierarchies.coding import encode
from shoal.kernels.grouping import Layout, group_sum

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy

_BLOCKS = 32
_CODES = pa.large_list(pa.int32())
_SCHEMA = pa.schema([("values", _CODES), ("items", _CODES), ("records", pa.int64())])


@dataclass(frozen=True, eq=False)
class MixedOriginals:
    """Some may be there more than once: where items that are left out were all in which they differ."""

    values: NDArray[np.int32]  # (rows, columns): leaf codes
    offsets: NDArray[np.int64]  # (rows + 1,)
    items: NDArray[np.int32]  # ascending and distinct in each row; places in the vocabularies, one after the other
    counts: NDArray[np.int64]  # (rows,): records

    @classmethod
    def of(
        cls, engine: Engine, values: Mapping[str, Hierarchy], vocabularies: Mapping[str, Sequence[str]]
    ) -> MixedOriginals:
        """vocabularies: of each column of sets the items that count; others are left out."""
        blocks = engine.map_blocks(
            [*values, *vocabularies],
            _BySize(tuple(vocabularies)),
            _Coded(dict(values), {name: pa.array(items, pa.string()) for name, items in vocabularies.items()}),
            _SCHEMA,
        )
        codes, _ = _flat(blocks.column("values"))
        items, sizes = _flat(blocks.column("items"))
        return cls(
            codes.reshape(-1, len(values)),
            np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]),
            items,
            blocks.column("records").to_numpy().astype(np.int64),
        )

    @property
    def rows(self) -> int:
        """Records."""
        return int(self.counts.sum())

    def classes(self) -> NDArray[np.int64]:
        """(rows,): a number for each combination of single values."""
        return numbered(self.values)


def numbered(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """(rows,): the same number for the same row. codes: (rows, columns)"""
    layout = Layout.for_domains([int(column.max(initial=0)) + 1 for column in codes.T])
    _, _, numbers = group_sum(layout.pack(codes), np.ones(len(codes), np.int64))
    return numbers.astype(np.int64)


@dataclass(frozen=True)
class _BySize:
    """Blocks are there to share the work out; any division does."""

    columns: tuple[str, ...]

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        sizes = np.zeros(batch.num_rows, np.int64)
        for name in self.columns:
            sizes += (
                pc.list_value_length(batch.column(name)).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
            )
        return pa.array(sizes % _BLOCKS)


@dataclass(frozen=True, eq=False)
class _Coded:
    values: Mapping[str, Hierarchy]
    vocabularies: Mapping[str, pa.Array]

    def __call__(self, block: pa.Table) -> pa.Table:
        counts = block.column("records").to_numpy().astype(np.int64)
        codes = np.empty((len(counts), len(self.values)), np.int32)
        for c, (name, hierarchy) in enumerate(self.values.items()):
            codes[:, c] = encode(block.column(name), name, hierarchy, counts)
        width = len(self.values)
        values = pa.LargeListArray.from_arrays(
            pa.array(np.arange(len(counts) + 1, dtype=np.int64) * width), pa.array(codes.reshape(-1))
        )
        return pa.Table.from_arrays([values, self._items(block), pa.array(counts)], schema=_SCHEMA)

    def _items(self, block: pa.Table) -> pa.Array:
        rows, items, start = [np.empty(0, np.int64)], [np.empty(0, np.int32)], 0
        for name, vocabulary in self.vocabularies.items():
            at = 0
            for chunk in block.column(name).chunks:
                lengths = pc.list_value_length(chunk).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
                places = _places(pc.list_flatten(chunk), vocabulary)
                known = places.is_valid().to_numpy(zero_copy_only=False)
                rows.append(np.repeat(np.arange(at, at + len(chunk)), lengths)[known])
                items.append(places.drop_null().to_numpy(zero_copy_only=False).astype(np.int32) + np.int32(start))
                at += len(chunk)
            start += len(vocabulary)
        row, item = np.concatenate(rows), np.concatenate(items)
        order = np.lexsort((item, row))
        offsets = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=block.num_rows))])
        return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), pa.array(item[order]))


def _places(values: pa.Array, vocabulary: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(values.type):  # an engine hands over each text once
        return _places(values.dictionary, vocabulary).take(values.indices)
    return pc.index_in(values.cast(vocabulary.type), value_set=vocabulary)


def _flat(lists: pa.ChunkedArray) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """All entries, and how many each list has."""
    sizes = pc.list_value_length(lists).to_numpy().astype(np.int64)
    return pc.list_flatten(lists).to_numpy().astype(np.int32), sizes
