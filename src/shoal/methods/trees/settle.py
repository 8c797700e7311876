"""Make a cut that a sample led to coarser, until all records keep the promise: the last word is a count of everyone.

All records are counted at the cut. Where fewer than k hold something, a label of it is widened, or two labels are kept apart; then
all are counted again. Widening joins a label with others of its group: the label above that is shown already, or the one of the
group that loses least by it. Whatever a wider label stands for, its records are those of all it is made of, so a combination that
was held by enough is held by no fewer. Every round shows some values wider or parts more pairs, so it ends; at the latest where
nothing is shown, which keeps every promise to k records.

Which label is widened: the one that loses least for each breach that it mends. The first rounds join one label with one other.
Later ones close the whole group: a pass over the data costs more than what gentle steps would save.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError
from shoal.methods.trees.counting import Shown
from shoal.methods.trees.repair import parted
from shoal.recoding.trees.rules import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from shoal.methods.trees.ground import Breach, Ground, Pair

GENTLE = 4  # rounds


def settled(
    ground: Ground, shown_as: NDArray[np.int32], apart: frozenset[Pair], *, may_part: bool
) -> tuple[NDArray[np.int32], frozenset[Pair]]:
    """The cut and the pairs, of which no fragment is held by fewer than k of all records."""
    if ground.everyone is None:
        raise InternalError("All records were to be counted, and nothing but a sample is there.")
    rounds = 0
    while True:
        broken = ground.everyone.breaches(ground, shown_as, apart)
        if not broken:
            return shown_as, apart
        rounds += 1
        before = shown_as, apart
        fixable = [one for one in broken if may_part and one.relations]
        hopeless = [one for one in broken if not (may_part and one.relations)]
        shown_as, moves = widened(ground, shown_as, hopeless, gentle=rounds <= GENTLE)
        if fixable and not moves:  # what a wider label is part of is counted again first
            shown = Shown.of(ground, shown_as, apart)
            apart |= parted(ground, shown, [(one.records, list(one.relations)) for one in fixable])
        apart = _moved(ground, shown_as, apart, moves)
        if np.array_equal(shown_as, before[0]) and apart == before[1]:
            raise InternalError("A cut that breaks the promise could not be made coarser.")


def widened(
    ground: Ground, shown_as: NDArray[np.int32], broken: list[Breach], *, gentle: bool
) -> tuple[NDArray[np.int32], dict[int, int]]:
    """A coarser cut in which a label of every breach is wider, and what became of labels that are no longer shown."""
    shown_as, moves = shown_as.copy(), dict[int, int]()
    labels = sorted({label for one in broken for label in one.labels})
    number = {label: place for place, label in enumerate(labels)}
    open_ = np.ones(len(broken), np.bool_)
    holds = np.zeros((len(labels), len(broken)), np.bool_)
    for at, one in enumerate(broken):
        holds[[number[label] for label in one.labels], at] = True
    steps = {label: _step(ground, shown_as, label, gentle=gentle) for label in labels}
    while open_.any():
        mends = holds[:, open_].sum(axis=1)
        best = min(
            (cost / mends[number[label]], label) for label, (_, _, cost) in steps.items() if mends[number[label]]
        )[1]
        to, joined, _ = steps[best]
        for label in joined:
            shown_as[shown_as == label] = to
            moves[label] = to
            if label in number:
                open_ &= ~holds[number[label]]
        open_ &= ~holds[number[best]]
        if to in number:
            open_ &= ~holds[number[to]]
        # what others would do may be another thing now
        steps = {
            label: _step(ground, shown_as, label, gentle=gentle)
            for label in steps
            if label not in moves and (holds[number[label]] & open_).any()
        }
    return shown_as, moves


def _step(
    ground: Ground, shown_as: NDArray[np.int32], label: int, *, gentle: bool
) -> tuple[int, tuple[int, ...], float]:
    """How a label is widened: to what, which labels go there, and what that loses."""
    below = _below(ground, shown_as, label)
    if below and gentle:  # it stands for the rest of its group, which one more joins
        return _cheapest(ground, shown_as, label, below)
    wider = int(ground.wider[label])
    if wider == LEFT_OUT:
        joined = (label, *below)
        return LEFT_OUT, joined, sum(_cost(ground, shown_as, one, LEFT_OUT) for one in joined)
    others = [one for one in _below(ground, shown_as, wider) if one != label]
    own = _cost(ground, shown_as, label, wider)
    if not gentle or not others:
        return wider, (label, *others), own + sum(_cost(ground, shown_as, one, wider) for one in others)
    if (shown_as == wider).any():
        return wider, (label,), own
    to, other, cost = _cheapest(ground, shown_as, wider, others)
    return to, (label, *other), own + cost


def _cheapest(
    ground: Ground, shown_as: NDArray[np.int32], to: int, labels: Iterable[int]
) -> tuple[int, tuple[int, ...], float]:
    cost, label = min((_cost(ground, shown_as, one, to), one) for one in labels)
    return to, (label,), cost


def _below(ground: Ground, shown_as: NDArray[np.int32], label: int) -> list[int]:
    """Labels that are shown, and stand for less of what this one could stand for."""
    return sorted(set(shown_as[ground.span(label)].tolist()) - {LEFT_OUT, label} - set(_above(ground, label)))


def _above(ground: Ground, label: int) -> Iterable[int]:
    above = int(ground.wider[label])
    while above != LEFT_OUT:
        yield above
        above = int(ground.wider[above])


def _cost(ground: Ground, shown_as: NDArray[np.int32], label: int, to: int) -> float:
    """What the values of a label lose when they are shown as another."""
    weight = float(ground.weights[shown_as == label].sum())
    return weight * ((1.0 if to == LEFT_OUT else float(ground.levels[to])) - float(ground.levels[label]))


def _moved(
    ground: Ground, shown_as: NDArray[np.int32], apart: frozenset[Pair], moves: dict[int, int]
) -> frozenset[Pair]:
    """The pairs, spoken of by labels that are shown now."""
    shown = set(shown_as.tolist())

    def now(label: int) -> int:
        while label in moves and label not in shown:
            label = moves[label]
        return label

    pairs = ((now(upper), now(lower)) for upper, lower in apart)
    return frozenset(
        (upper, lower) for upper, lower in pairs if upper in shown - {LEFT_OUT} and lower in shown - {LEFT_OUT}
    )
