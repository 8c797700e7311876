"""Method `nonreciprocal`: sets of items are shown as a base, with the items in which they may differ and in how many at most.

M. Xue, P. Karras, C. Raïssi, J. Vaidya, K.-L. Tan: Anonymizing set-valued data by nonreciprocal recoding (paper 003). Records
stand in their Gray order, improved by tours; records that stand together are shown by what most of them hold. No hierarchy is
needed.

Where we depart from the paper:

- 003-3: the default mode is `blocks`: the order is cut into blocks of k to 2k − 1 records at the least expected error rate, and
  the records of a block all show the same. Whoever knows some identities learns nothing outside their blocks. The mode `ring`
  is as published, every record matching the k records from its own place on, and refused for k ≤ 3, where one known identity
  unravels it.
- 003-2: on a ring all k assignments are extracted, and the operating system's generator picks one of them.
- 003-4, 003-5: with labels there are blocks only, of at least l records, with labels that all differ; if k is larger than l,
  none is more frequent than one in l. Records with equal sets go to blocks at random: in any known order, the labels of one
  block would tell of those of another.
- 003-8, 003-9, 003-10: segments where their sizes do not add up, fewer records than k, ties in a vote.
- Of tour and plain Gray order the better is kept, segment by segment (`gray_tsp.py`).

Many records are worked on in ranges of their Gray order, each by itself; each range is a ring of its own in that mode.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.errors import InternalError, RecipeError
from shoal.kernels.sets.block_cuts import cheapest, cut_into_blocks, the_cheaper, weights
from shoal.kernels.sets.closed_walk import assignments
from shoal.kernels.sets.gray_order import gray_order
from shoal.kernels.sets.label_sequence import label_sequence
from shoal.methods.keys import key_problems
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.sets.gray_tsp import gray_tsp
from shoal.methods.sets.matched_block import SCHEMA, Matched, Records, error_rate, together
from shoal.methods.sets.matching_promise import MatchingPromise
from shoal.methods.sets.problem import SetProblem
from shoal.methods.sets.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.engines.engine import Engine
    from shoal.recoding.sets.matching import Mode

RANGE = 20_000  # records of a range, unless the recipe says it
MODES = ("blocks", "ring")


class Nonreciprocal:
    """Blocks, or a ring, of records that stand together in Gray order."""

    name: ClassVar[str] = "nonreciprocal"
    title: ClassVar[str] = "Nonreciprocal recoding of item sets along a Gray order"
    kind: ClassVar[Kind] = "sets"
    keys: ClassVar[Mapping[str, str]] = {
        "mode": '"blocks": groups of records that show the same; "ring": as published, refused for k of 3 and less. '
        "Blocks without it",
        "tour": "whether the Gray order is improved by tours: true or false; true without it",
        "blocks": f"about how many records are worked on together; 0: all. Without it {RANGE:,}, when there are twice as many",
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        problems = key_problems(self.name, self.keys, options)
        if options.get("mode", "blocks") not in MODES:
            problems.append(f"`mode` must be one of {', '.join(MODES)}; got {options['mode']!r}.")
        if not isinstance(options.get("tour", True), bool):
            problems.append(f"`tour` must be true or false; got {options['tour']!r}.")
        return problems

    def decide(self, engine: Engine, problem: SetProblem, listener: Listener, **options: Any) -> Decision:
        started = time.monotonic()
        mode: Mode = options.get("mode", "blocks")
        promise = MatchingPromise.of(self.name, problem.guarantees)
        if mode == "ring":
            _check_ring(promise)
        listener(Progress("count", "counting items"))
        sources = Sources.of(engine, problem, self.name, promise, options.get("blocks", RANGE))
        first = "" if cheapest.signatures else " (preparing kernels, once)"
        listener(Progress("search", f"ordering and matching {sources.records:,} records{first}"))
        return decide_blocks(
            engine,
            sources,
            MatchBlock(sources.column, sources.vocabulary, promise, mode, options.get("tour", True)),
            started,
        )


def _check_ring(promise: MatchingPromise) -> None:
    if promise.label is not None:
        raise RecipeError(
            "method.mode: a ring cannot keep l-matching, for labels move with the assignment. Use `blocks`."
        )
    if promise.k <= 3:
        raise RecipeError(
            f"method.mode: a ring is refused for k = {promise.k}: whoever knows one identity may learn those of others with "
            "certainty. Use `blocks`, or k of 4 and more."
        )


def decide_blocks(engine: Engine, sources: Sources, kernel: MatchBlock, started: float) -> Decision:
    """Run a kernel over all ranges and put together what it returns."""
    promise, mode = kernel.promise, kernel.mode
    columns = [sources.column, *([promise.label] if promise.label is not None else [])]
    blocks = engine.map_blocks(columns, sources.ranges, kernel, SCHEMA)
    if blocks.num_rows != len(sources.ranges):
        raise InternalError(
            f"{blocks.num_rows:,} of {len(sources.ranges):,} blocks were decided; nothing was published."
        )
    recoding = together(blocks, sources.column, sources.vocabulary, promise.label, mode)
    if recoding.rows != sources.records:
        raise InternalError(f"{recoding.rows:,} of {sources.records:,} records were matched; nothing was published.")
    return Decision(
        recoding=recoding,
        loss=error_rate(blocks, sources.records, promise.k if mode == "ring" else 1),
        suppressed=0,
        limit=0,
        classes=len(recoding.base),
        optimal=False,
        bound=0.0,
        seconds=time.monotonic() - started,
        blocks=blocks.num_rows if blocks.num_rows > 1 else 0,
    )


@dataclass(frozen=True, eq=False)
class MatchBlock:
    """Orders and matches the records of one range."""

    column: str
    vocabulary: pa.Array
    promise: MatchingPromise
    mode: Mode
    tour: bool

    def __call__(self, block: pa.Table) -> pa.Table:
        records = Records.of(block, self.column, self.vocabulary, self.promise.label)
        order = self.order(records)
        matched = ring(order, self.promise.k) if self.mode == "ring" else self.blocks(records, order)
        return matched.row(records)

    def order(self, records: Records) -> NDArray[np.int64]:
        """(records,)"""
        each = records.each()
        if not self.tour:
            return gray_order(*each)
        gray, tour, cuts = gray_tsp(*each)
        return the_cheaper(*each, weights(np.diff(each[0])), tour, gray, cuts, self.promise.k)

    def blocks(self, records: Records, order: NDArray[np.int64]) -> Matched:
        """The order cut into blocks; with labels, changed as little as that needs."""
        k, l = self.promise.k, self.promise.l  # noqa: E741
        labels, kinds = records.labels()
        most = 2 * k - 1
        if l:
            order, longest = in_sequence(order, labels, kinds, l)
            # where k is larger, groups are joined until there are k records, and a rest goes to the last ones
            most = max(most, longest if k == l else 2 * (k - 1) + longest)
        each = records.each()
        cuts = cut_into_blocks(*each, order, weights(np.diff(each[0])), k, most, labels, l)
        return Matched(cuts, order)


def ring(order: NDArray[np.int64], k: int) -> Matched:
    """Everyone matches the k published records from the own place on; one of k assignments tells who became which."""
    count = len(order)
    steps = assignments(count, k, os.urandom)[uniform_below(k)]
    windows = order[
        (np.arange(count)[:, None] - np.arange(k - 1, -1, -1)) % count
    ]  # (places, k): who may have come here
    own = np.empty(count, np.int64)
    own[order] = (np.arange(count) + steps) % count
    return Matched(np.arange(count + 1) * k, windows.ravel(), own)


def uniform_below(limit: int) -> int:
    """A number below the limit from the operating system's generator, all equally likely."""
    size = (limit.bit_length() + 7) // 8 + 1
    fair = 256**size // limit * limit
    while True:
        number = int.from_bytes(os.urandom(size))
        if number < fair:
            return number % limit


def in_sequence(
    order: NDArray[np.int64],
    labels: NDArray[np.int32],
    kinds: int,
    l: int,  # noqa: E741
) -> tuple[NDArray[np.int64], int]:
    """The order so that it can be cut into groups of l and more different labels, and how long the longest of these groups is.

    Records without a label add none, and are spread evenly over the groups.
    """
    known = order[labels[order] >= 0]
    cuts, sequence = label_sequence(labels[known], kinds, l)
    without = order[labels[order] < 0]
    groups = len(cuts) - 1
    share = np.arange(groups + 1) * len(without) // groups
    # each group is followed by its share of those without a label
    at = np.repeat(cuts[1:], np.diff(share))
    return np.insert(known[sequence], at, without), int((np.diff(cuts) + np.diff(share)).max())
