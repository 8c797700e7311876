"""Every loss of item sets, whichever method made the release."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.errors import InternalError
from shoal.loss import SET_LOSSES
from shoal.loss.sets.are import ItemARE
from shoal.loss.sets.er import ER
from shoal.loss.sets.ncp import ItemNCP
from shoal.loss.sets.qe import QE
from shoal.loss.sets.release import Generalized, Matched
from shoal.loss.sets.ul import UL
from shoal.loss.sets.workload import SetWorkload
from shoal.recoding.sets.items import ItemRecoding
from shoal.recoding.sets.matching import MatchingRecoding
from shoal.release.kinds.sets.originals import Originals
from shoal.release.kinds.sets.same import SameSets
from shoal.release.kinds.sets.totals import SetTotals
from shoal.release.losses import compared, loss_fact, minimised_first

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Engine
    from shoal.loss.sets.release import Release, SetLoss
    from shoal.methods.method import Decision
    from shoal.release.task import Task
    from shoal.report.comparing.facts import ComparedLoss
    from shoal.report.facts import LossFacts

MOST = 250_000  # different sets that come here; of more, what is counted elsewhere


def measure(task: Task, decision: Decision) -> dict[ComparedLoss, float]:
    """What a method decided, by every loss that says something of it."""
    recoding = decision.recoding
    if isinstance(recoding, MatchingRecoding):
        return compared(losses_of(Matched.of(recoding)), SET_LOSSES)
    if isinstance(recoding, ItemRecoding):
        return compared(losses_of_totals(totals_of(task.engine, recoding, task.records)), SET_LOSSES)
    raise InternalError("A recoding of something else was taken for one of item sets.")


def totals_of(engine: Engine, recoding: ItemRecoding, records: int) -> SetTotals:
    """What all records hold and show: from the different sets, unless there are too many of them to come here."""
    if records > MOST:
        same = SameSets.of(engine, recoding, records)
        if same.different > MOST:
            return SetTotals.of_everyone(engine, recoding, same)
    originals = Originals.of(engine, recoding.column, recoding.items, recoding.part_of)
    return SetTotals.of(Generalized.of(originals.sets, originals.counts, recoding, originals.parts))


def losses_of_totals(totals: SetTotals) -> dict[str, float]:
    """By name, as `losses_of` has them; of all records, be their sets at hand or not."""
    if totals.losses is None:
        return losses_of(totals.release)
    vague = ItemNCP().of(totals.release) or Fraction(0)
    return {name: float(value) for name, value in {ItemNCP.name: vague, **totals.losses}.items()}


def losses_of(release: Release) -> dict[str, float]:
    """By name: those that say something about the way in which these are shown.

    Query errors are of random queries, the same for the same numbers of items and queries.
    """
    originals = release.originals
    figures: list[SetLoss] = [ItemNCP(), UL(), ER()]
    if originals.rows and len(originals.items):
        width = int(originals.items.max()) + 1
        mean = int(originals.weights.sum()) / originals.rows
        figures += [QE(SetWorkload.random(width, mean)), ItemARE(SetWorkload.of_records(originals))]
    values = {figure.name: figure.of(release) for figure in figures}
    return {name: float(value) for name, value in values.items() if value is not None}


def loss_facts(losses: Mapping[str, float], chosen: str) -> tuple[LossFacts, ...]:
    """For the report. chosen: the loss that was to be small."""
    return minimised_first(
        loss_fact(SET_LOSSES[name], value, minimised=name == chosen) for name, value in losses.items()
    )
