"""Make a cut finer value by value: a child of a label is shown as itself, while its siblings keep the label.

In the paper, siblings are shown alike: a label is opened for all its children or for none, so one rare value hides the whole group
it belongs to. Here the frequent ones step out of the label one after the other, and it goes on standing for the rest. What a value
is shown as still follows from the value alone, so the promise means what it meant, and every label still stands for the values it
is shown for.

Openings are taken by what they gain, the most first. What one gains is not looked up again while it stays the best: as cuts get
finer, an opening costs no fewer relations, and one that breaks the promise goes on breaking it. (The rest of a group may become too
small by a later opening; then that later one is not made.)
"""

from __future__ import annotations

import heapq
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.engines.engine import Progress
from shoal.methods.trees.counting import TooMany
from shoal.recoding.trees.rules import LEFT_OUT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.engines.engine import Listener
    from shoal.methods.trees.cuts import Cut, Steps
    from shoal.methods.trees.ground import Ground


def refined(steps: Steps, cut: Cut, listener: Listener) -> tuple[Cut, int]:
    """The finer cut, and how many openings were tried."""
    ground, tried = steps.ground, 0
    weights = ground.weights
    waiting: list[tuple[float, int, int]] = []

    def wait_for(label: int) -> None:
        for child in ground.children[label]:
            if ground.supports[child] >= ground.promise.k:
                heapq.heappush(waiting, (-_gain(ground, weights, label, child) / 2, child, label))

    for label in sorted(set(cut.shown_as.tolist()) - {LEFT_OUT}):
        wait_for(label)
    while waiting:
        _, child, label = heapq.heappop(waiting)
        gain = _gain(ground, weights, label, child)
        tried += 1
        finer = _step_out(steps, cut, label, child, gain)
        if finer is None or finer.loss >= cut.loss:
            continue
        won = cut.loss - finer.loss
        if waiting and won < -waiting[0][0]:
            heapq.heappush(waiting, (-won, child, label))
            continue
        cut = finer
        wait_for(child)
        listener(Progress("decide", f"single values: {tried:,} tried, loss {cut.loss:.4f}"))
    return cut, tried


def _step_out(steps: Steps, cut: Cut, label: int, child: int, gain: float) -> Cut | None:
    """The cut in which a child no longer hides behind its parent; None where that breaks the promise."""
    ground = steps.ground
    shown_as = cut.shown_as.copy()
    span = ground.span(child)
    shown_as[span] = np.where(shown_as[span] == label, child, shown_as[span])
    apart = cut.apart | {
        (child if upper == label else upper, child if lower == label else lower) for upper, lower in cut.apart
    }
    denied = sorted(ground.denials.shown(shown_as) - ground.denials.shown(cut.shown_as))
    try:
        repair = steps.repaired(shown_as, apart, ground.holders(label, denied), (child, label, *denied))
    except TooMany:
        return None
    if repair is None or len(repair.skewed):
        return None
    lost = steps.lost(shown_as, repair.apart)
    return replace(cut, shown_as=shown_as, apart=repair.apart, values=cut.values - gain, relations=lost)


def _gain(ground: Ground, weights: NDArray[np.float64], label: int, child: int) -> float:
    """What the values below a child gain when they are shown as the child, not as its parent."""
    number = int(ground.class_of[child])
    tree = ground.hierarchies[ground.shape.names[number]]
    first, start = int(ground.whole.first[number]), int(ground.whole.first_shown[number])
    span = ground.span(child)
    levels = tree.levels[:, span.start - first : span.stop - first]
    before, after = (levels == label - start).argmax(axis=0), (levels == child - start).argmax(axis=0)
    return float((weights[span] * (before - after)).sum() / (tree.height + 1))
