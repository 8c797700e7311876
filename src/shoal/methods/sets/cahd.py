"""Method `cahd`: groups of records with different labels, formed around one record after the other. The rival of paper 003.

G. Ghinita, P. Kalnis, Y. Tao: Anonymous publication of sensitive transactional data (TKDE 2011), over Gray order. It publishes
exact items in groups apart from their labels, and so promises nothing about identities. As in paper 003, Section 5.1, its
groups are shown here as `nonreciprocal` shows blocks: a base, the items in which members differ and in how many at most. Then
both keep the same promise, and their error rates compare.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.errors import RecipeError
from shoal.kernels.sets.cahd_groups import cahd_groups
from shoal.methods.keys import key_problems
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.sets.matched_block import Matched, Records
from shoal.methods.sets.matching_promise import MatchingPromise
from shoal.methods.sets.nonreciprocal import RANGE, MatchBlock, decide_blocks
from shoal.methods.sets.problem import SetProblem
from shoal.methods.sets.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine

ALPHA = 3  # candidates on either side, times l


class Cahd:
    """Groups of records with different labels, around one record after the other."""

    name: ClassVar[str] = "cahd"
    title: ClassVar[str] = "Groups of different labels along a Gray order (CAHD)"
    kind: ClassVar[Kind] = "sets"
    keys: ClassVar[Mapping[str, str]] = {
        "blocks": f"about how many records are worked on together; 0: all. Without it {RANGE:,}, when there are twice as many",
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        return key_problems(self.name, self.keys, options)

    def decide(self, engine: Engine, problem: SetProblem, listener: Listener, **options: Any) -> Decision:
        started = time.monotonic()
        promise = MatchingPromise.of(self.name, problem.guarantees)
        if promise.label is None or promise.k > promise.l:
            raise RecipeError(
                "Method 'cahd' forms groups of l records: it needs l-matching, and k of k-matching of at most l."
            )
        listener(Progress("count", "counting items"))
        sources = Sources.of(engine, problem, self.name, promise, options.get("blocks", RANGE))
        listener(Progress("search", f"grouping {sources.records:,} records"))
        return decide_blocks(
            engine, sources, CahdBlock(sources.column, sources.vocabulary, promise, "blocks", False), started
        )


@dataclass(frozen=True, eq=False)
class CahdBlock(MatchBlock):
    """Groups the records of one range. Records without a label add none, and go to the groups in turn."""

    def blocks(self, records: Records, order: NDArray[np.int64]) -> Matched:
        labels, _ = records.labels()
        known = np.flatnonzero(labels >= 0)
        place = np.cumsum(labels >= 0) - 1  # among those
        sets = records.sets.take(records.originals[known])
        inner = place[order[labels[order] >= 0]]
        groups = np.empty(len(order), np.int64)
        groups[known] = cahd_groups(sets.offsets, sets.items, inner, labels[known], self.promise.l, ALPHA)
        without = order[labels[order] < 0]
        groups[without] = np.arange(len(without)) % (groups[known].max() + 1)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(groups))])
        return Matched(starts, np.argsort(groups, kind="stable"))
