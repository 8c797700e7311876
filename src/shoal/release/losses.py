"""Every loss of a release, so that releases can be compared whatever they were optimized for and whichever method made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.loss import FIGURES, LOSSES
from shoal.loss.are import ARE, Workload
from shoal.loss.c_avg import CAvg
from shoal.loss.ce import CE
from shoal.loss.il import IL
from shoal.loss.loss import normalized_weights
from shoal.report import digits
from shoal.report.facts import LossFacts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.loss.loss import Loss
    from shoal.recoding.recoded import Recoded
    from shoal.release.sections import LossSpec


def losses_of(recoded: Recoded, columns: Sequence[str], spec: LossSpec, k: int) -> dict[str, float]:
    """By name. columns: the quasi-identifiers; spec: of the recipe; k: the smallest class that is promised.

    The classification error is among them when the recipe names the labels and it is known which class each label is in.
    """
    losses: list[Loss] = [loss for name, loss in LOSSES.items() if name != CE.name]
    if spec.column in recoded.sensitive:
        losses.append(CE(spec.column))
    losses += [IL(), CAvg(k), ARE(Workload.random(recoded))]
    weights = normalized_weights(columns, spec.weights)
    return {loss.name: float(loss.of(recoded, weights)) for loss in losses}


def loss_facts(losses: Mapping[str, float], chosen: str) -> tuple[LossFacts, ...]:
    """For the report, the minimized one first, in few digits: the report is public."""
    made = []
    for name, value in losses.items():
        loss = LOSSES[name] if name in LOSSES else FIGURES[name]
        told, counts_suppressed = digits.lost(value), name != CAvg.name
        made.append(
            LossFacts(
                loss.title, loss.plain, told, loss.share, loss.formula, counts_suppressed, minimised=name == chosen
            )
        )
    return tuple(sorted(made, key=lambda loss: not loss.minimised))
