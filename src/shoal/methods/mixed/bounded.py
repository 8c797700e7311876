"""What rum-bound and tum-bound of paper 001 share: one side may lose at most delta, the other loses as little as possible."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.mixed.ground import MixedGround
from shoal.methods.mixed.options import BLOCKS, ITEMS, MERGE, ORDER, SEED, delta_of, option_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.methods.mixed.merging import Clustering, Merging
    from shoal.methods.mixed.problem import MixedProblem


def keys_with(delta: str) -> dict[str, str]:
    """The keys of a recipe. delta: what it bounds."""
    return {"delta": delta, "merge": MERGE, "items": ITEMS, "order": ORDER, "seed": SEED, "blocks": BLOCKS}


class Bounded(ABC):
    """A method with a bound on one side."""

    name: ClassVar[str]
    kind: ClassVar[Kind] = "mixed"
    title: ClassVar[str]
    keys: ClassVar[Mapping[str, str]]

    @abstractmethod
    def in_block(self, delta: Fraction, merge: Any, order: Any) -> Any:
        """What is done in one block of a table that is decided in blocks."""

    @abstractmethod
    def search(
        self,
        ground: MixedGround,
        state: Merging,
        bound: tuple[Fraction, Any, Any],
        report: Callable[[Merging], None],
    ) -> Clustering:
        """The best clustering within the bound: delta, merge and order."""

    @abstractmethod
    def lost(self, clustering: Clustering) -> Fraction:
        """What the other side loses."""

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        """What is wrong with the keys in a recipe."""
        return option_problems(self.name, self.keys, options)

    def decide(self, engine: Engine, problem: MixedProblem, listener: Listener, **options: Any) -> Decision:
        """Cluster the records, and merge as the bound allows."""
        bound = delta_of(options), options.get("merge", "rt"), options.get("order", "btd")
        ground = MixedGround.of(engine, problem, listener, options, self.in_block(*bound))
        listener(Progress("search", "clustering"))

        def report(state: Merging) -> None:
            listener(Progress("search", f"{int(state.alive.sum()):,} classes"))

        clustering = self.search(ground, ground.merging(options), bound, report)
        return ground.decision(clustering, self.lost(clustering))
