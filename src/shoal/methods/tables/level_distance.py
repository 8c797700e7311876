"""The hierarchical distance of paper 002: how many levels two tuples have to climb until they look the same.

Definitions 3 to 5: a column costs the levels from a value up to its lowest common ancestor with the other, over the height of the
hierarchy; a distance is the sum over both tuples and all columns. ERRATA 002-8: levels are only ever compared between a value and
its ancestor. The recipe's weights of columns count as well; with equal weights this is the distance of the paper.

Levels are turned into whole numbers over a common denominator, so that sums, ties and thresholds are exact (ERRATA G3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.grouping import Layout
from shoal.kernels.tables.boxes import Trees
from shoal.kernels.tables.spanning import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy

_LARGEST = (
    1 << 20
)  # distances stay below twice this: a weight fits into 21 bits, and 2^31 records times it into a float
_TABLE = 128  # entries of a table of distances for each tuple
_LARGEST_TABLE = 1 << 22


@dataclass(frozen=True)
class Step:
    """A level at which values of a column become alike."""

    level: int
    price: int  # half the distance between values that become alike here
    values: NDArray[np.int32]  # (leaves,): the first leaf of the value that each is replaced by


@dataclass(frozen=True, eq=False)
class Keys:
    """Sorts boxes so that neighbours are alike: a key has the values at all levels, what is most expensive in the highest bits."""

    columns: tuple[int, ...]
    values: tuple[
        NDArray[np.int32], ...
    ]  # (nodes of the column,) each: the value at some level; one more above that level
    layout: Layout

    @classmethod
    def of(
        cls, hierarchies: Sequence[Hierarchy], levels: Sequence[NDArray[np.int64]], steps: Sequence[Sequence[Step]]
    ) -> Keys:
        fields = []
        for c, (hierarchy, level) in enumerate(zip(hierarchies, levels, strict=True)):
            leaves = hierarchy.leaf_count
            value, lower = np.arange(leaves, dtype=np.int32), 0
            for step in steps[c]:  # values that differ before a step are at least its price apart
                fields.append((step.price, -c, np.where(level <= lower, value[hierarchy.first], leaves)))
                value, lower = step.values, step.level
        fields.sort(key=lambda field: field[:2])
        return cls(
            tuple(-c for _, c, _ in fields),
            tuple(values.astype(np.int32) for _, _, values in fields),
            Layout.for_domains([int(values.max()) + 1 for _, _, values in fields]),
        )

    def __call__(self, boxes: NDArray[np.int32]) -> NDArray[np.uint64]:
        """boxes: (boxes, columns) hierarchy nodes → (boxes, words); the last word counts most"""
        fields = np.empty((len(boxes), len(self.columns)), np.int32)
        for i, (column, values) in enumerate(zip(self.columns, self.values, strict=True)):
            fields[:, i] = values[boxes[:, column]]
        return self.layout.pack(fields)


@dataclass(frozen=True, eq=False)
class Space:
    """Distinct tuples, numbered so that neighbours are alike: first by what is most expensive to give up."""

    codes: NDArray[np.int32]  # (points, columns) leaf codes
    records: NDArray[np.int64]  # (points,)
    tuples: NDArray[np.int64]  # (points,): where each stands in the frequency set
    priced: Trees  # priced by half the distance that a common value means
    steps: tuple[tuple[Step, ...], ...]  # of each column, from the bottom up; the last is the top
    keys: Keys
    scale: Fraction  # whole numbers for one climb through a whole hierarchy

    @classmethod
    def of(
        cls,
        priced: Trees,
        hierarchies: Sequence[Hierarchy],
        weights: Sequence[Fraction],
        codes: NDArray[np.int32],
        counts: NDArray[np.int64],
    ) -> Space:
        units, scale = _units([h.height for h in hierarchies], weights)
        levels = [node_levels(h) for h in hierarchies]
        steps = tuple(_steps(h, level, unit) for h, level, unit in zip(hierarchies, levels, units, strict=True))
        prices = [unit * level for level, unit in zip(levels, units, strict=True)]
        keys = Keys.of(hierarchies, levels, steps)
        order = np.lexsort(keys(codes).T)
        return cls(
            np.ascontiguousarray(codes[order]),
            counts[order],
            order,
            priced._replace(prices=np.concatenate(prices).astype(np.float64)),
            steps,
            keys,
            scale,
        )

    def part(self, points: NDArray[np.int64]) -> Space:
        return replace(
            self,
            codes=self.codes[points],
            records=self.records[points],
            tuples=self.tuples[points],
        )

    def rows(self, *, tables: bool) -> Rows:
        """For looking at pairs. Tables of distances between combinations of the values of small columns take a while to make,
        and save most of the lookups."""
        points, columns = self.codes.shape
        most = math.isqrt(min(_TABLE * points, _LARGEST_TABLE)) if tables else 1  # values of a block that has a table
        present = [np.flatnonzero(np.bincount(self.codes[:, c])) for c in range(columns)]
        blocks: list[list[int]] = []
        for column in sorted(range(columns), key=lambda c: -len(present[c])):
            home = next((b for b in blocks if math.prod(len(present[c]) for c in [*b, column]) <= most), None)
            if home is None:
                blocks.append([column])
            else:
                home.append(column)
        codes = np.empty((len(blocks), points), np.uint32)
        starts, made, at, wide = [0], [np.empty(0, np.int64)], [], []
        for b, block in enumerate(blocks):
            if len(present[block[0]]) > most:
                (column,) = block
                codes[b] = self.codes[:, column] + starts[-1]
                starts.append(starts[-1] + len(self.steps[column][-1].values))
                at.append(-1)
                wide.append(column)
                continue
            place, table = np.zeros(points, np.int64), np.zeros((1, 1), np.int64)
            for column in block:
                place = place * len(present[column]) + np.searchsorted(present[column], self.codes[:, column])
                between = self._between(column, present[column])
                table = (table[:, None, :, None] + between[None, :, None, :]).reshape(2 * (len(table) * len(between),))
            codes[b] = place + starts[-1]
            starts.append(starts[-1] + len(table))
            at.append(sum(map(len, made)))
            made.append(table.reshape(-1))
            wide.append(-1)
        return Rows(
            codes,
            np.array(starts, np.int64),
            np.concatenate(made),
            np.array(at, np.int64),
            np.array(wide, np.int64),
            self.priced,
        )

    def _between(self, column: int, leaves: NDArray[np.int64]) -> NDArray[np.int64]:
        """(leaves, leaves): half the distances between some leaves of a column."""
        table = np.zeros((len(leaves), len(leaves)), np.int64)
        apart = leaves[:, None] != leaves[None, :]
        for step in self.steps[column]:
            table[apart] = step.price
            apart &= step.values[leaves][:, None] != step.values[leaves][None, :]
        return table


def node_levels(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """(nodes,): the lowest level at which all values below a node are published as it, or as something above it."""
    levels = np.zeros(len(hierarchy.labels), np.int64)
    for level in range(1, hierarchy.height + 1):
        reached = hierarchy.levels[level] != hierarchy.levels[level - 1]
        levels[hierarchy.levels[level][reached]] = level
    return levels


def _units(heights: Sequence[int], weights: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """What one level of each column counts, in whole numbers; and what 1 of the paper's distance is in them.

    Exact unless heights and weights have no common denominator of a sensible size; then the nearest whole numbers.
    """
    shares = [w * len(weights) / h if h else Fraction(0) for w, h in zip(weights, heights, strict=True)]
    scale = Fraction(math.lcm(*(s.denominator for s in shares)))
    scale /= math.gcd(*(int(s * scale) for s in shares)) or 1
    total = sum((s * h for s, h in zip(shares, heights, strict=True)), Fraction(0))
    if total * scale > _LARGEST:
        scale = Fraction(_LARGEST) / total
    return [max(round(s * scale), 1) if s else 0 for s in shares], scale


def _steps(hierarchy: Hierarchy, levels: NDArray[np.int64], unit: int) -> tuple[Step, ...]:
    steps = []
    node = np.arange(hierarchy.leaf_count)
    for level in np.unique(levels)[1:].tolist():
        above = hierarchy.parents[node]
        node = np.where((above >= 0) & (levels[above] <= level), above, node)
        steps.append(Step(level, unit * level, hierarchy.first[node]))
    return tuple(steps)
