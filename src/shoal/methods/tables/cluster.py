"""Method `cluster`: classes of k nearest records around random seeds.

The algorithm Cluster of paper 001 (Poulis et al. 2013), after the k-member clustering of Byun et al. 2007. While k records are
left: a seed is drawn, and it forms a class with the k − 1 records whose smallest common box with the seed costs least. The
records left over go to the class whose box stays cheapest with them. At last classes that show the same are one.

- 001-10: a box costs what the recipe's loss charges for its values, NCP as corrected there when that loss has no such price.
- 001-11: fewer than k records are refused; exactly k − 1 others are taken, ties by their order; classes that show the same are
  joined once (the paper's S contains C itself). Seeds come from a seeded generator: no privacy depends on them.

Records with equal quasi-identifiers stay together here. k of them or more are a class of their own from the start, and a class
is full with the tuple that brings it to k records. Classes that break another promise than k are merged afterwards.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.errors import RecipeError
from shoal.kernels.tables.boxes import smallest_boxes
from shoal.kernels.tables.nearest import cells_of, gather, place
from shoal.methods.keys import BLOCKS, key_problems, seconds_of
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.tables.blocks import Blocks, in_blocks
from shoal.methods.tables.cutting import cut_up, in_order
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.merging import merge_failing
from shoal.methods.tables.problem import TableProblem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine

_BLOCKS = Blocks(above=100_000, most=5_000)
_SEED = 1
_MOST = 30_000_000_000  # comparisons without a budget: some ten minutes
_AT_ONCE = 20_000_000  # comparisons between two looks at the clock: some tenths of a second


class Cluster:
    """Greedy clusters around seeds."""

    name: ClassVar[str] = "cluster"
    kind: ClassVar[Kind] = "tables"
    title: ClassVar[str] = "k-member clustering, nearest records around seeds"
    keys: ClassVar[Mapping[str, str]] = {
        "seed": "a whole number from 0; another one gives other classes. The same seed gives the same release",
        "budget": 'the longest time the clustering may take, for example "60s" or "5m"; what has no class by then is cut up '
        "as by method mondrian",
        "blocks": BLOCKS,
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        problems = key_problems(self.name, self.keys, options)
        seed = options.get("seed", _SEED)
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            problems.append(f"`seed` must be an integer of at least 0; got {seed!r}.")
        return problems

    def decide(self, engine: Engine, problem: TableProblem, listener: Listener, **options: Any) -> Decision:
        ground = Ground.of(engine, problem, listener)
        budget = seconds_of(options.get("budget"))
        size = _BLOCKS.size(ground, options)
        decision = in_blocks(self, engine, ground, listener, options, size, budget=budget) if size is not None else None
        if decision is not None:
            return decision
        until = float("inf") if budget is None else ground.started + budget
        if budget is None:
            _refuse_too_many(ground)
        first = "" if gather.signatures else " (preparing kernels, once)"
        listener(Progress("search", f"clustering{first}"))
        tuples = in_order(ground.frequency.codes)
        groups = np.empty(len(tuples), np.int32)
        groups[tuples] = cluster(ground, tuples, options.get("seed", _SEED), until, listener)
        return ground.decision(merge_failing(ground, groups))


def cluster(
    ground: Ground, tuples: NDArray[np.int64], seed: int, until: float, listener: Listener
) -> NDArray[np.int32]:
    """The class of each tuple, numbered from 0. After `until` (a monotonic time) no seed is taken any more."""
    codes, counts = np.ascontiguousarray(ground.frequency.codes[tuples]), ground.frequency.counts[tuples]
    groups = np.full(len(tuples), -1, np.int32)
    alone = np.flatnonzero(counts >= ground.k)
    groups[alone] = np.arange(len(alone))
    count = _around_seeds(ground, codes, counts, groups, seed, until, listener)
    rest = np.flatnonzero(groups < 0)
    if counts[rest].sum() >= ground.k:  # the time was up
        listener(Progress("search", f"{len(rest):,} combinations are left when the time is up"))
        along = np.ones(codes.shape[1], np.bool_)
        groups[rest] = count + cut_up(ground, tuples[rest], along, False, listener, sizes_only=True)
    else:
        groups[rest] = place(ground.priced, codes[rest], smallest_boxes(ground.priced, codes, groups, count))
    return groups


def _around_seeds(
    ground: Ground,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    groups: NDArray[np.int32],
    seed: int,
    until: float,
    listener: Listener,
) -> int:
    """Fills `groups` as far as it goes; returns how many groups there are."""
    count = int(groups.max()) + 1
    seeds = np.random.default_rng(seed).permutation(len(groups))
    cells = cells_of(ground.priced, codes, counts)
    while time.monotonic() < until:
        count, done = gather(ground.priced, cells, codes, counts, seeds, groups, count, ground.k, _AT_ONCE)
        if not done:  # fewer than k records are left
            break
        seeds = seeds[done:]
        # a seed is compared with what is left, so the work done is that of a square
        share = 1 - (np.count_nonzero(groups < 0) / len(groups)) ** 2
        listener(Progress("search", f"{count:,} classes", share))
    return count


def _refuse_too_many(ground: Ground) -> None:
    small = ground.frequency.counts[ground.frequency.counts < ground.k]
    comparisons = len(small) * int(small.sum()) // (2 * ground.k)
    if comparisons > _MOST:
        raise RecipeError(
            f"method.name: 'cluster' would compare {len(small):,} different combinations about {comparisons:,} times, which takes "
            f"very long. Give it a time, [method] budget = \"5m\", or use method 'mondrian'."
        )
