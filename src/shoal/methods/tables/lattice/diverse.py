"""The exact frontier of k, l and loss, for distinct l-diversity: the extension that paper 004 names as future work.

Let a class be held back when fewer than u different sensitive values occur in it. With a limit of eta records, the k of a node
*for u* is the largest t such that at most eta records lie in classes that are held back or smaller than t; these are suppressed.
Merging classes takes away neither records nor values, so this k never falls by generalizing, and the search for k and loss
(`pareto.py`) runs unchanged for each u. A release that no other beats in k, l and loss together is on the front for u = its own l:
were there one for less loss with as large a k and u, it would beat it. So the fronts of all u hold every such release.

Most u need no search: when each point of a front has a release with at least u' values, the fronts up to u' are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.methods.tables.lattice.looks import Look, Looks
from shoal.methods.tables.lattice.pareto import Pareto

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.methods.tables.lattice.bounds import Bounds
    from shoal.methods.tables.lattice.lattice import Node
    from shoal.methods.tables.lattice.nodes import Classes
    from shoal.methods.tables.lattice.pareto import Pause


@dataclass(frozen=True)
class DiversePoint:
    """A release that no other beats: none has as large a k and l for less loss, nor a larger one for as much."""

    k: int
    l: int  # noqa: E741  # the least number of different sensitive values in a published class
    loss: Fraction
    levels: Node  # of several the one with fewest records suppressed, then the lowest
    suppressed: int
    classes: int


@dataclass(frozen=True)
class DiverseFront:
    """Every release worth choosing by k, l and loss."""

    column: str  # the sensitive one
    points: tuple[DiversePoint, ...]  # by l, then k
    complete: bool  # proved: these are all

    def reaching(self, k: int, l: int) -> DiversePoint | None:  # noqa: E741
        """The one of least loss with at least this k and l."""
        able = [point for point in self.points if point.k >= k and point.l >= l]
        return min(able, key=lambda point: (point.loss, -point.k, -point.l), default=None)


def diverse_front(looks: Looks, column: str, bounds: Bounds, pause: Pause) -> tuple[tuple[DiversePoint, ...], bool]:
    """Every release worth choosing, by l and k; and whether these are proved to be all. column: the sensitive one."""
    reached: list[DiversePoint] = []
    least = 0
    while True:
        narrowed = _Narrowed(looks, column, least)
        if not Pareto(narrowed, bounds).run(pause):
            return undominated([*reached, *narrowed.releases()]), False
        releases = narrowed.releases()
        if not releases:
            return undominated(reached), True
        reached += releases
        front = {(point.k, point.loss) for point in _unbeaten(releases)}
        least = 1 + min(max(p.l for p in releases if (p.k, p.loss) == pair) for pair in front)


class _Narrowed(Looks):
    """Looks that count only releases with so many values in each class. Their k is one too large; 1: there is no release."""

    def __init__(self, looks: Looks, column: str, least: int) -> None:
        super().__init__(looks.nodes, looks.frequency, looks.limit)
        self._column, self._least = column, least
        self._values: dict[Node, int] = {}  # l of the release of a node

    def releases(self) -> list[DiversePoint]:
        """What was looked at and can be published."""
        return [
            DiversePoint(look.k - 1, self._values[node], look.loss, node, look.suppressed, look.classes)
            for node, look in self.seen.items()
            if node in self._values
        ]

    def _look(self, node: Node) -> Look:
        classes = self.nodes.classes(node)
        none = np.zeros(len(classes.sizes), np.bool_)
        values = distinct_values(classes, self._column)
        held = values < self._least
        whole = self.nodes.loss(classes, none, 0)
        if held.all() or int(classes.sizes[held].sum()) > self.limit:
            return Look(node, 1, whole, 0, len(none), float(whole), ())
        k = self._largest(classes.sizes, held)
        hidden = held | (classes.sizes < k)
        suppressed = int(classes.sizes[hidden].sum())
        loss = self.nodes.loss(classes, hidden, suppressed) if suppressed else whole
        self._values[node] = int(values[~hidden].min())
        # what is hidden for its size alone is hidden below this node too, whatever l is
        small = (classes.sizes < k) & hidden
        extra: tuple[tuple[int, float], ...] = ()
        if small.any():
            alone = self.nodes.loss(classes, small, int(classes.sizes[small].sum()))
            extra = ((int(classes.sizes[small].max()) + 2, float(alone) - float(whole)),)
        return Look(node, k + 1, loss, suppressed, int((~hidden).sum()), float(whole), extra)

    def _largest(self, sizes: NDArray[np.int64], held: NDArray[np.bool_]) -> int:
        """The largest size t such that at most `limit` records are held back or lie in smaller classes."""
        left = self.limit - int(sizes[held].sum())
        free = np.sort(sizes[~held])
        return int(free[np.searchsorted(np.cumsum(free), left, side="right")]) if free.sum() > left else int(free[-1])


def distinct_values(classes: Classes, column: str) -> NDArray[np.int64]:
    """(classes,): how many different values occur in each; a missing one may be any of them, and counts for none."""
    histogram = classes.histograms[column]
    of = histogram.classes
    if histogram.missing is not None:
        of = of[histogram.values != histogram.missing]
    return np.bincount(of, minlength=len(classes.sizes)).astype(np.int64)


def _unbeaten(points: Iterable[DiversePoint]) -> list[DiversePoint]:
    """Those that none beats in k and loss; l is not asked."""
    kept: list[DiversePoint] = []
    for point in sorted(points, key=lambda point: (point.loss, -point.k)):
        if not kept or point.k > kept[-1].k or (point.k, point.loss) == (kept[-1].k, kept[-1].loss):
            kept.append(point)
    return kept


def undominated(points: Iterable[DiversePoint]) -> tuple[DiversePoint, ...]:
    """Those that none beats in k, l and loss, one for each, by l and k."""
    best: dict[tuple[int, int, Fraction], DiversePoint] = {}
    for point in points:
        key = (point.k, point.l, point.loss)
        if key not in best or _order(point) < _order(best[key]):
            best[key] = point
    kept: list[DiversePoint] = []
    for point in sorted(best.values(), key=lambda point: (point.loss, -point.k, -point.l)):
        if not any(other.k >= point.k and other.l >= point.l for other in kept):
            kept.append(point)
    return tuple(sorted(kept, key=lambda point: (point.l, point.k)))


def _order(point: DiversePoint) -> tuple[int, int, Node]:
    return point.suppressed, sum(point.levels), point.levels
