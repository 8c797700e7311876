"""Nodes, each with its class, what it hangs below and its text, as columns in the form in which trees are published.

What a node hangs below is a number: record r is r, and node i is `records + i`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.trees.nested import VALUE

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.verifier.trees.shape import TreeShape


class Published:
    """The nodes of some records. Equal texts of a class below the same node must be one node by now."""

    def __init__(
        self,
        shape: TreeShape,
        records: int,
        number: NDArray[np.int64],
        above: NDArray[np.int64],
        texts: pa.Array,
    ) -> None:
        """number: (nodes,) of the class. above: (nodes,) what each hangs below. texts: (nodes,)"""
        self._shape, self._records, self._texts = shape, records, texts
        order = np.lexsort((above, number))
        edges = np.searchsorted(number[order], np.arange(len(shape.names) + 1))
        # by class: its nodes in the order of what they hang below, and what that is
        self._nodes = {name: order[edges[i] : edges[i + 1]] for i, name in enumerate(shape.names)}
        self._above = {name: above[nodes] for name, nodes in self._nodes.items()}

    def columns(self) -> dict[str, pa.Array]:
        """By class, of each record the list of its nodes."""
        records = np.arange(self._records, dtype=np.int64)
        return {name: self._lists(name, records) for name in self._shape.names}

    def _lists(self, name: str, holders: NDArray[np.int64]) -> pa.Array:
        """(holders,) the list of the nodes of a class that hang below each of these."""
        import pyarrow as pa

        first = np.searchsorted(self._above[name], holders, "left")
        sizes = np.searchsorted(self._above[name], holders, "right") - first
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        places = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - first, sizes)
        nodes = self._nodes[name][places]
        fields = {VALUE: self._texts.take(pa.array(nodes))}
        fields |= {below: self._lists(below, nodes + self._records) for below in self._shape.under(name)}
        structs = pa.StructArray.from_arrays(list(fields.values()), list(fields))
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), structs)
