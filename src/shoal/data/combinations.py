"""Supports in a column of item sets of what cuts through a hierarchy would show: single nodes, and combinations. Counters for
the engines.

All counts are additive over the records. A missing list is an empty set. An item counts once in a record, however often it is
there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.hidden import known_texts
from shoal.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_ITEMS = 1 << 23  # that are held and counted together: some 300 MB with their places
_ROWS = 1 << 20  # of a batch that is handed over
_PAIRS = 1 << 23  # counters of a table of pairs: 64 MB
# of a table of larger combinations, which are met in no order: it has to fit the processor's own memory
_CELLS = 1 << 18
UNKNOWN = -1  # the key of records with an item that is no leaf
EVERY = -2  # the key of all records


@dataclass(frozen=True, eq=False)
class Units:
    """A cut through a hierarchy, some of whose nodes may be opened. What records show is numbered, children first."""

    node_of: NDArray[np.int32]  # (leaves,): the unit of the cut's node
    child_of: NDArray[
        np.int32
    ]  # (leaves,): the unit of the child it would show if that node were opened; -1 where it is not
    parent: NDArray[np.int32]  # (children,): the unit that each stands below
    nodes: NDArray[np.int32]  # (units,): the node of the hierarchy

    def __post_init__(self) -> None:
        if self.node_of.shape != self.child_of.shape:
            raise ValueError("`node_of` and `child_of` of the units must have one entry for each leaf.")
        if len(self.parent) > len(self.nodes):
            raise ValueError("`parent` of the units must not have more entries than `nodes`: children are units.")

    def check_size(self, size: int) -> None:
        """Combinations are numbered, and numbers end somewhere."""
        if len(self.nodes) ** size >= 1 << 63:
            raise DataError(
                f"{len(self.nodes):,} items and labels are too many to count combinations of {size}. Promise it for fewer known "
                "items (a smaller m)."
            )


@dataclass(frozen=True, eq=False)
class NodeSupports:
    """Records by node of a hierarchy: those that hold a leaf below it. Two more keys: UNKNOWN and EVERY."""

    column: str
    leaves: pa.Array  # texts
    parents: NDArray[np.int32]  # (nodes,)

    @property
    def keys(self) -> pa.Schema:
        return pa.schema([("node", pa.int32())])

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from shoal.kernels.sets.combination_supports import node_supports

        counts = np.zeros(len(self.parents) + 1, np.int64)
        every = 0
        for offsets, codes, _ in _baskets(batches, self.column, self.leaves):
            counts += node_supports(offsets, codes, np.ones(len(offsets) - 1, np.int64), self.parents)
            every += len(offsets) - 1
        found = np.flatnonzero(counts)
        nodes = np.where(found < len(self.parents), found, UNKNOWN).astype(np.int32)
        keys = np.append(nodes, np.int32(EVERY))
        yield pa.record_batch([pa.array(keys), pa.array(np.append(counts[found], every))], ["node", "records"])


@dataclass(frozen=True, eq=False)
class CombinationSupports:
    """Records by combination of units (`unit0` < `unit1` < …): at least one child, and none beside its own parent.

    With `label` by the value of that column as well (as text, missing is a value). With `only` these combinations and no others.
    """

    column: str
    leaves: pa.Array  # texts
    units: Units
    size: int
    label: str | None = None
    only: NDArray[np.int32] | None = None  # (combinations, size)

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError("`size` of supports must be at least 1.")
        self.units.check_size(self.size)
        if len(self.units.node_of) != len(self.leaves):
            raise ValueError("`units` of supports must be of as many leaves as there are.")

    @property
    def keys(self) -> pa.Schema:
        units = [(f"unit{place}", pa.int32()) for place in range(self.size)]
        return pa.schema(units + [("label", pa.string())] * (self.label is not None))

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        tallies: dict[str | None, Tally] = {}
        for offsets, codes, labels in _baskets(batches, self.column, self.leaves, self.label):
            for label, one_offsets, one_codes in _by_label(offsets, codes, labels):
                tally = tallies.setdefault(label, Tally(self.units, self.size))
                tally.add(one_offsets, one_codes)
                if tally.full:
                    yield from self._batches(label, *tally.taken())
        for label, tally in tallies.items():
            yield from self._batches(label, *tally.taken())

    def _batches(
        self, label: str | None, combinations: NDArray[np.int32], counts: NDArray[np.int64]
    ) -> Iterator[pa.RecordBatch]:
        if self.only is not None:
            count = len(self.units.nodes)
            kept = np.isin(packed(combinations, count), packed(self.only, count))
            combinations, counts = combinations[kept], counts[kept]
        for start in range(0, len(combinations), _ROWS):
            rows = combinations[start : start + _ROWS]
            columns = [pa.array(np.ascontiguousarray(rows[:, place])) for place in range(self.size)]
            if self.label is not None:
                columns.append(pa.repeat(pa.scalar(label, pa.string()), len(rows)))
            yield pa.record_batch([*columns, pa.array(counts[start : start + _ROWS])], [*self.keys.names, "records"])


class Tally:
    """Combinations counted so far. When there are few units a table has a counter for each; else what is new is handed over."""

    def __init__(self, units: Units, size: int) -> None:
        self._units, self._size = units, size
        cells = len(units.parent) * len(units.nodes) ** (size - 1)
        self._table = np.zeros(cells, np.int64) if cells <= (_PAIRS if size <= 2 else _CELLS) else None
        self._made: tuple[NDArray[np.int32], NDArray[np.int64]] = self._nothing()

    @property
    def full(self) -> bool:
        """Whether there is something to be handed over before more is counted."""
        return len(self._made[0]) > 0

    def add(
        self, offsets: NDArray[np.int64], leaves: NDArray[np.int32], weights: NDArray[np.int64] | None = None
    ) -> None:
        """weights: (baskets,) records of each."""
        from shoal.kernels.sets.combination_supports import add_to_table, combination_supports, units_of

        units, count = self._units, len(self._units.nodes)
        weights = np.ones(len(offsets) - 1, np.int64) if weights is None else weights
        starts, held = units_of(offsets, leaves, units.node_of, units.child_of, count)
        if self._table is not None:
            add_to_table(starts, held, weights, len(units.parent), count, self._size, self._table)
        else:
            self._made = combination_supports(starts, held, weights, units.parent, count, self._size)

    def taken(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """(n, size) combinations of units, and the records that hold each; they are forgotten here."""
        from shoal.kernels.sets.combination_supports import in_table

        if self._table is not None:
            counted = in_table(self._table, self._units.parent, len(self._units.nodes), self._size)
            self._table = np.zeros_like(self._table)
            return counted
        counted, self._made = self._made, self._nothing()
        return counted

    def _nothing(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        return np.empty((0, self._size), np.int32), np.empty(0, np.int64)


def combinations_in(
    offsets: NDArray[np.int64], leaves: NDArray[np.int32], weights: NDArray[np.int64], units: Units, size: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """(n, size) combinations of units, and the number of records that hold each. weights: records of each basket."""
    units.check_size(size)
    tally = Tally(units, size)
    tally.add(offsets, leaves, weights)
    return tally.taken()


def packed(combinations: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """(n,): each combination of fewer than `count` units as one number."""
    key = np.zeros(len(combinations), np.int64)
    for place in range(combinations.shape[1]):
        key = key * count + combinations[:, place]
    return key


def coded(lists: pa.ChunkedArray, leaves: pa.Array, column: str) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Where each record begins, and its items as leaf codes, UNKNOWN for those that are none. Raises if it holds no lists."""
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type)):
        raise DataError(f"Column '{column}' does not hold lists of items: it is of type {lists.type}.")
    sizes = pc.list_value_length(lists).fill_null(0)
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum(sizes.to_numpy(), out=offsets[1:])
    items = pc.list_flatten(lists)  # leaves out what lies behind a missing list
    if not len(items):
        return offsets, np.empty(0, np.int32)
    return offsets, np.concatenate([_leaf_codes(chunk, leaves) for chunk in items.chunks])


def _leaf_codes(items: pa.Array, leaves: pa.Array) -> NDArray[np.int32]:
    if pa.types.is_dictionary(items.type):  # then each text is looked up once
        code_of = np.append(_leaf_codes(items.dictionary, leaves), np.int32(UNKNOWN))
        found: NDArray[np.int32] = code_of[items.indices.fill_null(len(items.dictionary)).to_numpy()]
        return found
    codes = pc.index_in(items.cast(pa.string()), value_set=leaves, skip_nulls=True).fill_null(UNKNOWN)
    looked_up: NDArray[np.int32] = codes.to_numpy()
    return looked_up


def _baskets(
    batches: Iterator[pa.RecordBatch], column: str, leaves: pa.Array, label: str | None = None
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], pa.Array | None]]:
    """Many records at a time: looking items up has a price of its own each time."""
    held: list[pa.RecordBatch] = []
    items = 0
    for batch in batches:
        size = len(batch.column(column).flatten()) if pa.types.is_nested(batch.column(column).type) else 0
        if held and items + size > _ITEMS:
            yield _joined(held, column, leaves, label)
            held, items = [], 0
        held.append(batch)
        items += size
    if held:
        yield _joined(held, column, leaves, label)


def _joined(
    held: list[pa.RecordBatch], column: str, leaves: pa.Array, label: str | None
) -> tuple[NDArray[np.int64], NDArray[np.int32], pa.Array | None]:
    offsets, codes = coded(pa.chunked_array([batch.column(column) for batch in held]), leaves, column)
    if label is None:
        return offsets, codes, None
    return offsets, codes, known_texts(pa.chunked_array([batch.column(label) for batch in held]))


def _by_label(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], labels: pa.Array | None
) -> Iterator[tuple[str | None, NDArray[np.int64], NDArray[np.int32]]]:
    """The records of each label apart, or all together without labels."""
    if labels is None:
        yield None, offsets, codes
        return
    encoded = labels.dictionary_encode(null_encoding="encode")
    numbers, sizes = encoded.indices.to_numpy(), np.diff(offsets)
    number_of_item = np.repeat(numbers, sizes)
    for number in range(len(encoded.dictionary)):
        own = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes[numbers == number])])
        yield encoded.dictionary[number].as_py(), own, codes[number_of_item == number]
