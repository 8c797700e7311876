"""Search from the coarsest cut downwards, the most promising first: GCS of the paper, as corrected by ERRATA 000-8.

The cheapest cut not yet expanded is opened in all ways; of the valid cuts that come out, the g cheapest wait for their turn. Two
things are lazier than in the paper. An opening is tried only while it may still be among the g cheapest: values lose exactly what
is known beforehand, and relations are taken to lose no less by it than they did when it was last tried higher up. And an opening
that failed is not tried below, because it fails there as well.

The paper's search goes on until nothing is left. Here a cut below which nothing better can be is passed over, and so is an opening
that costs more than could be gained by all others. The search also ends when a number of expansions in a row (`patience`) brought
no better cut: most of them reach the same cuts by other ways round.

A cut that is no solution, but may become one when it is opened further (see `cuts.py`), waits until those that are solutions bring
nothing more, and the search has the same patience with these once more.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.engines.engine import Progress

if TYPE_CHECKING:
    from shoal.engines.engine import Listener
    from shoal.methods.trees.cuts import Cut, Steps


@dataclass(frozen=True, eq=False)
class Found:
    """The best cut, and how much of the search was done."""

    cut: Cut
    expanded: int
    tried: int
    complete: bool  # whether nothing was left to expand


def search(steps: Steps, g: int, patience: int, listener: Listener) -> Found:
    """Best first, from the coarsest cut; `patience` steps without a better one end it."""
    best = steps.top()
    queue: list[tuple[bool, float, int, Cut, frozenset[int], dict[int, float]]] = []
    queue.append((not best.is_solution, best.loss, 0, best, frozenset(), {}))
    seen = {best.opened}
    expanded = tried = idle = serial = 0
    complete, second = True, False
    while queue:
        if idle >= patience:
            left = [] if second else [entry for entry in queue if entry[0]]
            complete = complete and len(left) == len(queue)
            queue, second, idle = left, True, 0
            heapq.heapify(queue)
            continue
        *_, cut, failed, costs = heapq.heappop(queue)
        reach = steps.in_reach(cut, failed, costs)
        if reach >= best.loss and expanded:
            continue  # nothing below can be better
        openings = [
            one
            for one in steps.openings(cut)
            if one not in failed
            and cut.opened | {one} not in seen
            and (reach - min(steps.gain(one, costs), 0.0) < best.loss or not expanded)  # nor below it
        ]
        waiting = sorted((steps.at_best(cut, one) + costs.get(one, 0.0), one) for one in openings)
        candidates: list[tuple[bool, float, int, Cut]] = []
        lost: set[int] = set()
        for at_best, one in waiting:
            solutions = sorted(loss for no_solution, loss, *_ in candidates if not no_solution)
            if len(solutions) >= g and solutions[g - 1] <= at_best:
                break
            tried += 1
            step = steps.step(cut, one)
            if step is None:
                lost.add(one)
            else:
                candidates.append((not step.is_solution, step.loss, one, step))
                costs = {**costs, one: max(step.loss - steps.at_best(cut, one), 0.0)}
        expanded, idle = expanded + 1, idle + 1
        candidates.sort(key=lambda entry: entry[:3])
        solutions_found = sum(not entry[0] for entry in candidates)
        for no_solution, loss, _, step in (*candidates[:solutions_found][:g], *candidates[solutions_found:][:g]):
            seen.add(step.opened)
            serial += 1
            heapq.heappush(queue, (no_solution, loss, serial, step, failed | lost, costs))
            if not no_solution and loss < best.loss:
                best, idle = step, 0
        listener(
            Progress("decide", f"{len(best.opened):,} labels opened, {tried:,} openings tried, loss {best.loss:.4f}")
        )
    return Found(best, expanded, tried, complete)
