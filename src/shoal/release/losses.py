"""Every loss of a release, so that releases can be compared whatever they were optimized for and whichever method made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.loss import FIGURES, LOSSES, MIXED_LOSSES, SET_LOSSES, TREE_LOSSES
from shoal.loss.are import ARE, Workload
from shoal.loss.c_avg import CAvg
from shoal.loss.ce import CE
from shoal.loss.er import ER
from shoal.loss.il import IL
from shoal.loss.item_are import ItemARE
from shoal.loss.item_ncp import ItemNCP
from shoal.loss.loss import normalized_weights
from shoal.loss.mixed import ItemsNCP, ItemsUL, TableNCP
from shoal.loss.mixed_are import MixedARE, MixedWorkload
from shoal.loss.qe import QE
from shoal.loss.set_workload import SetWorkload
from shoal.loss.ul import UL
from shoal.report import digits
from shoal.report.facts import LossFacts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.loss.loss import Loss
    from shoal.loss.mixed import MixedLoss, MixedRelease
    from shoal.loss.sets import Release as SetRelease
    from shoal.loss.sets import SetLoss
    from shoal.loss.trees import TreeRelease
    from shoal.recoding.recoded import Recoded
    from shoal.release.sections import LossSpec

ASKED = ((1, 0), (0, 2), (1, 2))  # values and items of the queries whose error is told where records have both


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


def set_losses_of(release: SetRelease) -> dict[str, float]:
    """Of item sets, by name: those that say something about the way in which these are shown.

    Query errors are of random queries, the same for the same numbers of items and queries.
    """
    originals = release.originals
    figures: list[SetLoss] = [ItemNCP(), UL(), ER()]
    if originals.rows and len(originals.items):
        width = int(originals.items.max()) + 1
        mean = int(originals.weights.sum()) / originals.rows
        figures += [QE(SetWorkload.random(width, mean)), ItemARE(SetWorkload.of_records(originals))]
    made = {figure.name: figure.of(release) for figure in figures}
    return {name: float(value) for name, value in made.items() if value is not None}


def set_loss_facts(losses: Mapping[str, float], chosen: str) -> tuple[LossFacts, ...]:
    made = [
        LossFacts(loss.title, loss.plain, digits.lost(value), loss.share, loss.formula, True, minimised=name == chosen)
        for name, value in losses.items()
        for loss in [SET_LOSSES[name]]
    ]
    return tuple(sorted(made, key=lambda loss: not loss.minimised))


def mixed_losses_of(release: MixedRelease, columns: Sequence[str], spec: LossSpec) -> dict[str, float]:
    """Of single values beside item sets, by name. columns: of single values; spec: of the recipe.

    Query errors are named after what the queries ask for: `are-1-2` is of one value and two items.
    """
    figures: dict[str, MixedLoss] = {loss.name: loss for loss in (TableNCP(), ItemsNCP(), ItemsUL())}
    held = int(release.items.originals.sizes.max(initial=0))
    for values, items in ASKED if release.recoded.rows else ():
        if held or not items:
            figures[_asking(values, items)] = MixedARE(MixedWorkload.random(release, values, items))
    weights = normalized_weights(columns, spec.weights)
    return {name: float(figure.of(release, weights)) for name, figure in figures.items()}


def mixed_loss_facts(losses: Mapping[str, float], chosen: str) -> tuple[LossFacts, ...]:
    asked = {_asking(*both): both for both in ASKED}
    made = []
    for name, value in losses.items():
        loss = MIXED_LOSSES[MixedARE.name if name in asked else name]
        plain = loss.plain
        if name in asked:
            plain = f"{plain}: {' and '.join(_words(*asked[name]))}"
        elif name == TableNCP.name:
            plain = f"{plain}, of single values"
        told = digits.lost(value)
        made.append(LossFacts(loss.title, plain, told, loss.share, loss.formula, True, minimised=name == chosen))
    return tuple(sorted(made, key=lambda loss: not loss.minimised))


def tree_losses_of(release: TreeRelease) -> dict[str, float]:
    """Of trees, by name."""
    return {name: float(figure().of(release)) for name, figure in TREE_LOSSES.items()} if release.rows else {}


def tree_loss_facts(losses: Mapping[str, float], chosen: str) -> tuple[LossFacts, ...]:
    made = [
        LossFacts(loss.title, loss.plain, digits.lost(value), loss.share, loss.formula, True, minimised=name == chosen)
        for name, value in losses.items()
        for loss in [TREE_LOSSES[name]]
    ]
    return tuple(sorted(made, key=lambda loss: not loss.minimised))


def _asking(values: int, items: int) -> str:
    return f"{MixedARE.name}-{values}-{items}"


def _words(values: int, items: int) -> list[str]:
    parts = ((values, "value"), (items, "item"))
    return [f"{number} {what}{'s' if number > 1 else ''}" for number, what in parts if number]
