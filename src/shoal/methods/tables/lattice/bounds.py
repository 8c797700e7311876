"""What is known of every node of a lattice before one is looked at: how little it can lose, and where a chain should climb."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.tables.agreement import pairs_alike
from shoal.loss.tables.dm import DM
from shoal.methods.tables.lattice.lattice import outer_sum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.loss.loss import CellLoss, ClassLoss
    from shoal.methods.tables.lattice.nodes import Nodes

_PAIRS_PER_NODE = 8192  # comparing so many pairs of tuples takes less than the looks it saves
_EXACT_ROWS = 1 << 25  # with fewer records their square, and half of one beside it, are exact as floats


@dataclass(frozen=True, eq=False)
class Bounds:
    """What is known of losses before a node is looked at."""

    least: NDArray[np.float64]  # over the lattice: the loss without suppression, or what is known of it
    known: bool  # `least` is that loss and not a mere bound; otherwise it is learnt from node to node
    grain: float  # two different losses are at least this far apart, when that is known and floats can tell; else 0
    rises: bool  # suppression makes a node lose more, and no less than the same records cost in a more general node
    prices: list[list[float]]  # [column][level]: the detail lost by one level more, per node brought below a chain


def bounds_of(nodes: Nodes, frequency: FrequencySet, loss: CellLoss | ClassLoss, limit: int) -> Bounds:
    """From the shares of the columns, where the loss adds up over them; else from counts of pairs."""
    shares = nodes.bound_per_level()
    if shares is not None:
        return Bounds(outer_sum(shares), True, 0.0, limit > 0 and _costs_rise(nodes), _prices(shares))
    # the price of a level when classes are counted: how many more pairs of records look the same in this column
    alike = [
        [
            math.log(float(np.square(np.bincount(h.groups[level], weights=marginal)).sum()))
            for level in range(h.height + 1)
        ]
        for h, marginal in zip(nodes.hierarchies, nodes.marginals, strict=True)
    ]
    # a class loss counts whole records, or pairs of them, or is a share of either
    grain = (1 / nodes.rows if loss.share else 1.0) if nodes.rows < _EXACT_ROWS else 0.0
    if isinstance(loss, DM) and len(frequency.counts) ** 2 // 2 <= _PAIRS_PER_NODE * nodes.lattice.size:
        # each record costs the size of its class, so DM counts the ordered pairs of records that look the same
        pairs = pairs_alike(frequency.codes, frequency.counts, [h.groups for h in nodes.hierarchies])
        return Bounds(pairs.astype(np.float64), True, grain, limit > 0, _prices(alike))
    return Bounds(np.zeros(nodes.lattice.shape), False, grain, limit > 0, _prices(alike))


def _prices(detail: Sequence[Sequence[float]]) -> list[list[float]]:
    return [
        [(levels[i + 1] - levels[i]) / math.log((i + 2) / (i + 1)) for i in range(len(levels) - 1)] for levels in detail
    ]


def _costs_rise(nodes: Nodes) -> bool:
    """Whether a cell never costs less one level up."""
    costs = nodes.cells.costs if nodes.cells is not None else ()
    return all(
        bool((column[level][h.groups[level]] <= column[level + 1][h.groups[level + 1]]).all())
        for column, h in zip(costs, nodes.hierarchies, strict=True)
        for level in range(h.height)
    )
