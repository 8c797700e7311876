"""Method `rum-bound`: the single values lose at most delta, and the items as little as can be reached.

Rum-bound of paper 001 (Poulis and others 2013), section 4: first clusters by their single values, merged as long as NCP stays at
most delta (RMERGE_R, RMERGE_T, RMERGE_RT), and the items of each shown in a way of its own. ERRATA 001-7: merging does not always
help the items, so after each merge they are mapped anew, and the best state met is what is published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from shoal.methods.method import Decision, Listener, Problem, Progress
from shoal.methods.mixed.bounds import TableBound, kept_within, within_table_loss
from shoal.methods.mixed.ground import MixedGround
from shoal.methods.mixed.options import BLOCKS, ITEMS, MERGE, ORDER, SEED, delta_of, option_problems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Engine
    from shoal.methods.mixed.merging import Merging


class RumBound:
    name: ClassVar[str] = "rum-bound"
    kind: ClassVar[str] = "mixed"
    title: ClassVar[str] = "Bounded loss of single values, low loss of items"
    keys: ClassVar[Mapping[str, str]] = {
        "delta": "the most that the single values may lose (NCP), from 0 to 1",
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
        ground = MixedGround.of(engine, problem, listener, options, TableBound(delta, merge, order))
        listener(Progress("search", "clustering"))
        state = ground.merging(options)

        def told(state: Merging) -> None:
            listener(Progress("search", f"{int(state.alive.sum()):,} classes"))

        if ground.blocks:  # which have used up what delta allows
            found = kept_within(state, delta, merge, order)
        else:
            found = within_table_loss(state, delta, merge, order, told)
        return ground.decision(found, found.item_loss)
