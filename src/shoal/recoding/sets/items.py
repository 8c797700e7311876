"""Recoding of items: every item is shown as a label of the hierarchy, or left out.

With one part, an item looks the same wherever it occurs (a global cut). With several, each record belongs to one, by its own items
alone, and every part has a cut of its own (local recoding).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from shoal.data.itemsets import ItemSets
from shoal.errors import DataError, InternalError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from shoal.data.blocks import BlockOf
    from shoal.hierarchies.hierarchy import Hierarchy

LEFT_OUT = -1  # the node of an item that is not shown


@dataclass(frozen=True, eq=False)
class ItemRecoding:
    """The label of every item, or none, in each part."""

    column: str
    hierarchy: Hierarchy
    nodes: NDArray[np.int32]  # (parts, leaves): the node that every item is shown as, or LEFT_OUT
    part_of: BlockOf | None = None  # by the records' items, the one column it is given; needed for several parts

    def __post_init__(self) -> None:
        if self.nodes.ndim != 2 or self.nodes.shape[1] != self.hierarchy.leaf_count or not len(self.nodes):
            raise InternalError("A recoding of items does not name a node for every leaf of the hierarchy.")
        if self.part_of is None and len(self.nodes) > 1:
            raise InternalError("A recoding of items has several parts and no way to tell which record has which.")
        leaves = np.arange(self.hierarchy.leaf_count)
        nodes = np.where(self.nodes == LEFT_OUT, leaves, self.nodes)
        if nodes.min() < 0 or nodes.max() >= len(self.hierarchy.labels):
            raise InternalError("A recoding of items names nodes that the hierarchy does not have.")
        if ((self.hierarchy.first[nodes] > leaves) | (self.hierarchy.last[nodes] < leaves)).any():
            raise InternalError("An item would be shown as a label that does not stand for it.")

    @property
    def parts(self) -> int:
        return len(self.nodes)

    @cached_property
    def items(self) -> pa.Array:
        """(leaves,): the vocabulary of the original sets."""
        return pa.array(self.hierarchy.labels[: self.hierarchy.leaf_count], pa.string())

    @cached_property
    def labels(self) -> pa.Array:
        """(nodes,): the vocabulary of the published sets."""
        return pa.array(self.hierarchy.labels, pa.string())

    def refuse_strangers(self, items: Iterable[str | None]) -> None:
        """Every item that records hold must have a place in the hierarchy."""
        strangers = sum(self.hierarchy.code(item) is None for item in items)
        if strangers:
            raise DataError(
                f"Column '{self.column}': {strangers:,} items are not in the column's hierarchy. "
                f"`shoal hierarchy check FILE --data DATA --column {self.column}` lists what is missing."
            )

    def over(self, sets: ItemSets, parts: NDArray[np.int64] | None = None) -> ItemSets:
        """What each of these records shows, as nodes. sets: by leaf code; parts: (records,), when there are several."""
        if parts is None:
            if self.parts > 1:
                raise InternalError(
                    "A recoding of items has several parts, and it was not said which record has which."
                )
            parts = np.zeros(len(sets), np.int64)
        if len(parts) and not (parts.min() >= 0 and parts.max() < self.parts):
            raise InternalError("A record belongs to a part that a recoding of items does not have.")
        rows = sets.rows
        shown = self.nodes[parts[rows], sets.items]
        kept = shown != LEFT_OUT
        return ItemSets.of_pairs(rows[kept], shown[kept], len(sets), self.labels)

    def to_json(self) -> dict[str, Any]:
        """For the private manifest: enough to apply the same recoding again."""
        labels = self.hierarchy.labels
        return {
            "kind": "items",
            "column": self.column,
            "parts": [
                {
                    str(labels[leaf]): None if node == LEFT_OUT else labels[node]
                    for leaf, node in enumerate(nodes)
                    if node != leaf
                }
                for nodes in self.nodes.tolist()
            ],
        }
