"""How far a release is from the best there can be: the proved floor, whatever method decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.methods.tables.floor import floor_of
from shoal.methods.tables.ground import Ground
from shoal.recoding.groups import GroupRecoding

if TYPE_CHECKING:
    from shoal.engines.engine import Engine
    from shoal.methods.method import Decision, Listener, Problem


def floor_loss(engine: Engine, problem: Problem, decision: Decision, listener: Listener) -> float | None:
    """No recoding along the hierarchies that keeps the promise loses less; None when the release shows other values."""
    if decision.floor is not None:
        return decision.floor
    if isinstance(decision.recoding, GroupRecoding) and not decision.recoding.along_hierarchies:
        return None
    frequency = engine.frequency_set(problem.hierarchies, problem.sensitive)
    return floor_of(Ground.over(frequency, problem), listener).loss
