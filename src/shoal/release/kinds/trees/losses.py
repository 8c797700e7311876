"""Every loss of trees, whichever method made the release."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.loss import TREE_LOSSES
from shoal.loss.trees.release import TreeRelease
from shoal.recoding.trees.classes import TreeClassRecoding
from shoal.recoding.trees.rules import TreeRecoding
from shoal.release.kinds.trees.totals import TreeTotals
from shoal.release.losses import compared, loss_fact, minimised_first

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Engine, Recoding
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.method import Decision
    from shoal.release.task import Task
    from shoal.report.comparing.facts import ComparedLoss
    from shoal.report.facts import LossFacts


LOSS = "tree-loss"  # that is to be small
MOST = 100_000  # different trees that losses are measured on; all, where there are no more
_OF_ALL = ("rpd-a",)  # a figure of all records laid upon each other, which a sample does not tell


def measure(task: Task, decision: Decision) -> dict[ComparedLoss, float]:
    """What a method decided, by every loss."""
    hierarchies = task.hierarchies.quasi
    release = tree_release(task.engine, hierarchies, decision.recoding)
    losses = losses_of(release, totals_of(task.engine, hierarchies, decision.recoding, release))
    sampled = on_sample(release)
    return {
        replace(loss, title=loss.title + sampled) if loss.name != LOSS else loss: value
        for loss, value in compared(losses, TREE_LOSSES).items()
    }


def tree_release(engine: Engine, hierarchies: Mapping[str, Hierarchy], recoding: Recoding) -> TreeRelease:
    """Records as they are shown, beside the originals: all, or a sample of so many different trees that says of how many it is."""
    if isinstance(recoding, TreeRecoding):
        return TreeRelease.of(recoding, engine.forest(_in_order(hierarchies, recoding), most=MOST))
    if isinstance(recoding, TreeClassRecoding):
        return TreeRelease.of_classes(recoding)
    raise InternalError("A recoding of something else was taken for one of trees.")


def totals_of(
    engine: Engine, hierarchies: Mapping[str, Hierarchy], recoding: Recoding, release: TreeRelease
) -> TreeTotals:
    """Of all records, be the release a sample of them or not."""
    if release.originals.sampled_from is None:
        return TreeTotals.of(release)
    if not isinstance(recoding, TreeRecoding):
        raise InternalError("A sample was taken of trees whose classes are at hand.")
    return TreeTotals.of_everyone(engine, _in_order(hierarchies, recoding), recoding, release)


def _in_order(hierarchies: Mapping[str, Hierarchy], recoding: TreeRecoding) -> dict[str, Hierarchy]:
    return {name: hierarchies[name] for name in recoding.shape.names}


def losses_of(release: TreeRelease, totals: TreeTotals) -> dict[str, float]:
    """By name. The loss that is to be small is that of all records, be the release a sample or not."""
    if not release.rows:
        return {}
    sampled = release.originals.sampled_from is not None
    return {
        name: float(totals.distance if name == LOSS else figure().of(release))
        for name, figure in TREE_LOSSES.items()
        if not (sampled and name in _OF_ALL)
    }


def on_sample(release: TreeRelease) -> str:
    """What to add to the words of a loss that is measured on a sample."""
    return "" if release.originals.sampled_from is None else f", on a sample of {release.rows:,} records"


def loss_facts(losses: Mapping[str, float], sampled: str) -> tuple[LossFacts, ...]:
    """For the report. sampled: as `on_sample` tells."""
    return minimised_first(
        loss_fact(TREE_LOSSES[name], value, minimised=True)
        if name == LOSS
        else loss_fact(TREE_LOSSES[name], value, minimised=False, plain=TREE_LOSSES[name].plain + sampled)
        for name, value in losses.items()
    )
