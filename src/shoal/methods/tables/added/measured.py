"""What a decision about a table loses, whatever the method that made it says of itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.loss.loss import normalized_weights
from shoal.recoding.tables.groups import GroupRecoding
from shoal.recoding.tables.levels import LevelRecoding

if TYPE_CHECKING:
    from shoal.engines.engine import Engine
    from shoal.methods.method import Decision
    from shoal.methods.tables.problem import TableProblem


def measured(engine: Engine, problem: TableProblem, decision: Decision) -> Decision | None:
    """The same with the loss of what the records show; None when it is no recoding of a table."""
    if not isinstance(decision.recoding, LevelRecoding | GroupRecoding):
        return None
    recoded = decision.recoding.over(engine.frequency_set(problem.hierarchies, problem.sensitive))
    weights = normalized_weights(list(problem.hierarchies), problem.weights)
    return replace(decision, loss=problem.loss.of(recoded, weights))
