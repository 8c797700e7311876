"""The exact frontier of k and loss over a lattice that can be held in memory (ERRATA 004-8).

Three arrays over the lattice hold what is known of every node: `most` (its k is at most this: the least k of the more general
nodes looked at), `least` (its k is at least this: the largest k of the more detailed ones) and `bound` (it loses at least
this). A node is left out only when a node looked at dominates whatever it could still be; so when none is open, the nodes
looked at that nothing dominates are the frontier, ties included.

Nodes are taken in the order of their bounds. To prune much with few looks, the search does not look at the cheapest open node
itself: with k the least that this node has to reach so that nothing dominates it, it walks a chain upwards through nodes that
may not reach k and finds the highest of these by bisection; no node below that one reaches k, so those that lose as much are gone.
The chain goes where most nodes lie below it for the detail it costs.

With a suppression limit the loss of an open node depends on its k: if it is to reach k, the records in classes smaller than k
are suppressed, and it has at least those of any more general node that was looked at. What hiding them costs there is added
to its bound, and this may show that a larger k is needed still, until none is left.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.methods.tables.lattice.lattice import above, below, outer_sum
from shoal.methods.tables.lattice.search import SLACK

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.methods.tables.lattice.bounds import Bounds
    from shoal.methods.tables.lattice.lattice import Node
    from shoal.methods.tables.lattice.looks import Look, Looks

_BLOCK = 512  # open nodes that are tested together
_UNKNOWN = np.iinfo(np.int64).max


class Pause(Protocol):
    """Asked now and then whether to stop."""

    def __call__(self, search: Pareto) -> bool: ...


class Pareto:
    """The search for the front: what is known of every node, narrowed with each look."""

    def __init__(self, looks: Looks, bounds: Bounds) -> None:
        self.looks, self.lattice = looks, looks.nodes.lattice
        self.front: list[tuple[int, Fraction]] = []  # k and loss of what nothing dominates, both rising
        self._prices, self._learns, self._rises = bounds.prices, not bounds.known, bounds.rises
        self._margin = bounds.grain / 2
        shape = self.lattice.shape
        self.bound = bounds.least.copy()
        self.most = np.full(shape, _UNKNOWN)
        self.least = np.ones(shape, np.int64)
        self.settled = np.zeros(shape, np.bool_)  # looked at, or shown to be dominated
        self._heights = outer_sum([list(range(n)) for n in shape]).ravel()
        # views for single nodes
        self._bound, self._most, self._settled = self.bound.ravel(), self.most.ravel(), self.settled.ravel()
        self._ks: list[int] = []
        self._losses: list[float] = []
        self._extra = _Extra(len(shape), looks.nodes.rows)

    # ---- searching ---------------------------------------------------------------------------------------------------

    def run(self, pause: Pause) -> bool:
        """True when every node is decided, False when `pause` ended the search."""
        self._look(self.lattice.bottom)
        self._look(self.lattice.top)
        if self._learns:
            # one column exact and the others hidden: little work to look at, and one column may be all that counts
            for column in range(len(self.lattice.heights)):
                self._look((*self.lattice.top[:column], 0, *self.lattice.top[column + 1 :]))
        while len(order := self._open()):
            if not self._work(order, pause):
                return False
        return True

    def descend(self) -> None:
        """Walk down from the top, always to where k stays largest: points all over the range, should the time run out."""
        node = self.lattice.top
        while below_it := [self._look(child) for child in self.lattice.children(node)]:
            node = min(below_it, key=lambda look: (-look.k, look.loss, look.node)).node

    def _open(self) -> NDArray[np.int64]:
        """The nodes that are not decided, by bound and height."""
        nodes = self._undecided(np.flatnonzero(~self._settled))
        return nodes[np.lexsort((self._heights[nodes], self._bound[nodes]))]

    def _undecided(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        lost = self._bound[nodes]
        margin = self._margin or SLACK * np.maximum(1.0, lost)
        ks = np.array([0, *self._ks])
        needed = ks[np.searchsorted(self._losses, lost - margin)] + 1
        if self._margin:
            needed = np.maximum(needed, ks[np.searchsorted(self._losses, lost + margin)])
        return nodes[(self._most[nodes] >= needed) & ~self._settled[nodes]]

    def _needed(self, lost: float) -> int:
        """The k that a node has to reach when it loses this much, or something dominates it.

        A larger one than any for less; and as large a one as any for the same, which floats can tell only with a margin.
        """
        cheaper = bisect_left(self._losses, lost - (self._margin or SLACK * max(1.0, lost)))
        needed = self._ks[cheaper - 1] + 1 if cheaper else 1
        same = bisect_left(self._losses, lost + self._margin) if self._margin else 0
        return max(needed, self._ks[same - 1]) if same else needed

    def _work(self, order: NDArray[np.int64], pause: Pause) -> bool:
        """Decide nodes in this order; until it has to be made anew, because the bounds have been learnt meanwhile."""
        looks = self.looks.seen
        patience = len(looks) + (max(16, len(order) // 512) if self._learns else self.lattice.size)
        for start in range(0, len(order), _BLOCK):
            block, known = order[start : start + _BLOCK], -1
            while len(block):
                if known != len(looks):
                    block, known = self._undecided(block), len(looks)
                    continue
                self._decide(tuple(map(int, np.unravel_index(block[0], self.lattice.shape))))
                block = block[1:]
                if pause(self):
                    return False
                if len(looks) > patience:
                    return True
        return True

    def _decide(self, node: Node) -> None:
        needed = self._open_above(node)
        if needed is not None:
            self._prune(node, needed)
            if node not in self.looks.seen and self._open_above(node) is not None:
                self._look(node)
        self.settled[node] = True

    def _open_above(self, node: Node) -> int | None:
        """The k from which on nothing dominates the node; None when it cannot reach it."""
        most, least = int(self.most[node]), int(self.least[node])
        lost, needed, more_general = float(self.bound[node]), 0, None
        while True:
            now = self._needed(lost)
            if now > most:
                return None
            if now <= needed or not self._rises:
                return max(now, needed)
            needed = now
            if more_general is None:
                more_general = self._extra.above(node)
            lost = float(self.bound[node]) + self._extra.at_least(more_general, max(needed, least))

    def _prune(self, node: Node, needed: int) -> None:
        """Find the highest node on a chain from `node` that does not reach the k that is needed."""
        chain = self._chain(node, needed)
        low, high = 0, len(chain)
        while low < high:
            middle = (low + high) // 2
            at = chain[middle]
            if self.most[at] < needed or (self.least[at] < needed and self._look(at).k < needed):
                low = middle + 1
            else:
                high = middle

    def _chain(self, node: Node, needed: int) -> list[Node]:
        chain, levels = [node], list(node)
        closed: set[int] = set()  # columns that may not rise any more: more general nodes have a larger k
        while True:
            step = min(
                (
                    (self._prices[c][levels[c]], c)
                    for c, h in enumerate(self.lattice.heights)
                    if levels[c] < h and c not in closed
                ),
                default=None,
            )
            if step is None:
                return chain
            levels[step[1]] += 1
            at = tuple(levels)
            if self.least[at] >= needed:
                levels[step[1]] -= 1
                closed.add(step[1])
            else:
                chain.append(at)

    # ---- learning ----------------------------------------------------------------------------------------------------

    def _look(self, node: Node) -> Look:
        if node in self.looks.seen:
            return self.looks.seen[node]
        look = self.looks(node)
        under, over = below(node), above(node)
        np.minimum(self.most[under], look.k, out=self.most[under])
        np.maximum(self.least[over], look.k, out=self.least[over])
        if self._learns:
            np.maximum(self.bound[over], look.unsuppressed, out=self.bound[over])
        if self._rises:
            self._extra.add(look)
        self.settled[node] = True
        at = bisect_left(self._ks, look.k)
        if at == len(self.front) or self.front[at][1] > look.loss:  # no k as large costs as little
            cheaper = [point for point in self.front[:at] if point[1] < look.loss]
            larger = [point for point in self.front[at:] if point[0] > look.k]
            self.front = [*cheaper, (look.k, look.loss), *larger]
            self._ks = [k for k, _ in self.front]
            self._losses = [float(loss) for _, loss in self.front]
        return look

    def done(self) -> float:
        """The share of the nodes that are decided."""
        return 1 - len(self._undecided(np.flatnonzero(~self._settled))) / self.lattice.size

    # ---- what is proved ----------------------------------------------------------------------------------------------

    def least_loss(self, k: int) -> float:
        """No node that reaches this k loses less; the points looked at are not asked."""
        nodes = self._undecided(np.flatnonzero(~self._settled))
        able = nodes[self._most[nodes] >= k]
        return float(self._bound[able].min()) if len(able) else math.inf


class _Extra:
    """What suppression adds to the loss of the nodes looked at, by the k it has to reach."""

    def __init__(self, columns: int, rows: int) -> None:
        ladder = [*range(2, 17)]
        while ladder[-1] < rows:
            ladder.append(ladder[-1] * 9 // 8)
        self._ladder = ladder
        self._levels = np.empty((64, columns), np.int8)
        self._extra = np.empty((64, len(ladder)), np.float64)  # at each k of the ladder
        self._count = 0

    def add(self, look: Look) -> None:
        if self._count == len(self._levels):
            self._levels = np.concatenate([self._levels, np.empty_like(self._levels)])
            self._extra = np.concatenate([self._extra, np.empty_like(self._extra)])
        self._levels[self._count] = look.node
        row = self._extra[self._count]
        row[:] = 0.0
        for t, extra in look.extra:
            row[bisect_left(self._ladder, t) :] = extra
        self._count += 1

    def above(self, node: Node) -> NDArray[np.int64]:
        """The nodes looked at that are more general, by number."""
        return np.flatnonzero((self._levels[: self._count] >= np.array(node, np.int8)).all(axis=1))

    def at_least(self, above_it: NDArray[np.int64], k: int) -> float:
        step = bisect_right(self._ladder, k) - 1
        return float(self._extra[above_it, step].max()) if step >= 0 else 0.0
