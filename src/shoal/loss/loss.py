"""What a loss is: one figure for a recoding of any kind, and a way for a search to bound it before it looks.

Two kinds can be minimized. A *cell loss* (GLM, NCP, entropy) adds up a cost per published cell that depends only on the value
that stands there; a suppressed record pays the full cost in every column. A *class loss* (DM, CE) adds up a cost per class.
All sums are integers, and a loss is one exact fraction, so that ties are ties on every machine (ERRATA G3).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from shoal.recoding.tables.recoded import ShownValues

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.guarantees.guarantee import ClassCounts
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.recoding.tables.recoded import Recoded


class Loss(Protocol):
    """How much detail a table lost."""

    name: ClassVar[str]
    title: ClassVar[str]
    plain: ClassVar[str]  # the same in plain words
    formula: ClassVar[str]  # one sentence for reports, saying how suppressed records count
    share: ClassVar[bool]  # it lies between 0 and 1

    def of(self, recoded: Recoded, weights: Sequence[Fraction]) -> Fraction:
        """The loss of a recoding. weights: of the columns, with the sum 1."""
        ...


class ClassLoss(Loss, Protocol):
    """Merging classes never lowers it when nothing is suppressed, and suppressing a class never does: searches rely on both."""

    @property
    def column(self) -> str | None:
        """The sensitive column it looks at, if any."""
        ...

    def class_loss(self, classes: ClassCounts, kept: NDArray[np.bool_]) -> Fraction:
        """classes: with the suppressed ones; kept: (classes,) whether each is published."""
        ...


class CellLoss(ABC):
    """A loss that is known when the cost of every value is. `value_costs` is the definition; the rest follows."""

    name: ClassVar[str]
    title: ClassVar[str]
    plain: ClassVar[str]
    formula: ClassVar[str]
    share: ClassVar[bool] = True
    column: ClassVar[None] = None  # it looks at no sensitive column

    @abstractmethod
    def value_costs(self, hierarchy: Hierarchy, marginal: NDArray[np.int64], shown: ShownValues) -> NDArray[np.int64]:
        """(values,): what a cell that shows each value costs. marginal: records that hold each raw value."""

    @abstractmethod
    def full_cost(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> int:
        """What a hidden cell costs: no value costs more."""

    def base_cost(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> int:
        """What all cells of the raw column cost together."""
        return 0

    def node_costs(self, hierarchy: Hierarchy, marginal: NDArray[np.int64]) -> NDArray[np.int64]:
        """(nodes,): what a cell that shows each node of the hierarchy costs."""
        nodes = np.arange(len(hierarchy.labels), dtype=np.int32)
        return self.value_costs(hierarchy, marginal, ShownValues.of_nodes(hierarchy, nodes))

    def cell_costs(
        self, hierarchies: Sequence[Hierarchy], marginals: Sequence[NDArray[np.int64]], weights: Sequence[Fraction]
    ) -> CellCosts:
        """Of every value that full-domain recoding can show."""
        costs = []
        for h, marginal in zip(hierarchies, marginals, strict=True):
            by_node = self.node_costs(h, marginal)
            costs.append(tuple(by_node[h.group_nodes(level)] for level in range(h.height + 1)))
        return CellCosts(tuple(costs), *self.ends(hierarchies, marginals), tuple(weights))

    def of(self, recoded: Recoded, weights: Sequence[Fraction]) -> Fraction:
        marginals = [recoded.marginal(c) for c in range(len(recoded.hierarchies))]
        full, base = self.ends(recoded.hierarchies, marginals)
        sums = []
        for c, (hierarchy, marginal) in enumerate(zip(recoded.hierarchies, marginals, strict=True)):
            costs = self.value_costs(hierarchy, marginal, recoded.shown[c])
            sums.append(int((costs * recoded.records(c)).sum()) + recoded.suppressed * full[c])
        return cell_scale(full, base, weights, recoded.rows).loss(sums)

    def ends(
        self, hierarchies: Sequence[Hierarchy], marginals: Sequence[NDArray[np.int64]]
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The full and the base cost of every column."""
        columns = list(zip(hierarchies, marginals, strict=True))
        return (
            tuple(self.full_cost(h, marginal) for h, marginal in columns),
            tuple(self.base_cost(h, marginal) for h, marginal in columns),
        )


@dataclass(frozen=True, eq=False)
class CellCosts:
    """Integer costs of the values a column can show: costs[column][level][group], and `full[column]` for a hidden cell.

    The loss of a column is (what its cells cost − base) / (what hiding all would cost − base), so 0 for the raw data and
    1 when every cell is hidden.
    """

    costs: tuple[tuple[NDArray[np.int64], ...], ...]
    full: tuple[int, ...]
    base: tuple[int, ...]  # what all cells of the raw column cost
    weights: tuple[Fraction, ...]  # sum to 1

    def scale(self, rows: int) -> CellScale:
        return cell_scale(self.full, self.base, self.weights, rows)

    def level_sums(self, hierarchies: Sequence[Hierarchy], marginals: Sequence[NDArray[np.int64]]) -> list[list[int]]:
        """[column][level]: what the column costs at that level when nothing is suppressed."""
        return [
            [int((cost[h.groups[level]] * marginal).sum()) for level, cost in enumerate(column)]
            for column, h, marginal in zip(self.costs, hierarchies, marginals, strict=True)
        ]


@dataclass(frozen=True)
class CellScale:
    """Turns the summed costs of a table into one exact fraction."""

    factors: tuple[int, ...]
    base: tuple[int, ...]
    denominator: int

    def loss(self, sums: Sequence[int]) -> Fraction:
        """The loss when the cells of column c cost sums[c] in all."""
        scaled = sum(f * (s - b) for f, s, b in zip(self.factors, sums, self.base, strict=True))
        return Fraction(scaled, self.denominator)


def cell_scale(full: Sequence[int], base: Sequence[int], weights: Sequence[Fraction], rows: int) -> CellScale:
    """The scale on which hiding everything costs 1 and the raw data 0, weighted by column."""
    most = [f * rows - b for f, b in zip(full, base, strict=True)]
    shares = [w / m if m > 0 else Fraction(0) for w, m in zip(weights, most, strict=True)]
    denominator = math.lcm(*(share.denominator for share in shares))
    return CellScale(tuple(int(share * denominator) for share in shares), tuple(base), denominator)


@dataclass(frozen=True, eq=False)
class NodePrices:
    """What showing a value adds to a cell loss, per record, for searches that compare in floats.

    The loss of a recoding is, up to rounding, the sum of prices[column][node] over the columns of all published records, plus
    `hidden` for every suppressed record, minus `constant`. `unit[column]` turns a cost into a price, for values that are
    no nodes: their costs are those of `value_costs`.
    """

    prices: tuple[NDArray[np.float64], ...]
    full: tuple[float, ...]  # of a hidden cell of each column
    unit: tuple[float, ...]
    constant: float

    @property
    def hidden(self) -> float:
        """What a suppressed record adds."""
        return math.fsum(self.full)


def node_prices(
    loss: CellLoss,
    hierarchies: Sequence[Hierarchy],
    marginals: Sequence[NDArray[np.int64]],
    weights: Sequence[Fraction],
    rows: int,
) -> NodePrices:
    """Of every node of every hierarchy."""
    full, base = loss.ends(hierarchies, marginals)
    scale = cell_scale(full, base, weights, rows)
    unit = tuple(factor / scale.denominator for factor in scale.factors)
    return NodePrices(
        tuple(loss.node_costs(h, m) * np.float64(u) for h, m, u in zip(hierarchies, marginals, unit, strict=True)),
        tuple(f * u for f, u in zip(full, unit, strict=True)),
        unit,
        sum(factor * b for factor, b in zip(scale.factors, base, strict=True)) / scale.denominator,
    )


def normalized_weights(columns: Sequence[str], weights: Mapping[str, float]) -> tuple[Fraction, ...]:
    """Weights that sum to 1; a column that is not mentioned weighs 1."""
    raw = [Fraction(str(weights.get(column, 1))) for column in columns]
    total = sum(raw)
    return tuple(weight / total for weight in raw)
