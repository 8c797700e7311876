"""Grouping methods on tables with many different combinations: block by block, wherever the records are.

The coarse partition (`partition.py`) is made from the distinct tuples that the caller has counted. Then the engine runs the method
on each block by itself, as many at a time as it has workers for, and what comes back is put together: classes of different
blocks that show the same become one, and the loss is measured over everything.

Prices inside a block are those of the whole table (`loss/tables/part.py`). Nothing is suppressed. A time budget is divided by the
number of tuples. t-closeness compares every class with the whole table, which no block knows: then there are no blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from shoal.errors import InternalError
from shoal.guarantees.t_closeness import TCloseness
from shoal.hierarchies.coding import encode, frequency_set
from shoal.kernels.tables.cut_ends import CutTree, end_of
from shoal.loss.loss import CellLoss
from shoal.loss.tables.part import PartLoss
from shoal.methods.method import Attempt, Decision, Listener, Method, Progress
from shoal.methods.tables.block_results import SCHEMA, Block, together
from shoal.methods.tables.partition import Partition, usual_ways
from shoal.methods.tables.problem import TableProblem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.data.frequency import FrequencySet
    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.tables.ground import Ground
    from shoal.methods.tables.partition import Way


_LEAST_SHARE = 0.5  # of a budget for the blocks, however long the partition took


@dataclass(frozen=True)
class Blocks:
    """When a method works in blocks, unless the recipe says it."""

    above: int  # tuples
    most: int  # tuples of a block

    def size(self, ground: Ground, options: Mapping[str, Any]) -> int | None:
        """Tuples per block; None: the whole table at once."""
        tuples = len(ground.frequency.counts)
        asked: int | None = options.get("blocks")
        if any(isinstance(guarantee, TCloseness) for guarantee in ground.problem.guarantees):
            return None
        if asked is not None:
            return asked if 0 < asked < tuples else None
        return self.most if tuples > self.above else None


@dataclass(frozen=True, eq=False)
class BlockOf:
    """The block of a record, by the cuts of the partition."""

    hierarchies: Mapping[str, Hierarchy]
    tree: CutTree

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        codes = np.empty((batch.num_rows, len(self.hierarchies)), np.int32)
        each = np.ones(batch.num_rows, np.int64)
        for c, (name, hierarchy) in enumerate(self.hierarchies.items()):
            codes[:, c] = encode(pa.chunked_array([batch.column(name)]), name, hierarchy, each)
        return pa.array(end_of(self.tree, codes))


@dataclass(frozen=True, eq=False)
class DecideBlock:
    """Runs a method on one block. `seconds`: of its time budget, for each tuple; None: it has none."""

    method: Method
    problem: TableProblem
    options: Mapping[str, Any]
    seconds: float | None = None

    def __call__(self, block: pa.Table) -> pa.Table:
        frequency = frequency_set(block, self.problem.hierarchies, self.problem.sensitive)
        options = {**self.options, "blocks": 0}
        if self.seconds is not None:
            options["budget"] = self.seconds * len(frequency.counts)
        counted = cast("Engine", Counted(frequency))
        decision = self.method.decide(counted, self.problem, lambda _: None, **options)
        return Block.of(decision, frequency).table()


@dataclass(frozen=True, eq=False)
class Counted:
    """Of an engine what a method asks for: tuples, which have been counted already."""

    frequency: FrequencySet

    def frequency_set(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: Mapping[str, Hierarchy | None]
    ) -> FrequencySet:
        return self.frequency


def in_blocks(
    method: Method,
    engine: Engine,
    ground: Ground,
    listener: Listener,
    options: Mapping[str, Any],
    most: int,
    *,
    ways: Sequence[Way] | None = None,
    budget: float | None = None,
) -> Decision | None:
    """None when the promises leave a single block: then the table is best worked on as a whole.

    ways: how the partition is made, if not the usual way. budget: seconds for all blocks together, from the start on.
    """
    listener(Progress("blocks", "cutting the table into blocks"))
    partition = Partition.of(ground, most, ways or usual_ways(ground, most), listener)
    blocks = len(partition.sizes)
    if blocks < 2:
        return None
    problem = ground.problem
    seconds = None
    if budget is not None:
        left = max(budget - (ground.clock.now() - ground.started), 0.0)
        workers = 1 if ground.clock.steady else min(engine.workers, blocks)  # the same steps, however many there are
        seconds = max(left, _LEAST_SHARE * budget) * workers / int(partition.sizes.sum())
    table = engine.map_blocks(
        [*problem.hierarchies, *problem.sensitive],
        BlockOf(problem.hierarchies, partition.tree),
        DecideBlock(method, _problem_of_a_part(ground), options, seconds),
        SCHEMA,
    )
    if table.num_rows != blocks:
        raise InternalError(f"{table.num_rows:,} of {blocks:,} blocks were decided; nothing was published.")
    listener(Progress("blocks", f"putting {blocks:,} blocks together"))
    results = [Block.at(table, number) for number in range(blocks)]
    decision = ground.decide(together(ground, results))
    note = f"the best of each of {blocks:,} blocks of {most:,} combinations at most"
    tried = [*_tried(results, problem), Attempt("blocks", float(decision.loss), decision.seconds, note)]
    return replace(decision, blocks=blocks, tried=tuple(tried) if len(tried) > 1 else ())


def _problem_of_a_part(ground: Ground) -> TableProblem:
    """Without suppression: each method that works in blocks does without."""
    problem, frequency = replace(ground.problem, suppression=Fraction(0)), ground.frequency
    if not isinstance(problem.loss, CellLoss):
        return problem
    marginals = (
        np.bincount(frequency.codes[:, c], weights=frequency.counts, minlength=h.leaf_count).astype(np.int64)
        for c, h in enumerate(ground.hierarchies)
    )
    columns = tuple(zip(ground.hierarchies, marginals, strict=True))
    return replace(problem, loss=PartLoss(problem.loss, columns))


def _tried(results: Sequence[Block], problem: TableProblem) -> list[Attempt]:
    """What was tried in the blocks, method by method: the loss of all records when it found something in every block.

    Only the cost of cells adds up. Other losses are of classes, and classes of different blocks that show the same become one:
    then a sum may lie below what any release loses, and is not told.
    """
    adds_up = isinstance(problem.loss, CellLoss)
    records = sum(block.records for block in results)
    named = dict.fromkeys(attempt.method for block in results for attempt in block.tried)
    attempts = []
    for name in named:
        tries = [(block, a) for block in results for a in block.tried if a.method == name and a.loss is not None]
        loss = None
        if adds_up and len(tries) == len(results):
            loss = sum(block.records / records * (a.loss or 0.0) for block, a in tries)
        best = sum(a.loss == min(t.loss for t in block.tried if t.loss is not None) for block, a in tries)
        seconds = sum(a.seconds for block in results for a in block.tried if a.method == name)
        note = f"in {len(tries):,} of {len(results):,} blocks, the best in {best:,}; seconds added up"
        attempts.append(Attempt(name, loss, seconds, note))
    return attempts
