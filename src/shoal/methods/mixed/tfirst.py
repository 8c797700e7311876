"""Method `tfirst`: the items first: one mapping for all records, which then are one class.

The baseline TFIRST of paper 001, section 3, as in its Fig. 2b. Parts of the records with mappings of their own would each show
nearly the roots of all columns, and records that show the same are one class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.mixed.bounds import finish
from shoal.methods.mixed.ground import MixedGround
from shoal.methods.mixed.options import ITEMS, option_problems
from shoal.methods.mixed.problem import MixedProblem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine


class TFirst:
    """The baseline that looks at the single values last."""

    name: ClassVar[str] = "tfirst"
    kind: ClassVar[Kind] = "mixed"
    title: ClassVar[str] = "Items first"
    keys: ClassVar[Mapping[str, str]] = {
        "items": ITEMS,
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return option_problems(self.name, self.keys, options)

    def decide(self, engine: Engine, problem: MixedProblem, listener: Listener, **options: Any) -> Decision:
        ground = MixedGround.of(engine, problem, listener, options)
        listener(Progress("search", "mapping items"))
        state = ground.merging_of(np.zeros(len(ground.records.counts), np.int32))
        finish(state, "r", "btd", None)
        clustering = state.clustering()
        return ground.decision(clustering, clustering.table_loss)
