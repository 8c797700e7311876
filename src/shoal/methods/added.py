"""A method of another package: asked like any other, and what comes back is looked at before it is believed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shoal.errors import RecipeError, ShoalError
from shoal.methods.method import Decision, Listener
from shoal.methods.tables.added.measured import measured

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine

_MEASURED: dict[str, Callable[[Engine, Any, Decision], Decision | None]] = {"tables": measured}


class AddedMethod:
    """What it decides is applied and verified like all else. What it raises is no bug of ours, and may quote cells."""

    def __init__(self, method: Any) -> None:
        self._method = method
        self.name: str = method.name
        self.kind: Kind = method.kind
        self.title: str = method.title
        self.keys: Mapping[str, str] = dict(method.keys)

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        """As the method says; that it cannot say is a problem too."""
        try:
            return [str(problem) for problem in self._method.problems(options)]
        except Exception as reason:  # whatever another package raises
            return [f"The method '{self.name}' failed while it looked at its keys ({type(reason).__name__})."]

    def decide(self, engine: Engine, problem: Any, listener: Listener, **options: Any) -> Decision:
        """As the method decides."""
        try:
            decision = self._method.decide(engine, problem, listener, **options)
        except ShoalError:
            raise
        except Exception as reason:  # whatever another package raises
            raise RecipeError(
                f"method.name: '{self.name}', which another package adds, failed ({type(reason).__name__}); nothing was published. "
                "Use another method, or tell its authors."
            ) from None
        applicable: Decision | None = decision if isinstance(decision, Decision) else None
        if applicable is not None and self.kind in _MEASURED:
            applicable = _MEASURED[self.kind](engine, problem, applicable)
        if applicable is None:
            raise RecipeError(
                f"method.name: '{self.name}', which another package adds, decided nothing that can be applied. Use another method."
            )
        return replace(applicable, optimal=False, bound=0.0, floor=None)  # nothing of it is proved
