"""Every loss of a table, so that releases can be compared whatever they were optimized for and whichever method made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.loss import FIGURES, LOSSES
from shoal.loss.loss import normalized_weights
from shoal.loss.tables.are import ARE, Workload
from shoal.loss.tables.c_avg import CAvg
from shoal.loss.tables.ce import CE
from shoal.loss.tables.il import IL
from shoal.methods.tables.problem import table_recoding
from shoal.release.losses import compared, loss_fact, minimised_first

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.loss.loss import Loss
    from shoal.methods.method import Decision
    from shoal.recoding.tables.recoded import Recoded
    from shoal.release.recipe.sections import LossSpec
    from shoal.release.task import Task
    from shoal.report.comparing.facts import ComparedLoss
    from shoal.report.facts import LossFacts


def measure(task: Task, decision: Decision) -> dict[ComparedLoss, float]:
    """What a method decided, by every loss."""
    recipe, problem = task.plan.recipe, task.problem
    recoding = table_recoding(decision)
    recoded = recoding.over(task.engine.frequency_set(problem.hierarchies, problem.sensitive))
    values = losses_of(recoded, recoding.columns, recipe.loss, recipe.smallest_class)
    return compared(values, {**LOSSES, **FIGURES})


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
    """For the report. chosen: the loss that was to be small."""
    return minimised_first(
        loss_fact(
            LOSSES[name] if name in LOSSES else FIGURES[name],
            value,
            minimised=name == chosen,
            counts_suppressed=name != CAvg.name,
        )
        for name, value in losses.items()
    )
