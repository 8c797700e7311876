"""The records of a table with item sets, as numbers: what an engine hands over, and what a method works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.combinations import UNKNOWN, coded
from shoal.data.hidden import known_texts
from shoal.errors import DataError
from shoal.hierarchies.coding import encode
from shoal.methods.mixed.clusters import MixedRecords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.guarantees.k_lm_diversity import KLMDiversity
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.mixed.item_mapping import Secret
    from shoal.methods.mixed.problem import MixedProblem


def schema_of(promises: int) -> pa.Schema:
    """Of encoded records. promises: about sensitive values; of each the values that a record holds, missing: any of them."""
    numbers = pa.large_list(pa.int32())
    held = [(f"held_{number}", pa.large_list(pa.string())) for number in range(promises)]
    return pa.schema([("codes", numbers), ("items", numbers), *held, ("records", pa.int64())])


@dataclass(frozen=True)
class Whole:
    """All records are one block."""

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        return pa.array(np.zeros(batch.num_rows, np.int64))


@dataclass(frozen=True, eq=False)
class Encode:
    """The records of a block as numbers. What is sent to workers."""

    values: Mapping[str, Hierarchy]
    sets: Mapping[str, Hierarchy]
    kept: Mapping[str, tuple[str, ...]]  # of each column of sets, the sensitive items
    spoken_of: tuple[str, ...]  # of each promise, the column that it speaks of

    def __call__(self, block: pa.Table) -> pa.Table:
        counts = block.column("records").to_numpy().astype(np.int64)
        codes = np.empty((len(counts), len(self.values)), np.int32)
        for c, (name, hierarchy) in enumerate(self.values.items()):
            codes[:, c] = encode(block.column(name), name, hierarchy, counts)
        held = [self._held(block.column(name), name) for name in self.spoken_of]
        starts = np.arange(len(counts) + 1, dtype=np.int64) * len(self.values)
        single = pa.LargeListArray.from_arrays(pa.array(starts), pa.array(codes.ravel()))
        return pa.table([single, self._items(block), *held, pa.array(counts)], schema=schema_of(len(held)))

    def _items(self, block: pa.Table) -> pa.Array:
        rows, found, at = [], [], 0
        for name, hierarchy in self.sets.items():
            leaves = pa.array(hierarchy.labels[: hierarchy.leaf_count], pa.string())
            offsets, codes = coded(block.column(name), leaves, name)
            row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
            strange = codes == UNKNOWN
            if strange.any():
                raise DataError(
                    f"Column '{name}': {len(np.unique(row[strange])):,} different records hold items that are missing or that its "
                    "hierarchy does not have."
                )
            open_ = ~np.isin(codes, _codes(hierarchy, self.kept.get(name, ())))
            rows.append(row[open_])
            found.append(codes[open_] + np.int32(at))
            at += hierarchy.leaf_count
        row, item = np.concatenate(rows), np.concatenate(found)
        order = np.lexsort((item, row))
        offsets = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=block.num_rows))])
        return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), pa.array(item[order], pa.int32()))

    def _held(self, column: pa.ChunkedArray, name: str) -> pa.Array:
        if name not in self.sets:
            texts = known_texts(column)
            hidden = pc.is_null(texts).to_numpy(zero_copy_only=False)
            known = texts.drop_null()
            sizes, missing = (~hidden).astype(np.int64), pa.array(hidden)
        else:
            every = pc.list_value_length(column).fill_null(0).to_numpy()
            items = pc.list_flatten(column).cast(pa.string()).combine_chunks()
            kept = pc.is_in(items, pa.array(self.kept.get(name, ()), pa.string())).to_numpy(zero_copy_only=False)
            known = items.filter(pa.array(kept))
            sizes = np.bincount(np.repeat(np.arange(len(every)), every)[kept], minlength=len(every))
            missing = None
        return pa.LargeListArray.from_arrays(pa.array(_starts(sizes)), known, mask=missing)


def encoding(problem: MixedProblem, diverse: Sequence[KLMDiversity]) -> tuple[list[str], Encode]:
    """The columns that are read, and what makes numbers of them."""
    values = {name: h for name, h in problem.hierarchies.items() if name not in problem.sets}
    sets = {name: problem.hierarchies[name] for name in problem.sets}
    spoken_of = tuple(guarantee.column for guarantee in diverse)
    return list(dict.fromkeys([*values, *sets, *spoken_of])), Encode(values, sets, problem.sets, spoken_of)


def read(engine: Engine, problem: MixedProblem, diverse: Sequence[KLMDiversity]) -> MixedRecords:
    """All distinct records, in an order that depends on nothing but what they are."""
    columns, encode_ = encoding(problem, diverse)
    block = engine.map_blocks(columns, Whole(), encode_, schema_of(len(diverse)))
    return records_of(in_order(block), [guarantee.l for guarantee in diverse])


def in_order(encoded: pa.Table) -> pa.Table:
    """By single values, then by items: lists of numbers, compared as texts whose bytes begin with the highest."""
    keys = {}
    for name in ("codes", "items"):
        starts, numbers = _flat(encoded.column(name))
        buffers = [None, pa.py_buffer(starts * 4), pa.py_buffer(numbers.astype(">u4").tobytes())]
        keys[name] = pa.LargeBinaryArray.from_buffers(pa.large_binary(), encoded.num_rows, buffers)
    order = pc.sort_indices(pa.table(keys), sort_keys=[("codes", "ascending"), ("items", "ascending")])
    return encoded.take(order)


def records_of(encoded: pa.Table, shares: Sequence[int]) -> MixedRecords:
    """In the order in which they are given. shares: l of each promise about sensitive values."""
    counts, (_, codes) = encoded.column("records").to_numpy().astype(np.int64), _flat(encoded.column("codes"))
    held = [encoded.column(f"held_{number}") for number in range(len(shares))]
    return MixedRecords(
        codes.reshape(len(counts), -1), *_flat(encoded.column("items")), counts, secrets_of(held, shares)
    )


def secrets_of(held: Sequence[pa.ChunkedArray], shares: Sequence[int]) -> tuple[Secret, ...]:
    """Of each promise every value that occurs, ascending, and what may be any of them."""
    made: list[Secret] = []
    for column, share in zip(held, shares, strict=True):
        missing = pc.is_null(column).to_numpy()
        sizes = pc.list_value_length(column).fill_null(0).to_numpy()
        values = pc.list_flatten(column).combine_chunks().dictionary_encode()
        rows, codes = np.repeat(np.arange(len(sizes)), sizes), values.indices.to_numpy()
        for code in pc.sort_indices(values.dictionary).to_numpy():
            holds = missing.copy()
            holds[rows[codes == code]] = True
            made.append((holds, share))
        if missing.any():
            made.append((missing, share))
    return tuple(made)


def _flat(lists: pa.ChunkedArray) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    return _starts(pc.list_value_length(lists).to_numpy()), pc.list_flatten(lists).to_numpy().astype(np.int32)


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def _codes(hierarchy: Hierarchy, items: Sequence[str]) -> NDArray[np.int32]:
    known = (hierarchy.code(item) for item in items)
    return np.array([code for code in known if code is not None], np.int32)
