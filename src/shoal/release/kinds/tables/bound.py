"""How far a release is from the best there can be: the proved floor, whatever method decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.methods.tables.floor import floor_of
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.mates import floor_with_mates
from shoal.recoding.tables.groups import GroupRecoding

if TYPE_CHECKING:
    from shoal.engines.engine import Engine
    from shoal.methods.method import Decision, Listener
    from shoal.methods.tables.problem import TableProblem


def floor_loss(engine: Engine, problem: TableProblem, decision: Decision, listener: Listener) -> float | None:
    """No recoding along the hierarchies that keeps the promise loses less; None when the release shows other values."""
    if not _is_along_hierarchies(decision):
        return None
    if decision.floor is not None:
        return decision.floor
    frequency = engine.frequency_set(problem.hierarchies, problem.sensitive)
    ground = Ground.over(frequency, problem)
    return floor_with_mates(ground, floor_of(ground, listener))


def _is_along_hierarchies(decision: Decision) -> bool:
    """Whether a release shows nothing but labels of the hierarchies: for these the floor is proved."""
    recoding = decision.recoding
    return not isinstance(recoding, GroupRecoding) or recoding.along_hierarchies
