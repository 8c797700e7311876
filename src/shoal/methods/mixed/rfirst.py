"""Method `rfirst`: the single values first: classes by them alone, then the items of each.

The baseline RFIRST of paper 001, section 3. A class whose items cannot be shown in any way is merged with the nearest one
(ERRATA 001-8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.mixed.bounds import Mapped, finish
from shoal.methods.mixed.ground import MixedGround
from shoal.methods.mixed.options import BLOCKS, ITEMS, SEED, option_problems
from shoal.methods.mixed.problem import MixedProblem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine


class RFirst:
    """The baseline that looks at the items last."""

    name: ClassVar[str] = "rfirst"
    kind: ClassVar[Kind] = "mixed"
    title: ClassVar[str] = "Single values first"
    keys: ClassVar[Mapping[str, str]] = {
        "items": ITEMS,
        "seed": SEED,
        "blocks": BLOCKS,
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return option_problems(self.name, self.keys, options)

    def decide(self, engine: Engine, problem: MixedProblem, listener: Listener, **options: Any) -> Decision:
        ground = MixedGround.of(engine, problem, listener, options, Mapped())
        listener(Progress("search", "clustering"))
        state = ground.merging(options)
        finish(state, "r", "btd", None)
        clustering = state.clustering()
        return ground.decision(clustering, clustering.item_loss)
