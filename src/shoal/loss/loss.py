"""What a loss is, and how a search can bound it before it looks.

Two kinds exist. A *cell loss* (GLM, NCP, entropy) adds up a cost per published cell that depends only on the value that
stands there; a suppressed record pays the full cost in every column. A *class loss* (DM) adds up a cost per class.
All sums are integers, and a loss is one exact fraction, so that ties are ties on every machine (ERRATA G3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class CellCosts:
    """Integer costs of the values a column can show: costs[column][level][group], and `full[column]` for a hidden cell.

    The loss of a column is (what its cells cost − base) / (what hiding all would cost − base), so 0 for the raw data and
    1 when every cell is hidden.
    """

    costs: tuple[tuple[NDArray[np.int64], ...], ...]
    full: tuple[int, ...]
    weights: tuple[Fraction, ...]  # sum to 1
    base: tuple[int, ...]  # what all cells of the raw column cost

    def scale(self, rows: int) -> CellScale:
        """Factors that turn the summed costs of a table with so many rows into one exact fraction."""
        most = [full * rows - base for full, base in zip(self.full, self.base, strict=True)]
        shares = [w / m if m > 0 else Fraction(0) for w, m in zip(self.weights, most, strict=True)]
        denominator = math.lcm(*(share.denominator for share in shares))
        return CellScale(tuple(int(share * denominator) for share in shares), self.base, denominator)

    def level_sums(self, hierarchies: Sequence[Hierarchy], marginals: Sequence[NDArray[np.int64]]) -> list[list[int]]:
        """[column][level]: what the column costs at that level when nothing is suppressed."""
        return [
            [int((cost[h.groups[level]] * marginal).sum()) for level, cost in enumerate(column)]
            for column, h, marginal in zip(self.costs, hierarchies, marginals, strict=True)
        ]


@dataclass(frozen=True)
class CellScale:
    factors: tuple[int, ...]
    base: tuple[int, ...]
    denominator: int

    def loss(self, sums: Sequence[int]) -> Fraction:
        """The loss when the cells of column c cost sums[c] in all."""
        scaled = sum(f * (s - b) for f, s, b in zip(self.factors, sums, self.base, strict=True))
        return Fraction(scaled, self.denominator)


class Loss(Protocol):
    name: ClassVar[str]
    title: ClassVar[str]
    formula: ClassVar[str]  # one sentence for reports, saying how suppressed records count


class CellLoss(Loss, Protocol):
    def cell_costs(
        self, hierarchies: Sequence[Hierarchy], marginals: Sequence[NDArray[np.int64]], weights: Sequence[Fraction]
    ) -> CellCosts: ...


class ClassLoss(Loss, Protocol):
    def class_loss(self, kept: NDArray[np.int64], suppressed: int, rows: int) -> Fraction:
        """kept: sizes of the published classes; rows: records before suppression."""
        ...


def normalized_weights(columns: Sequence[str], given: Mapping[str, float]) -> tuple[Fraction, ...]:
    """Weights that sum to 1; a column that is not mentioned weighs 1."""
    raw = [Fraction(str(given.get(column, 1))) for column in columns]
    total = sum(raw)
    return tuple(weight / total for weight in raw)


def group_leaves(hierarchy: Hierarchy, level: int) -> NDArray[np.int64]:
    """(groups,): the number of raw values a published value of this level may stand for."""
    nodes = hierarchy.group_nodes(level)
    return (hierarchy.last[nodes] - hierarchy.first[nodes] + 1).astype(np.int64)
