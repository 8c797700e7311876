"""What the methods for mixed tables share: from a problem to the first clusters, and from clusters to a decision."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from shoal.data.itemsets import ItemSets
from shoal.errors import InternalError, RecipeError
from shoal.guarantees.k_km_anonymity import KKMAnonymity
from shoal.guarantees.k_lm_diversity import KLMDiversity
from shoal.kernels.tables.boxes import smallest_boxes
from shoal.loss.loss import normalized_weights
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.mixed.blocks import ABOVE, MOST, DecideBlock, Together, in_blocks
from shoal.methods.mixed.clusters import MixedRecords, Prices, first_clusters
from shoal.methods.mixed.coarse import Coarse
from shoal.methods.mixed.item_mapping import ItemDomain, Promised
from shoal.methods.mixed.labels import class_items
from shoal.methods.mixed.merging import Merging
from shoal.methods.mixed.problem import MixedProblem
from shoal.methods.mixed.reading import encoding, read
from shoal.recoding.mixed.clusters import MixedRecoding
from shoal.recoding.tables.groups import GroupRecoding

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.mixed.blocks import Inside
    from shoal.methods.mixed.item_mapping import ClassMapping, Objective
    from shoal.methods.mixed.merging import Clustering

_SEED = 1


@dataclass(frozen=True, eq=False)
class MixedGround:
    """All that a method for mixed tables starts from, and the decision it ends with."""

    problem: MixedProblem
    records: MixedRecords
    prices: Prices
    domain: ItemDomain
    promised: Promised
    started: float
    together: Together | None = None  # when blocks have been worked on: what they came to
    blocks: int = 0

    @classmethod
    def of(
        cls,
        engine: Engine,
        problem: MixedProblem,
        listener: Listener,
        options: Mapping[str, Any],
        inside: Inside | None = None,
    ) -> MixedGround:
        """inside: what the method does in each block of a large table; None: it has no blocks."""
        started = time.monotonic()
        promised, diverse = _promised(problem)
        sets = [problem.hierarchies[name] for name in problem.sets]
        if options.get("items", "sets") == "hierarchy":
            domain = ItemDomain.of_hierarchies(sets)
        else:
            domain = ItemDomain.of_sets(ItemDomain.of_hierarchies(sets).family)
        values = _values(problem)
        weights = normalized_weights(list(values), problem.weights)
        listener(Progress("count", "reading distinct records"))
        if inside is not None and options.get("blocks") != 0:
            counted = engine.frequency_set(values, {})
            number = int(counted.counts.sum())
            prices = Prices.of(list(values.values()), weights, number)
            most = options.get("blocks", MOST if number > ABOVE else number)
            partition = Coarse.of(values, prices.nodes, counted, weights, promised.k, most)
            if partition.blocks > 1:
                seed, shares = options.get("seed", _SEED), tuple(guarantee.l for guarantee in diverse)
                columns, encode = encoding(problem, diverse)
                kernel = DecideBlock(encode, shares, prices, domain, promised, _objective(problem), seed, inside)
                together = in_blocks(engine, columns, partition, kernel, listener)
                return cls(problem, together.records, prices, domain, promised, started, together, partition.blocks)
        records = read(engine, problem, diverse)
        prices = Prices.of(list(values.values()), weights, records.records)
        return cls(problem, records, prices, domain, promised, started)

    def merging(self, options: Mapping[str, Any]) -> Merging:
        """From the first clusters on, or from what the blocks came to."""
        result = self.together
        if result is None:
            return self.merging_of(
                first_clusters(self.records, self.prices, self.promised.k, options.get("seed", _SEED))
            )
        return self.merging_of(result.groups, result.known)

    def merging_of(self, groups: NDArray[np.int32], known: Mapping[int, ClassMapping] | None = None) -> Merging:
        return Merging(self.records, self.prices, groups, self.domain, self.promised, _objective(self.problem), known)

    def decision(self, clustering: Clustering, loss: Fraction) -> Decision:
        recoding = self.recoding(clustering)
        return Decision(
            recoding=recoding,
            loss=loss,
            suppressed=0,
            limit=0,
            classes=len(clustering.rows),
            optimal=False,
            bound=0.0,
            seconds=time.monotonic() - self.started,
            blocks=self.blocks,
        )

    def recoding(self, clustering: Clustering) -> MixedRecoding:
        if len(clustering.mappings) != len(clustering.rows):
            raise InternalError("A class cannot show its items; nothing was published.")
        values, sets = _values(self.problem), {name: self.problem.hierarchies[name] for name in self.problem.sets}
        rows, counts = _distinct(self.records)
        codes, groups = self.records.codes[rows], clustering.groups[rows]
        boxes = smallest_boxes(self.prices.nodes, codes, groups, len(clustering.rows))
        recoding = GroupRecoding.of_nodes(tuple(values), tuple(values.values()), codes, counts, groups, boxes)
        class_of = np.empty(len(clustering.rows), np.int64)
        class_of[groups] = recoding.recoded.classes
        if len(recoding.recoded.values) != len(clustering.rows):
            raise InternalError("Two classes of a table with item sets show the same values; nothing was published.")
        offsets, items, _ = self.records.rows(rows)
        names = _names(sets)
        mappings = [clustering.mappings[cluster] for cluster in np.argsort(class_of).tolist()]
        return MixedRecoding(
            recoding,
            tuple(sets),
            ItemSets(offsets, items, names),
            class_items(mappings, self.domain, list(sets.values())),
        )


def _distinct(records: MixedRecords) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows that differ in more than what is sensitive, and the records of each. Equal ones follow each other."""
    first = np.ones(len(records.counts), np.bool_)
    sizes = np.diff(records.offsets)
    like = np.flatnonzero((records.codes[1:] == records.codes[:-1]).all(axis=1) & (sizes[1:] == sizes[:-1]))
    offsets, one, _ = records.rows(like)
    _, two, _ = records.rows(like + 1)
    differing = np.bincount(np.repeat(np.arange(len(like)), np.diff(offsets))[one != two], minlength=len(like))
    first[like + 1] = differing > 0
    rows = np.flatnonzero(first)
    return rows, np.add.reduceat(records.counts, rows)


def _names(sets: Mapping[str, Hierarchy]) -> pa.Array:
    if len(sets) == 1:
        (hierarchy,) = sets.values()
        return pa.array(hierarchy.labels[: hierarchy.leaf_count], pa.string())
    return pa.array([f"{name}:{item}" for name, h in sets.items() for item in h.labels[: h.leaf_count]], pa.string())


def _objective(problem: MixedProblem) -> Objective:
    """What the recipe makes small on the side of the items."""
    return "ul" if problem.item_loss == "ul" else "item-ncp"


def _values(problem: MixedProblem) -> dict[str, Hierarchy]:
    return {name: hierarchy for name, hierarchy in problem.hierarchies.items() if name not in problem.sets}


def _promised(problem: MixedProblem) -> tuple[Promised, list[KLMDiversity]]:
    """All promises at once: the largest k and m of any."""
    kept = [g for g in problem.guarantees if isinstance(g, KKMAnonymity | KLMDiversity)]
    if len(kept) < len(problem.guarantees) or not kept or not problem.sets:
        raise RecipeError(
            f"Methods for mixed tables keep {KKMAnonymity.name} and {KLMDiversity.name}, and nothing else."
        )
    diverse = [g for g in kept if isinstance(g, KLMDiversity)]
    return Promised(max(g.k for g in kept), max(g.m for g in kept)), diverse
