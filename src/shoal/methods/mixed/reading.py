"""The records of a table with item sets, as numbers: what an engine hands over, and what a method works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.combinations import UNKNOWN, coded
from shoal.data.text import text_array
from shoal.errors import DataError
from shoal.hierarchies.coding import encode
from shoal.methods.mixed.clusters import MixedRecords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.guarantees.k_lm_diversity import KLMDiversity
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.method import Problem
    from shoal.methods.mixed.item_mapping import Secret

_SCHEMA = pa.schema(
    [
        ("codes", pa.large_list(pa.int32())),
        ("items", pa.large_list(pa.int32())),
        (
            "held",
            pa.large_list(pa.large_list(pa.string())),
        ),  # of each promise, the sensitive values; missing: any of them
        ("records", pa.int64()),
    ]
)


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
    told: tuple[str, ...]  # of each promise, the column that it speaks of

    def __call__(self, block: pa.Table) -> pa.Table:
        counts = block.column("records").to_numpy().astype(np.int64)
        codes = np.empty((len(counts), len(self.values)), np.int32)
        for c, (name, hierarchy) in enumerate(self.values.items()):
            codes[:, c] = encode(block.column(name), name, hierarchy, counts)
        held = [self._held(block.column(name), name) for name in self.told]
        return pa.table(
            [
                pa.array(list(codes), pa.large_list(pa.int32())),
                self._items(block),
                pa.array(
                    [list(one) for one in zip(*held, strict=True)] if held else [[] for _ in counts],
                    _SCHEMA.field("held").type,
                ),
                pa.array(counts),
            ],
            schema=_SCHEMA,
        )

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

    def _held(self, column: pa.ChunkedArray, name: str) -> list[list[str] | None]:
        if name in self.sets:
            kept = set(self.kept.get(name, ()))
            return [[item for item in one or () if item in kept] for one in column.to_pylist()]
        texts = text_array(column.combine_chunks()).to_pylist()
        return [None if text in (None, "*") else [text] for text in texts]


def read(engine: Engine, problem: Problem, diverse: Sequence[KLMDiversity]) -> MixedRecords:
    """All distinct records, in an order that depends on nothing but what they are."""
    values = {name: h for name, h in problem.hierarchies.items() if name not in problem.sets}
    sets = {name: problem.hierarchies[name] for name in problem.sets}
    told = tuple(guarantee.column for guarantee in diverse)
    columns = list(dict.fromkeys([*values, *sets, *told]))
    block = engine.map_blocks(columns, Whole(), Encode(values, sets, problem.sets, told), _SCHEMA)
    codes = pc.list_flatten(block.column("codes")).to_numpy().reshape(block.num_rows, -1).astype(np.int32)
    sizes = pc.list_value_length(block.column("items")).to_numpy().astype(np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    items = pc.list_flatten(block.column("items")).to_numpy().astype(np.int32)
    whole = MixedRecords(codes, offsets, items, block.column("records").to_numpy().astype(np.int64))
    order = _order(whole)
    offsets, items, counts = whole.rows(order)
    return MixedRecords(whole.codes[order], offsets, items, counts, _secrets(block, diverse, order))


def _order(records: MixedRecords) -> NDArray[np.int64]:
    keys = [
        (tuple(code), tuple(records.items[begin:end].tolist()))
        for code, begin, end in zip(
            records.codes.tolist(), records.offsets[:-1].tolist(), records.offsets[1:].tolist(), strict=True
        )
    ]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def _secrets(block: pa.Table, diverse: Sequence[KLMDiversity], order: NDArray[np.int64]) -> tuple[Secret, ...]:
    held = block.column("held").to_pylist()
    made: list[Secret] = []
    for number, guarantee in enumerate(diverse):
        mine = [held[row][number] for row in order.tolist()]
        values = sorted({text for one in mine if one is not None for text in one})
        made += [(np.array([one is None or value in one for one in mine]), guarantee.l) for value in values]
        missing = np.array([one is None for one in mine])
        if missing.any():
            made.append((missing, guarantee.l))
    return tuple(made)


def _codes(hierarchy: Hierarchy, items: Sequence[str]) -> NDArray[np.int32]:
    known = (hierarchy.code(item) for item in items)
    return np.array([code for code in known if code is not None], np.int32)
