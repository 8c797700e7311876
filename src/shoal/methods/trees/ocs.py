"""Method `ocs`: the greedy search of `gcs` without taking relations apart (OnlyCutSearch of paper 000, section 4).

A cut that would need it is no solution. It shows what the taking apart is worth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from shoal.methods.keys import key_problems
from shoal.methods.trees.gcs import SEARCH_KEYS, decided, number_problems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.methods.method import Decision, Listener
    from shoal.methods.trees.problem import TreeProblem


class Ocs:
    """The search of gcs that takes no relations apart."""

    name: ClassVar[str] = "ocs"
    kind: ClassVar[Kind] = "trees"
    title: ClassVar[str] = "Greedy search for a cut that keeps all relations"
    keys: ClassVar[Mapping[str, str]] = SEARCH_KEYS

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return key_problems(self.name, self.keys, options) + number_problems(options)

    def decide(self, engine: Engine, problem: TreeProblem, listener: Listener, **options: Any) -> Decision:
        return decided(self.name, engine, problem, listener, options, may_part=False)
