"""Method `tum-bound`: the items lose at most delta, and the single values as little as can be reached.

Tum-bound of paper 001 (Poulis and others 2013), section 4, with ERRATA 001-3 and 001-4: clusters are merged (TMERGE_R, TMERGE_T,
TMERGE_RT) until the items, mapped anew after each merge, lose at most delta. If they never do, that is refused, with the least they
lost. What they lose is the loss of the recipe: item NCP, or UL as in the paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from shoal.methods.method import Decision, Listener, Problem, Progress
from shoal.methods.mixed.bounds import ItemBound, within_item_loss
from shoal.methods.mixed.ground import MixedGround
from shoal.methods.mixed.options import BLOCKS, ITEMS, MERGE, ORDER, SEED, delta_of, option_problems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Engine
    from shoal.methods.mixed.merging import Merging


class TumBound:
    name: ClassVar[str] = "tum-bound"
    kind: ClassVar[str] = "mixed"
    title: ClassVar[str] = "Bounded loss of items, low loss of single values"
    keys: ClassVar[Mapping[str, str]] = {
        "delta": "the most that the items may lose, from 0 to 1",
        "merge": MERGE,
        "items": ITEMS,
        "order": ORDER,
        "seed": SEED,
        "blocks": BLOCKS,
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return option_problems(self.name, self.keys, options)

    def decide(self, engine: Engine, problem: Problem, listener: Listener, **options: Any) -> Decision:
        delta, merge, order = delta_of(options), options.get("merge", "rt"), options.get("order", "btd")
        ground = MixedGround.of(engine, problem, listener, options, ItemBound(delta, merge, order))
        listener(Progress("search", "clustering"))
        state = ground.merging(options)

        def told(state: Merging) -> None:
            listener(Progress("search", f"{int(state.alive.sum()):,} classes"))

        found = within_item_loss(state, delta, merge, order, told)
        return ground.decision(found, found.table_loss)
