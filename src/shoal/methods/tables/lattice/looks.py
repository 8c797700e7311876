"""The k and the loss of a lattice node when no k is asked for (paper 004, section 5.1).

With a suppression limit of eta records, the k of a node is the smallest class size t such that more than eta records lie in
classes of at most t; classes smaller than that are suppressed. So the limit is used as far as it buys a larger k. k never
falls by generalizing; the loss may (ERRATA 004-6), and is bounded from below by the loss without suppression.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import Infeasible
from shoal.methods.method import Decision
from shoal.recoding.tables.levels import LevelRecoding

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.methods.tables.lattice.lattice import Node
    from shoal.methods.tables.lattice.nodes import Classes, Nodes
    from shoal.methods.tables.problem import TableProblem

_STEPS = 2  # suppression thresholds below k at which the extra loss is priced: more save few looks and cost time


@dataclass(frozen=True, eq=False)
class Look:
    """What a node would publish."""

    node: Node
    k: int  # also the size of its smallest published class
    loss: Fraction
    suppressed: int
    classes: int  # published
    unsuppressed: float  # the loss if nothing were suppressed: neither this node nor a more general one loses less
    extra: tuple[tuple[int, float], ...]  # (t, what suppressing the classes smaller than t adds to the loss), t rising


class Looks:
    """Looks at nodes, each once."""

    def __init__(self, nodes: Nodes, frequency: FrequencySet, limit: int) -> None:
        if limit >= nodes.rows:
            raise Infeasible(
                f"The suppression limit allows {limit:,} of {nodes.rows:,} records to be hidden, which is all of them: then "
                f"there is no k to speak of. Lower `suppression.limit`."
            )
        self.nodes, self.frequency, self.limit = nodes, frequency, limit
        self.seen: dict[Node, Look] = {}

    def __call__(self, node: Node) -> Look:
        if node not in self.seen:
            self.seen[node] = self._look(node)
        return self.seen[node]

    def _look(self, node: Node) -> Look:
        classes = self.nodes.classes(node)
        k = self.k_of(classes.sizes)
        failing = classes.sizes < k
        suppressed = int(classes.sizes[failing].sum()) if self.limit else 0
        loss = self.nodes.loss(classes, failing, suppressed)
        value = float(loss)
        unsuppressed, extra = value, []
        if suppressed:
            unsuppressed = float(self.nodes.loss(classes, np.zeros(len(failing), np.bool_), 0))
            largest = int(classes.sizes[failing].max())
            extra = [*self._steps(classes, failing, unsuppressed), (largest + 1, value - unsuppressed)]
        return Look(node, k, loss, suppressed, len(failing) - int(failing.sum()), unsuppressed, tuple(extra))

    def today(self) -> tuple[int, float]:
        """k and loss of the data as it is, with nothing suppressed."""
        return int(self.nodes.classes(self.nodes.lattice.bottom).sizes.min()), self(
            self.nodes.lattice.bottom
        ).unsuppressed

    def decision(self, problem: TableProblem, best: Look, *, optimal: bool, bound: float, started: float) -> Decision:
        """To publish what a look has shown."""
        evaluated = self.nodes.evaluated
        classes = self.nodes.classes(best.node)
        hidden = classes.keys[classes.sizes < best.k]
        groups = [self.nodes.layout.unpack(hidden, c) for c in range(len(best.node))]
        recoding = LevelRecoding(
            tuple(problem.hierarchies),
            tuple(problem.hierarchies.values()),
            best.node,
            np.stack(groups, axis=1).astype(np.int32),
        )
        return Decision(
            recoding=recoding,
            loss=best.loss,
            suppressed=best.suppressed,
            limit=self.limit,
            classes=best.classes,
            evaluated=evaluated,
            lattice=self.nodes.lattice.size,
            optimal=optimal,
            bound=bound,
            seconds=time.monotonic() - started,
        )

    def k_of(self, sizes: NDArray[np.int64]) -> int:
        """The smallest class size t such that more than `limit` records lie in classes of at most t."""
        if not self.limit:
            return int(sizes.min())
        small = np.sort(sizes[sizes <= self.limit])
        within = int(np.searchsorted(np.cumsum(small), self.limit, side="right"))
        return int(small[within]) if within < len(small) else int(sizes[sizes > self.limit].min())

    def _steps(self, classes: Classes, failing: NDArray[np.bool_], unsuppressed: float) -> list[tuple[int, float]]:
        """The extra loss when only some of the small classes are suppressed: those below the t of each entry."""
        sizes = np.unique(classes.sizes[failing])[1:]  # suppressing below the smallest size suppresses nothing
        if len(sizes) > _STEPS:
            sizes = sizes[np.linspace(0, len(sizes) - 1, _STEPS).astype(np.int64)]
        steps = []
        for t in sizes.tolist():
            below = classes.sizes < t
            loss = self.nodes.loss(classes, below, int(classes.sizes[below].sum()))
            steps.append((t, float(loss) - unsuppressed))
        return steps
