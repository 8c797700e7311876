"""Supports in a column of item sets: how many records hold both of two items. A counter for the engines.

Items may be counted as something else, such as nodes of a hierarchy: those shown as the same are one item then, and however often
a record holds it, it counts once. So what counts the data also counts what a generalization of the items would publish.

Records that hold nothing, and items that are missing or not asked for, add nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.kernels.sets.pair_supports import Pairs

# What is held before it is handed over: some 150 MB of items and their places, some 130 MB of pairs. Handing over repeats what is
# frequent, and leaves the engine more to add up.
_ITEMS = 1 << 23
_PAIRS = 1 << 24
_RECORDS = (1 << 31) - 1
_ROWS = 1 << 20  # of a batch that is handed over


@dataclass(frozen=True, eq=False)
class PairSupports:
    """Records by two items (`first` < `second`), for all pairs that occur together in a column of lists.

    `kind` is the type of what is counted. Without `items` all are counted as they are; with them only those, each as `shown` in
    the same place (a missing one is left out), or as it is.
    """

    column: str
    kind: pa.DataType
    items: pa.Array | None = None
    shown: pa.Array | None = None

    def __post_init__(self) -> None:
        if self.items is not None and (self.items.null_count or len(self.items.unique()) < len(self.items)):
            raise ValueError("`items` of supports must differ from each other, and none may be missing.")
        if self.shown is not None and (self.items is None or len(self.shown) != len(self.items)):
            raise ValueError("`shown` of supports must have one entry for each of `items`.")

    @property
    def keys(self) -> pa.Schema:
        return pa.schema([("first", self.kind), ("second", self.kind)])

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from shoal.kernels.sets.pair_supports import Pairs, pair_supports

        codes = _Learned(self.kind) if self.items is None else _Given(self.items, self.shown)
        pairs, records = Pairs.none(), 0
        for offsets, items in _baskets(batches, self.column):
            if len(pairs.smaller) > _PAIRS or records + len(offsets) > _RECORDS:
                yield from self._batches(pairs, codes.values)
                pairs, records = Pairs.none(), 0
            coded = codes(items, self.column)
            pairs = pair_supports(offsets, coded, pairs.of(len(codes.values)))
            records += len(offsets) - 1
        yield from self._batches(pairs, codes.values)

    def _batches(self, pairs: Pairs, values: pa.Array) -> Iterator[pa.RecordBatch]:
        """The same key whichever codes were used: the smaller value comes first."""
        rank = np.empty(len(values), np.int32)
        rank[pc.sort_indices(values).to_numpy()] = np.arange(len(values), dtype=np.int32)
        larger = pairs.larger
        for start in range(0, len(larger), _ROWS):
            left, right = pairs.smaller[start : start + _ROWS], larger[start : start + _ROWS]
            swap = rank[left] > rank[right]
            columns = [
                values.take(pa.array(np.where(swap, right, left))).cast(self.kind),
                values.take(pa.array(np.where(swap, left, right))).cast(self.kind),
                pa.array(pairs.baskets[start : start + _ROWS].astype(np.int64)),
            ]
            yield pa.record_batch(columns, ["first", "second", "records"])


class _Learned:
    """Codes in the order in which items are met."""

    def __init__(self, kind: pa.DataType) -> None:
        self.values = pa.array([], kind)

    def __call__(self, items: pa.ChunkedArray, column: str) -> NDArray[np.int32]:
        if items.type != self.values.type:
            items = _as(items, self.values.type, column)
        codes = _positions(items, self.values)
        unknown = codes < 0
        if unknown.any():
            rest = items.filter(pa.array(unknown))
            self.values = pa.concat_arrays([self.values, rest.unique().drop_null()])
            codes[unknown] = _positions(rest, self.values)
        return codes


class _Given:
    """Codes of known items."""

    def __init__(self, items: pa.Array, shown: pa.Array | None) -> None:
        encoded = _plain(items if shown is None else shown).dictionary_encode()
        self.values = encoded.dictionary
        self._items = _plain(items)
        self._code_of = np.append(encoded.indices.fill_null(-1).to_numpy(), np.int32(-1))  # the last for other items

    def __call__(self, items: pa.ChunkedArray, column: str) -> NDArray[np.int32]:
        return np.take(self._code_of, _positions(items, _as(self._items, items.type, column)))


def _positions(items: pa.ChunkedArray, values: pa.Array) -> NDArray[np.int32]:
    """Of the items in a list of values, -1 for those that are not there."""
    positions = pc.index_in(items, value_set=values, skip_nulls=True).fill_null(-1)
    return np.concatenate([chunk.to_numpy() for chunk in positions.chunks])


def _plain(array: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    return array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array


def _as(array: pa.Array | pa.ChunkedArray, kind: pa.DataType, column: str) -> pa.Array | pa.ChunkedArray:
    try:
        return array.cast(kind)
    except pa.ArrowException:  # whose text may quote an item
        raise DataError(f"Column '{column}': items of type {array.type} where {kind} is expected.") from None


def _baskets(batches: Iterator[pa.RecordBatch], column: str) -> Iterator[tuple[NDArray[np.int64], pa.ChunkedArray]]:
    """Many records at a time: where the items of each begin, and the items. Small batches are put together, large ones cut."""
    lengths: list[NDArray[np.int64]] = []
    items: list[pa.Array] = []
    held = 0
    for batch in batches:
        lists = batch.column(column)
        if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type)):
            raise DataError(f"Column '{column}' does not hold lists of items: it is of type {lists.type}.")
        sizes = pc.list_value_length(lists).fill_null(0).to_numpy().astype(np.int64)
        for start, stop in _cuts(sizes):
            size = int(sizes[start:stop].sum())
            if held and held + size > _ITEMS:
                yield _joined(lengths, items)
                lengths, items, held = [], [], 0
            lengths.append(sizes[start:stop])
            items.append(lists.slice(start, stop - start).flatten())  # leaves out what lies behind a missing list
            held += size
    if held:
        yield _joined(lengths, items)


def _joined(lengths: list[NDArray[np.int64]], items: list[pa.Array]) -> tuple[NDArray[np.int64], pa.ChunkedArray]:
    return np.cumsum(np.concatenate([np.zeros(1, np.int64), *lengths])), _plain(pa.chunked_array(items))


def _cuts(sizes: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Stretches of records with at most so many items, or of one record. sizes: (records,)"""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = int(ends[start] - sizes[start])
        stop = max(start + 1, int(np.searchsorted(ends, before + _ITEMS, side="right")))
        yield start, stop
        start = stop
