"""Method `acs`: every cut that keeps the promise, looked at once (AllCutSearch of paper 000, section 3.3).

A cut is reached through one parent only: openings are numbered parents first, and only those with a higher number than the last
are made (ERRATA 000-8). Below a cut whose values break the promise nothing is looked at. There may be more cuts than anyone can
wait for, so the search also ends when its time is up, and says so.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

from shoal.methods.keys import key_problems, seconds_of
from shoal.methods.method import Progress
from shoal.methods.trees.cuts import Steps
from shoal.methods.trees.decision import decision_of, ground_of
from shoal.methods.trees.search import Found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.methods.method import Decision, Listener
    from shoal.methods.trees.cuts import Cut
    from shoal.methods.trees.ground import Ground
    from shoal.methods.trees.problem import TreeProblem

BUDGET = 60.0
_TIME_IS_UP = "the time was up before all was tried, and with a longer `budget` less may be lost"


class Acs:
    """Looks at every cut that keeps the promise, while there is time."""

    name: ClassVar[str] = "acs"
    kind: ClassVar[Kind] = "trees"
    title: ClassVar[str] = "Search through all cuts, with relations taken apart"
    keys: ClassVar[Mapping[str, str]] = {"budget": 'how long to search, for example "5m"; a minute without it'}

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return key_problems(self.name, self.keys, options)

    def decide(self, engine: Engine, problem: TreeProblem, listener: Listener, **options: Any) -> Decision:
        started = time.monotonic()
        listener(Progress("count", "counting trees"))
        ground = ground_of(engine, problem)
        until = started + (seconds_of(options.get("budget")) or BUDGET)
        cuts = all_cuts(Steps(ground), until, listener)
        return decision_of(ground, cuts, started, self.name, _TIME_IS_UP)


def all_cuts(steps: Steps, until: float, listener: Listener) -> Found:
    """until: when to stop, on the monotonic clock."""
    rank = ranks(steps.ground)
    best = steps.top()
    stack: list[tuple[Cut, int, frozenset[int]]] = [(best, -1, frozenset())]
    looked = tried = 0
    while stack and time.monotonic() < until:
        cut, last, failed = stack.pop()
        looked += 1
        cuts: list[tuple[Cut, int]] = []
        for opening in sorted(steps.openings(cut), key=rank.__getitem__):
            if rank[opening] <= last or opening in failed:
                continue
            tried += 1
            finer = steps.step(cut, opening)
            if finer is None:
                failed |= {opening}  # it fails below every finer cut as well
                continue
            cuts.append((finer, rank[opening]))
            if finer.is_solution and finer.loss < best.loss:
                best = finer
        # the lowest number next: first all classes are opened, then what is below them, so that good cuts are met early
        stack += [(finer, number, failed) for finer, number in reversed(cuts)]
        listener(Progress("search", f"{looked:,} cuts, {tried:,} openings tried, loss {best.loss:.4f}"))
    return Found(best, looked, tried, not stack)


def ranks(ground: Ground) -> dict[int, int]:
    """Every opening a number, a parent's lower than its children's."""
    order: list[int] = list(range(ground.labels, ground.labels + len(ground.shape.names)))
    for opening in order:  # grows while it is read
        order += ground.children[opening]
    return {opening: number for number, opening in enumerate(order)}
