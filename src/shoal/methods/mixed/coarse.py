"""The coarse partition of a table with item sets into blocks, by the single values alone.

Tuples are cut in two, along the hierarchy of the column in which they spread widest, until no part holds more records than asked
for. Both sides hold at least k records, and 20k where blocks are large enough: a part from which no cut leaves that many stays
whole, however large it is. A tuple lies in one block with all its records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.hierarchies.coding import encode
from shoal.kernels.tables.cut_ends import CutTree, GrowingTree, end_of
from shoal.kernels.tables.cuts import COLUMN, divide, propose

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.kernels.tables.boxes import Trees

_TIMES_K = 20  # records on both sides: where a block is hardly more than a class, nothing is left to choose


@dataclass(frozen=True, eq=False)
class Coarse:
    """The block of a record, by its single values. What is sent to workers."""

    hierarchies: Mapping[str, Hierarchy]
    tree: CutTree
    blocks: int

    @classmethod
    def of(
        cls,
        hierarchies: Mapping[str, Hierarchy],
        priced: Trees,
        counted: FrequencySet,
        weights: Sequence[Fraction],
        k: int,
        most: int,
    ) -> Coarse:
        """Blocks of at most so many records, if there are such cuts."""
        shares = [float(weight) for weight in weights]
        tree, blocks = cut_up(priced, counted.codes, counted.counts, shares, least_records(k, most), most)
        return cls(hierarchies, tree, blocks)

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        codes = np.empty((batch.num_rows, len(self.hierarchies)), np.int32)
        each = np.ones(batch.num_rows, np.int64)
        for c, (name, hierarchy) in enumerate(self.hierarchies.items()):
            codes[:, c] = encode(pa.chunked_array([batch.column(name)]), name, hierarchy, each)
        return pa.array(end_of(self.tree, codes))


def least_records(k: int, most: int) -> int:
    """On both sides of a cut."""
    return max(k, min(_TIMES_K * k, most // 4))


def cut_up(
    priced: Trees,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    weights: Sequence[float],
    least: int,
    most: int,
) -> tuple[CutTree, int]:
    """The tree whose ends are the blocks, numbered in the order of their first tuples; and how many there are.

    codes: (tuples, columns), all different; counts: records of each; weights: of the columns.
    """
    tuples = np.lexsort(codes.T[::-1])
    codes, counts = np.ascontiguousarray(codes[tuples]), counts[tuples]
    order, tree = np.arange(len(codes)), GrowingTree(codes)
    stretches, nodes = np.array([[0, len(codes)]], np.int64), np.zeros(1, np.int64)
    blocks: list[tuple[int, int]] = []  # first tuple, node
    asked = priced, codes, counts, order
    columns = np.ones(codes.shape[1], np.bool_)
    while len(stretches):
        ahead = np.concatenate([[0], np.cumsum(counts[order])])
        large = ahead[stretches[:, 1]] - ahead[stretches[:, 0]] > most
        cuts = np.full((len(stretches), 4), -1, np.int64)
        for along in (columns, ~columns):  # else in the order of the values
            open_ = np.flatnonzero(large & (cuts[:, COLUMN] < 0))
            none = np.zeros(len(open_), np.int64)
            cuts[open_] = propose(*asked, stretches[open_], none, np.array(weights), along, False, least)
        able = cuts[:, COLUMN] >= 0
        blocks += [
            (int(order[start]), node) for (start, _), node in zip(stretches[~able], nodes[~able].tolist(), strict=True)
        ]
        middles = divide(codes, order, stretches[able], cuts[able])
        nodes = tree.cut(nodes[able], cuts[able])
        halves = np.stack([stretches[able, 0], middles, middles, stretches[able, 1]], axis=1)
        stretches = halves.reshape(-1, 2)
    return tree.grown([node for _, node in sorted(blocks)]), len(blocks)
