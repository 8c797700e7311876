"""Every loss of a mixed table, whichever method made the release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.loss import MIXED_LOSSES
from shoal.loss.loss import normalized_weights
from shoal.loss.mixed.are import MixedARE, MixedWorkload
from shoal.loss.mixed.release import ItemsNCP, ItemsUL, MixedRelease, TableNCP
from shoal.recoding.mixed.clusters import MixedRecoding
from shoal.release.losses import compared, loss_fact, minimised_first

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.loss.mixed.release import MixedLoss
    from shoal.methods.method import Decision
    from shoal.release.losses import Measure
    from shoal.release.recipe.sections import LossSpec
    from shoal.release.task import Task
    from shoal.report.comparing.facts import ComparedLoss
    from shoal.report.facts import LossFacts

ASKED = ((1, 0), (0, 2), (1, 2))  # values and items of the queries whose error is told


def measure(task: Task, decision: Decision) -> dict[ComparedLoss, float]:
    """What a method decided, by every loss."""
    recoding = decision.recoding
    if not isinstance(recoding, MixedRecoding):
        raise InternalError("A recoding of one kind of columns was taken for one of a mixed table.")
    values = losses_of(MixedRelease.of(recoding), recoding.groups.columns, task.plan.recipe.loss)
    return compared(values, {name: _measure_of(name) for name in values})


def losses_of(release: MixedRelease, columns: Sequence[str], spec: LossSpec) -> dict[str, float]:
    """By name. columns: of single values; spec: of the recipe.

    Query errors are named after what the queries ask for: `are-1-2` is of one value and two items.
    """
    figures: dict[str, MixedLoss] = {loss.name: loss for loss in (TableNCP(), ItemsNCP(), ItemsUL())}
    largest = int(release.items.originals.sizes.max(initial=0))
    for values, items in ASKED if release.recoded.rows else ():
        if largest or not items:
            figures[_asking(values, items)] = MixedARE(MixedWorkload.random(release, values, items))
    weights = normalized_weights(columns, spec.weights)
    return {name: float(figure.of(release, weights)) for name, figure in figures.items()}


def loss_facts(losses: Mapping[str, float], chosen: str) -> tuple[LossFacts, ...]:
    """For the report. chosen: the loss that was to be small."""
    asked = {_asking(*both): both for both in ASKED}
    facts = []
    for name, value in losses.items():
        loss = _measure_of(name)
        plain = loss.plain
        if name in asked:
            plain = f"{plain}: {' and '.join(_words(*asked[name]))}"
        elif name == TableNCP.name:
            plain = f"{plain}, of single values"
        facts.append(loss_fact(loss, value, minimised=name == chosen, plain=plain))
    return minimised_first(facts)


def _measure_of(name: str) -> Measure:
    asked = {_asking(*both) for both in ASKED}
    return MIXED_LOSSES[MixedARE.name if name in asked else name]


def _asking(values: int, items: int) -> str:
    return f"{MixedARE.name}-{values}-{items}"


def _words(values: int, items: int) -> list[str]:
    parts = ((values, "value"), (items, "item"))
    return [f"{number} {what}{'s' if number > 1 else ''}" for number, what in parts if number]
