"""Every loss of trees, whichever method made the release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.loss import TREE_LOSSES
from shoal.loss.trees.release import TreeRelease
from shoal.recoding.trees.classes import TreeClassRecoding
from shoal.recoding.trees.rules import TreeRecoding
from shoal.release.losses import compared, loss_fact, minimised_first

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Engine, Recoding
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.method import Decision
    from shoal.release.task import Task
    from shoal.report.comparing.facts import ComparedLoss
    from shoal.report.facts import LossFacts


def measure(task: Task, decision: Decision) -> dict[ComparedLoss, float]:
    """What a method decided, by every loss."""
    release = tree_release(task.engine, task.hierarchies.quasi, decision.recoding)
    return compared(losses_of(release), TREE_LOSSES)


def tree_release(engine: Engine, hierarchies: Mapping[str, Hierarchy], recoding: Recoding) -> TreeRelease:
    """The records as they are shown, beside the originals."""
    if isinstance(recoding, TreeRecoding):
        return TreeRelease.of(recoding, engine.forest({name: hierarchies[name] for name in recoding.shape.names}))
    if isinstance(recoding, TreeClassRecoding):
        return TreeRelease.of_classes(recoding)
    raise InternalError("A recoding of something else was taken for one of trees.")


def losses_of(release: TreeRelease) -> dict[str, float]:
    """By name."""
    return {name: float(figure().of(release)) for name, figure in TREE_LOSSES.items()} if release.rows else {}


def loss_facts(losses: Mapping[str, float], chosen: str) -> tuple[LossFacts, ...]:
    """For the report. chosen: the loss that was to be small."""
    return minimised_first(
        loss_fact(TREE_LOSSES[name], value, minimised=name == chosen) for name, value in losses.items()
    )
