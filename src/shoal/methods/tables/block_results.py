"""What was decided for a block, as a row of a table: it may come from another process or another machine.

No object of ours is sent back, only arrays and texts; what they say is checked against the tuples that the caller has counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from shoal.errors import InternalError
from shoal.kernels.grouping import Layout
from shoal.methods.method import Attempt
from shoal.methods.tables.problem import table_recoding
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.recoded import ShownValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.hierarchies.hierarchy import Label
    from shoal.methods.method import Decision
    from shoal.methods.tables.ground import Ground

SCHEMA = pa.schema(
    [
        ("keys", pa.list_(pa.int64())),  # of the parts: their tuples, packed; as many words as the layout has
        ("counts", pa.list_(pa.int64())),  # of the parts: records
        ("classes", pa.list_(pa.int32())),  # of the parts: the class
        ("values", pa.list_(pa.int32())),  # of the classes: which value they show in each column
        ("labels", pa.list_(pa.list_(pa.string()))),  # of each column: the values shown
        ("offsets", pa.list_(pa.list_(pa.int64()))),  # of each column: where the raw values of each begin in `leaves`
        ("leaves", pa.list_(pa.list_(pa.int32()))),
        ("tried", pa.list_(pa.struct([("method", pa.string()), ("loss", pa.float64()), ("seconds", pa.float64())]))),
    ]
)


@dataclass(frozen=True, eq=False)
class Block:
    """What was decided for one block of a table."""

    keys: NDArray[np.uint64]  # (parts, words)
    counts: NDArray[np.int64]  # (parts,)
    classes: NDArray[np.int32]  # (parts,)
    values: NDArray[np.int32]  # (classes, columns)
    shown: tuple[ShownValues, ...]
    tried: tuple[Attempt, ...]

    @classmethod
    def of(cls, decision: Decision, frequency: FrequencySet) -> Block:
        recoded = table_recoding(decision).over(frequency)
        layout = Layout.for_domains([h.leaf_count for h in recoded.hierarchies])
        return cls(
            layout.pack(recoded.codes),
            recoded.counts,
            recoded.classes,
            recoded.values,
            recoded.shown,
            decision.tried,
        )

    @property
    def records(self) -> int:
        return int(self.counts.sum())

    def table(self) -> pa.Table:
        row = {
            "keys": [self.keys.view(np.int64).ravel()],
            "counts": [self.counts],
            "classes": [self.classes],
            "values": [self.values.ravel()],
            "labels": [[shown.labels for shown in self.shown]],
            "offsets": [[shown.offsets for shown in self.shown]],
            "leaves": [[shown.leaves for shown in self.shown]],
            "tried": [[{"method": a.method, "loss": a.loss, "seconds": a.seconds} for a in self.tried]],
        }
        return pa.table(row, schema=SCHEMA)

    @classmethod
    def at(cls, table: pa.Table, row: int) -> Block:
        column = {name: table.column(name)[row].values for name in SCHEMA.names}

        def array(name: str) -> NDArray[Any]:
            values: NDArray[Any] = column[name].to_numpy(zero_copy_only=False)
            return values

        def arrays(name: str) -> list[NDArray[Any]]:
            return [one.values.to_numpy(zero_copy_only=False) for one in column[name]]

        columns, counts = len(column["labels"]), array("counts")
        return cls(
            array("keys").view(np.uint64).reshape(len(counts), -1),
            counts,
            array("classes"),
            array("values").reshape(-1, columns),
            tuple(
                ShownValues(tuple(labels), offsets, leaves)
                for labels, offsets, leaves in zip(
                    column["labels"].to_pylist(), arrays("offsets"), arrays("leaves"), strict=True
                )
            ),
            tuple(Attempt(a["method"], a["loss"], a["seconds"], "") for a in column["tried"].to_pylist()),
        )


def together(ground: Ground, blocks: Sequence[Block]) -> GroupRecoding:
    """One recoding of the whole table. Parts come in the order of the tuples."""
    firsts = np.cumsum([0, *(len(block.values) for block in blocks[:-1])])
    keys = np.concatenate([block.keys for block in blocks])
    counts = np.concatenate([block.counts for block in blocks])
    classes = np.concatenate([block.classes for block in blocks])
    groups = classes + np.repeat(firsts, [len(block.classes) for block in blocks])
    tuples = _tuple_of(ground, keys)
    records = np.bincount(tuples, weights=counts, minlength=len(ground.frequency.counts))
    if not np.array_equal(records, ground.frequency.counts) or classes.min() < 0:
        raise InternalError("Blocks decided for other records than were counted; nothing was published.")
    order = np.argsort(tuples, kind="stable")
    values, shown = _numbered(ground, blocks)
    return GroupRecoding.of_values(
        ground.columns,
        ground.hierarchies,
        ground.frequency.codes[tuples[order]],
        counts[order],
        groups[order].astype(np.int32),
        values,
        shown,
    )


def _tuple_of(ground: Ground, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """(parts,): the number of the tuple with this key."""
    layout = Layout.for_domains([h.leaf_count for h in ground.hierarchies])
    known = layout.pack(ground.frequency.codes)
    order = np.lexsort((*np.concatenate([known, keys]).T,))
    # a stable sort: a tuple that was counted comes before the parts that have its key
    place = np.maximum.accumulate(np.where(order < len(known), np.arange(len(order)), 0))
    owner = order[place]
    tuple_numbers = np.empty(len(order), np.int64)
    tuple_numbers[order] = owner
    tuples = tuple_numbers[len(known) :]
    if tuples.max(initial=0) >= len(known) or not np.array_equal(known[tuples], keys):
        raise InternalError("Blocks decided for combinations that were not counted; nothing was published.")
    return tuples


def _numbered(ground: Ground, blocks: Sequence[Block]) -> tuple[NDArray[np.int32], tuple[ShownValues, ...]]:
    """(classes of all blocks, columns): values shown, numbered through all blocks; and the values of each column."""
    values = np.concatenate([block.values for block in blocks])
    ends = np.cumsum([len(block.values) for block in blocks])
    shown = []
    for c in range(len(ground.columns)):
        numbers: dict[Label, int] = {}
        leaves: list[NDArray[np.int32]] = []
        for block, end in zip(blocks, ends.tolist(), strict=True):
            values_shown = block.shown[c]
            number = np.empty(len(values_shown.labels), np.int32)
            for v, label in enumerate(values_shown.labels):
                known = numbers.setdefault(label, len(leaves))
                if known == len(leaves):
                    leaves.append(values_shown.leaves_of(v))
                elif not np.array_equal(leaves[known], values_shown.leaves_of(v)):
                    raise InternalError(
                        "A value means one thing in a block and another elsewhere; nothing was published."
                    )
                number[v] = known
            rows = slice(end - len(block.values), end)
            values[rows, c] = number[values[rows, c]]
        offsets = np.cumsum([0, *map(len, leaves)], dtype=np.int64)
        shown.append(ShownValues(tuple(numbers), offsets, np.concatenate(leaves).astype(np.int32)))
    return values, tuple(shown)
