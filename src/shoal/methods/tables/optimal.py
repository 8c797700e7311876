"""The optimal full-domain generalization: one level per column, least loss, within a suppression limit.

Best-first over the lattice. Every node has a lower bound of its loss: its loss without suppression, which is known in advance
for losses that add up over columns, and learnt from evaluated nodes below it otherwise (ERRATA 004-8). Nodes are taken in
the order of their bounds; the search ends when no bound is below the best release found, which is then optimal.

Pruning uses only what the guarantees declare: when a node is infeasible and the guarantees are monotone, everything more
detailed is infeasible too. To prune much with few looks, the search does not test the cheapest open node itself but walks a
chain from it to the top and finds, by bisection, the highest infeasible node on the way.

Exact: a node is passed over only if it is infeasible or its bound exceeds the best loss. Ties go to the release with fewer
suppressed records, then to the lower and lexicographically smaller node.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from shoal.methods.lattice import Lattice, Node, above, below, outer_sum

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from shoal.methods.tables.nodes import Evaluation, Nodes

_SLACK = 1e-9  # bounds are floats: a node this close to the best is looked at, and compared exactly


@dataclass(eq=False)
class Search:
    """One search, step by step; `best` is the best release so far, `bound` a proved lower bound of any release's loss."""

    nodes: Nodes
    limit: int
    best: Evaluation | None = None
    bound: float = 0.0
    closed: int = 0  # nodes decided or passed over so far
    seen: dict[Node, Evaluation] = field(default_factory=dict)

    def run(self, pause: Callable[[Search], bool] | None = None) -> bool:
        """Search to the end, or until `pause` (asked now and then) says so. True when the best is proved optimal."""
        lattice = self.nodes.lattice
        lower, heap = self._bounds(lattice)
        infeasible = np.zeros(lattice.shape, np.bool_)
        chains = self.nodes.all_prune(self.limit)
        while heap:
            bound, height, index = heapq.heappop(heap)
            self.bound = max(self.bound, bound)
            if self.best is not None and bound > float(self.best.loss or 0) + _SLACK * max(1.0, bound):
                break
            if infeasible.flat[index]:
                continue
            node: Node = tuple(map(int, np.unravel_index(index, lattice.shape)))
            if node in self.seen:
                continue
            if lower[node] > bound:  # learnt in the meantime
                heapq.heappush(heap, (float(lower[node]), height, index))
                continue
            for found in self._bisect(node, infeasible) if chains else (self._look(node),):
                if found.prunes:
                    infeasible[below(found.node)] = True
                if self.nodes.cells is None:
                    view = lower[above(found.node)]
                    np.maximum(view, found.unsuppressed, out=view)
            if pause is not None and pause(self):
                return False
        if self.best is not None:
            self.bound = float(self.best.loss or 0)
        return True

    def _bounds(self, lattice: Lattice) -> tuple[np.ndarray, list[tuple[float, int, int]]]:
        shares = self.nodes.bound_per_level()
        lower = np.zeros(lattice.shape, np.float64) if shares is None else outer_sum(shares)
        heights = outer_sum([list(range(h + 1)) for h in lattice.heights]).astype(np.int64)
        # for losses learnt on the way, all bounds start equal and the order is bottom-up
        flat, high = lower.ravel(), heights.ravel()
        order = np.lexsort((high, flat))
        heap = list(zip(flat[order].tolist(), high[order].tolist(), order.tolist(), strict=True))
        return lower, heap  # sorted, therefore a heap

    def _bisect(self, node: Node, infeasible: np.ndarray) -> list[Evaluation]:
        """Evaluate along a chain from `node` to the top: the highest infeasible node on it is among the results."""
        chain = [node]
        heights = self.nodes.lattice.heights
        while chain[-1] != heights:
            here = chain[-1]
            column = min((c for c, h in enumerate(heights) if here[c] < h), key=lambda c: (self._price(c, here[c]), c))
            chain.append((*here[:column], here[column] + 1, *here[column + 1 :]))
        looked = []
        low, high = 0, len(chain)  # chain[low:high] is undecided
        while low < high:
            middle = (low + high) // 2
            if infeasible[chain[middle]]:
                low = middle + 1
                continue
            found = self._look(chain[middle])
            looked.append(found)
            if found.feasible:
                high = middle
            else:
                low = middle + 1
        return looked

    def _price(self, column: int, level: int) -> float:
        """What raising a column by one level costs for each node it brings below the chain (in logarithms)."""
        shares = self.nodes.bound_per_level()
        cost = 1.0 if shares is None else shares[column][level + 1] - shares[column][level]
        return cost / math.log((level + 2) / (level + 1))

    def _look(self, node: Node) -> Evaluation:
        if node not in self.seen:
            found = self.seen[node] = self.nodes.evaluate(node, self.limit)
            if found.feasible and (self.best is None or _rank(found) < _rank(self.best)):
                self.best = found
        return self.seen[node]


def _rank(found: Evaluation) -> tuple[Fraction | None, int, int, Node]:
    return found.loss, found.suppressed, sum(found.node), found.node
