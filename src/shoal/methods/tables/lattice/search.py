"""What every lattice search shares: the nodes looked at, the best release so far, and a proved bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from fractions import Fraction

    from shoal.methods.tables.lattice.lattice import Node
    from shoal.methods.tables.lattice.nodes import Evaluation, Nodes

SLACK = 1e-9  # bounds are floats: a node this close to the best is looked at, and compared exactly


class Pause(Protocol):
    """Asked now and then whether to stop."""

    def __call__(self, search: Search) -> bool: ...


@dataclass(eq=False)
class Search:
    """Nodes that were looked at, the best of them, and what they rule out."""

    nodes: Nodes
    limit: int  # records that may be suppressed
    best: Evaluation | None = None
    bound: float = 0.0  # no release that keeps the promise loses less
    seen: dict[Node, Evaluation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._infeasible = np.zeros((0, len(self.nodes.hierarchies)), np.int8)  # maximal nodes known to prune

    def look(self, node: Node) -> Evaluation:
        if node not in self.seen:
            evaluation = self.seen[node] = self.nodes.evaluate(node, self.limit)
            if evaluation.prunes:
                levels = np.array(node, np.int8)
                apart = ~(self._infeasible <= levels).all(axis=1)
                self._infeasible = np.vstack([self._infeasible[apart], levels])
            if evaluation.feasible and (self.best is None or rank(evaluation) < rank(self.best)):
                self.best = evaluation
        return self.seen[node]

    def prunes(self, node: Node) -> bool:
        """Whether the node and everything more detailed is infeasible; known nodes above it answer without a look."""
        if node in self.seen:
            return self.seen[node].prunes
        if (self._infeasible >= np.array(node, np.int8)).all(axis=1).any():
            return True
        return self.look(node).prunes

    def beaten(self, bound: float) -> bool:
        """Whether nothing with this bound can be as good as the best."""
        return self.best is not None and bound > _value(self.best) + SLACK * max(1.0, bound)

    def finish(self) -> None:
        """The whole lattice is decided: the best is optimal."""
        if self.best is not None:
            self.bound = _value(self.best)

    @property
    def gap(self) -> float:
        """How far the best may be above the optimum, as a fraction of the optimum's bound."""
        if self.best is None or not self.bound:
            return float("inf")
        return _value(self.best) / self.bound - 1


def rank(evaluation: Evaluation) -> tuple[Fraction | None, int, int, Node]:
    """Less loss, then fewer suppressed records, then the lower and lexicographically smaller node (ERRATA G3)."""
    return evaluation.loss, evaluation.suppressed, sum(evaluation.node), evaluation.node


def _value(evaluation: Evaluation) -> float:
    return float(evaluation.loss) if evaluation.loss is not None else float("inf")
