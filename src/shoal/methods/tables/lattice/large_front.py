"""A frontier of a lattice that is too large to hold: good points, each with a proved bound, for as long as there is time.

For every k of a ladder (2, 3, 5, 10, 20, 50, …) branch and bound looks for the node that loses least among those that reach this
k. Every node looked at on the way is a candidate for a point; the bound of a search holds for all points with that k or more.
"""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING

from shoal.methods.tables.lattice.branch_and_bound import branch_and_bound
from shoal.methods.tables.lattice.nodes import Evaluation
from shoal.methods.tables.lattice.search import Search, rank

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.methods.tables.lattice.lattice import Node
    from shoal.methods.tables.lattice.looks import Looks


class _Reaching(Search):
    """The search for the least loss among nodes whose k is at least `k`."""

    def __init__(self, looks: Looks, k: int) -> None:
        super().__init__(looks.nodes, looks.limit)
        self._looks, self._k = looks, k

    def look(self, node: Node) -> Evaluation:
        if node not in self.seen:
            look = self._looks(node)
            reaches = look.k >= self._k
            evaluation = self.seen[node] = Evaluation(
                node,
                look.suppressed,
                reaches,
                not reaches,  # nor does anything more detailed
                look.loss if reaches else None,
                look.classes,
                look.unsuppressed,
            )
            if reaches and (self.best is None or rank(evaluation) < rank(self.best)):
                self.best = evaluation
        return self.seen[node]

    def prunes(self, node: Node) -> bool:
        return self.look(node).prunes


def large_front(looks: Looks, until: float, tell: Callable[[int, int], None]) -> dict[int, float]:
    """Look at nodes until the time is up (`time.monotonic`). Returns, for each k of the ladder, the least loss possible."""
    lattice = looks.nodes.lattice
    looks(lattice.bottom)
    ladder = ladder_to(looks(lattice.top).k)
    bounds: dict[int, float] = {}
    for step, k in enumerate(ladder):
        now = time.monotonic()
        end = now + (until - now) / (len(ladder) - step)

        def pause(search: Search, k: int = k, end: float = end) -> bool:
            tell(k, len(looks.seen))
            return time.monotonic() >= end and search.best is not None

        search = _Reaching(looks, k)
        branch_and_bound(search, pause)
        bounds[k] = search.bound
        if time.monotonic() >= until:
            break
    return bounds


def ladder_to(top: int) -> list[int]:
    """2, 3, 5, 10, 20, 50, 100, … and the largest k there is."""
    steps = [2, 3]
    for power in count():
        for digit in (5, 10, 20):
            if digit * 10**power >= top:
                return [*(k for k in steps if k < top), top]
            steps.append(digit * 10**power)
    raise AssertionError
