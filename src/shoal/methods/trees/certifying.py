"""From a cut whose shown fragments keep the promise to one that keeps it also for somebody who knows the rules.

What `candidates.py` finds is repaired, the fragment with the fewest records first. There are two sorts of ways: one of its labels
is left out in more places, so that more records may hide it; or one of them is shown under the next wider label everywhere. The
way that loses least is taken, and everything is counted again. Each shows less than before, so it ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.methods.trees.candidates import betrayed
from shoal.methods.trees.counting import Shown
from shoal.methods.trees.in_place import hidden, left_out_in_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from shoal.methods.trees.candidates import Breach
    from shoal.methods.trees.cuts import Steps
    from shoal.methods.trees.ground import Ground, Pair

    Shows = tuple[
        NDArray[np.int32], frozenset[Pair]
    ]  # what values are shown as, and pairs of which the lower is left out


def certified(steps: Steps, shown_as: NDArray[np.int32], apart: frozenset[Pair]) -> Shows | None:
    """A cut, no finer than this one, and its rules, that keep the promise in all three counts; None where none was found."""
    repaired = _repaired(steps.ground, shown_as, apart)
    while repaired is not None:
        broken = betrayed(steps.ground, *repaired)
        if not broken:
            return repaired
        ways = [_repaired(steps.ground, *way) for way in _ways(steps.ground, *repaired, min(broken))]
        repaired = min((way for way in ways if way is not None), key=lambda way: _loss(steps, *way), default=None)
    return None


def _repaired(ground: Ground, shown_as: NDArray[np.int32], apart: frozenset[Pair]) -> Shows | None:
    repair = left_out_in_place(ground, shown_as, apart)
    if repair is None:
        return None
    labels = set(shown_as.tolist())
    return shown_as, frozenset(pair for pair in repair.apart if labels.issuperset(pair))


def _ways(ground: Ground, shown_as: NDArray[np.int32], apart: frozenset[Pair], breach: Breach) -> Iterator[Shows]:
    pairs = hidden(ground, Shown.of(ground, shown_as, apart), apart, [breach])
    if pairs is not None:
        yield shown_as, apart | pairs
    for label in breach[1]:
        wider = int(ground.wider[label])
        if wider < 0 or not (shown_as == label).any():
            continue
        coarser = shown_as.copy()
        coarser[ground.span(label)] = wider
        if (shown_as[ground.span(wider)] != wider).all():  # it is no label of the cut: by itself it would say no less
            coarser[ground.span(wider)] = wider
        gone = set(shown_as.tolist()) - set(coarser.tolist())
        yield coarser, frozenset(pair for pair in apart if gone.isdisjoint(pair))


def _loss(steps: Steps, shown_as: NDArray[np.int32], apart: frozenset[Pair]) -> float:
    return steps.values(shown_as) + steps.lost(shown_as, apart)
