"""What goes along the one path: a task, whose data are loaded, and the product that was made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Engine, Written
    from shoal.methods.method import Decision, Listener, Method
    from shoal.release.plan import Hierarchies, Plan
    from shoal.verifier.verdict import Verdict


@dataclass(frozen=True, eq=False)
class Task:
    """A plan whose data an engine has loaded: what has to be decided, about how many records."""

    plan: Plan
    engine: Engine
    records: int
    hierarchies: Hierarchies
    problem: Any  # the `Problem` of the kind of data
    session: Any = None  # of Spark, where it does the work

    def decide(
        self, listener: Listener, *, method: Method | None = None, options: Mapping[str, Any] | None = None
    ) -> Decision:
        """By the method of the plan as the recipe says, or by another with keys of its own."""
        chosen = self.plan.method if method is None else method
        keys = self.plan.recipe.method.options if options is None else options
        if self.plan.recipe.method.minimality == "safe":
            from shoal.methods.tables.unsteered import decide_unsteered

            return decide_unsteered(chosen, self.engine, self.problem, listener, keys)
        return chosen.decide(self.engine, self.problem, listener, **keys)


@dataclass(frozen=True, eq=False)
class Product:
    """A release that the verifier passed: where its draft lies, or the frame of the engine where nothing was written."""

    decision: Decision
    written: Written
    verdict: Verdict
    data: Any
    assignment: Any  # who shows what, where that cannot be told from the values; else None
