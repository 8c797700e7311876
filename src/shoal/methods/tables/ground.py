"""What every grouping method stands on: the distinct tuples with their counts, the price of values, and the way to a decision.

A grouping method says which tuples belong together. The values a class shows follow from that: the lowest node of each
hierarchy that covers its members.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import Infeasible, InternalError
from shoal.guarantees.guarantee import ClassCounts, Histogram, of_classes
from shoal.hierarchies.hierarchy import depth_cuts
from shoal.kernels.tables.boxes import Trees, box_prices, smallest_boxes
from shoal.loss.loss import CellLoss, node_prices, normalized_weights
from shoal.loss.tables.ncp import NCP
from shoal.methods.clock import WALL, Clock
from shoal.methods.method import Decision, Listener, Progress
from shoal.methods.tables.problem import TableProblem
from shoal.recoding.tables.free import free_values
from shoal.recoding.tables.groups import GroupRecoding

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.recoding.tables.recoded import Recoded


@dataclass(frozen=True, eq=False)
class Ground:
    """All that a grouping method starts from, and the decision it ends with."""

    problem: TableProblem
    frequency: FrequencySet
    weights: tuple[Fraction, ...]
    priced: Trees  # the nodes of all hierarchies, priced by the recipe's loss, or by NCP when that loss does not add up over cells
    constant: float  # what all records together pay above the loss, divided by their number
    k: int  # the least size of a class
    started: float
    clock: Clock = WALL  # of a search

    @classmethod
    def of(cls, engine: Engine, problem: TableProblem, listener: Listener) -> Ground:
        """Counts the tuples; refuses a table that has too few records for any release (ERRATA G2)."""
        started = time.monotonic()
        listener(Progress("count", "counting distinct combinations"))
        frequency = engine.frequency_set(problem.hierarchies, problem.sensitive)
        return cls.over(frequency, problem, started)

    @classmethod
    def over(cls, frequency: FrequencySet, problem: TableProblem, started: float | None = None) -> Ground:
        k = max([1, *(g.k or 1 for g in problem.guarantees), *(ceil(g.l or 1) for g in problem.guarantees)])
        if frequency.rows < k:
            raise Infeasible(
                f"There are {frequency.rows:,} records, fewer than the {k:,} that have to look alike. Ask for a smaller k."
            )
        hierarchies = tuple(problem.hierarchies.values())
        weights = normalized_weights(list(problem.hierarchies), problem.weights)
        priced, constant = priced_nodes(frequency, hierarchies, problem, weights)
        return cls(problem, frequency, weights, priced, constant, k, time.monotonic() if started is None else started)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.problem.hierarchies)

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        return tuple(self.problem.hierarchies.values())

    @cached_property
    def ladders(self) -> tuple[NDArray[np.int32], ...]:
        """Of each column (levels, leaves): the node a leaf is replaced by. Every node has a level at which all leaves below it show
        it. The levels that a file states need not have one: there a label may stand at different levels in different rows."""
        return tuple(depth_cuts(h.parents, h.leaf_count) for h in self.hierarchies)

    def boxes(self, groups: NDArray[np.int32], count: int) -> NDArray[np.int32]:
        """(count, columns): the hierarchy nodes each group of tuples shows."""
        return smallest_boxes(self.priced, self.frequency.codes, groups, count)

    def price(self, groups: NDArray[np.int32]) -> float:
        """What all records pay together. groups: (tuples,) numbered from 0"""
        count = int(groups.max()) + 1
        sizes = np.bincount(groups, weights=self.frequency.counts, minlength=count)
        return float(sizes @ box_prices(self.priced, self.boxes(groups, count)))

    def counts(self, groups: NDArray[np.int32], count: int) -> ClassCounts:
        """Sizes and sensitive values of the groups, for the guarantees."""
        sizes = np.bincount(groups, weights=self.frequency.counts, minlength=count).astype(np.int64)
        histograms = {}
        for column, s in self.frequency.sensitive.items():
            hierarchy = self.problem.sensitive.get(column)
            by_tuple = Histogram(s.tuples, s.values, s.counts, s.value_count, hierarchy, s.missing, s.places)
            histograms[column] = by_tuple.regrouped(groups)
        return ClassCounts(sizes, histograms)

    def failing(self, groups: NDArray[np.int32], count: int) -> NDArray[np.bool_]:
        """(count,): which groups break a promise."""
        counts = self.counts(groups, count)
        failing = np.zeros(count, np.bool_)
        for guarantee in of_classes(self.problem.guarantees):
            failing |= guarantee.failing(counts)
        return failing

    def breaks(self, groups: NDArray[np.int32], count: int) -> bool:
        """Whether some group breaks a promise when all others, and not those that are hidden (-1), are published."""
        counts = self.counts(np.where(groups < 0, count, groups).astype(np.int32), count + 1)
        published = counts.keep(np.arange(count + 1) < count)
        return any(bool(guarantee.failing(published).any()) for guarantee in of_classes(self.problem.guarantees))

    def decision(self, groups: NDArray[np.int32]) -> Decision:
        """groups: (tuples,) numbered from 0. Every group must keep every promise; nothing is suppressed."""
        return self.decide(self.recoding(groups))

    def decide(self, recoding: GroupRecoding) -> Decision:
        recoded = recoding.over(self.frequency)  # with the sensitive values, which a loss may speak of
        limit = floor(self.problem.suppression * self.frequency.rows)
        if recoded.suppressed > limit:
            raise InternalError("A method hid more records than the recipe allows; nothing was published.")
        if self._breaks(recoded):
            raise InternalError("A method left a class that breaks a promise; nothing was published.")
        return Decision(
            recoding=recoding,
            loss=self.problem.loss.of(recoded, self.weights),
            suppressed=recoded.suppressed,
            limit=limit,
            classes=len(recoded.values),
            optimal=False,
            bound=0.0,
            seconds=time.monotonic() - self.started,
        )

    def _breaks(self, recoded: Recoded) -> bool:
        if len(recoded.counts) == len(self.frequency.counts):
            return self.breaks(recoded.classes, len(recoded.values))
        if self.speaks_of_sensitive or self.problem.whole:
            raise InternalError("A tuple was divided although its records have to stay together.")
        counts = ClassCounts(recoded.class_sizes)
        return any(bool(guarantee.failing(counts).any()) for guarantee in of_classes(self.problem.guarantees))

    @property
    def speaks_of_sensitive(self) -> bool:
        """Whether some promise is about sensitive values: then the records of a tuple must stay together."""
        return any(guarantee.sensitive is not None for guarantee in self.problem.guarantees)

    def recoding(self, groups: NDArray[np.int32], *, free: bool = False) -> GroupRecoding:
        """groups: (tuples,) numbered from 0, none empty. free: show ranges and sets instead of labels of the hierarchies."""
        return self._recoding(self.frequency.codes, self.frequency.counts, groups, free=free)

    def recoding_of_parts(
        self, tuples: NDArray[np.int64], groups: NDArray[np.int32], *, free: bool = False
    ) -> GroupRecoding:
        """One entry for each record: the number of its tuple, and its group. Records of a tuple may be in several groups."""
        many = np.int64(int(groups.max()) + 2)  # and the hidden ones
        pairs, counts = np.unique(tuples * many + groups + 1, return_counts=True)
        whose, group = np.divmod(pairs, many)
        codes = self.frequency.codes[whose]
        return self._recoding(codes, counts.astype(np.int64), (group - 1).astype(np.int32), free=free)

    def _recoding(
        self, codes: NDArray[np.int32], counts: NDArray[np.int64], groups: NDArray[np.int32], *, free: bool
    ) -> GroupRecoding:
        boxes = smallest_boxes(self.priced, codes, groups, int(groups.max()) + 1)
        if not free:
            return GroupRecoding.of_nodes(self.columns, self.hierarchies, codes, counts, groups, boxes)
        kept = groups >= 0
        columns = [
            free_values(h, codes[kept, c], groups[kept], boxes[:, c], stated=name in self.problem.stated)
            for c, (name, h) in enumerate(self.problem.hierarchies.items())
        ]
        values = np.stack([numbers for numbers, _ in columns], axis=1)
        shown = tuple(shown for _, shown in columns)
        return GroupRecoding.of_values(self.columns, self.hierarchies, codes, counts, groups, values, shown)


def priced_nodes(
    frequency: FrequencySet, hierarchies: tuple[Hierarchy, ...], problem: TableProblem, weights: tuple[Fraction, ...]
) -> tuple[Trees, float]:
    """The nodes of all hierarchies with what a record pays to show each, and the constant that the loss leaves out."""
    marginals = [
        np.bincount(frequency.codes[:, c], weights=frequency.counts, minlength=h.leaf_count).astype(np.int64)
        for c, h in enumerate(hierarchies)
    ]
    loss = problem.loss if isinstance(problem.loss, CellLoss) else NCP()
    priced = node_prices(loss, hierarchies, marginals, weights, frequency.rows)
    sizes = [len(h.labels) for h in hierarchies]
    nodes = Trees(
        np.cumsum([0, *sizes[:-1]], dtype=np.int64),
        np.concatenate([h.first for h in hierarchies]),
        np.concatenate([h.last for h in hierarchies]),
        np.concatenate([h.parents for h in hierarchies]),
        # per record, so that a price lies between 0 and 1 whatever the number of records
        np.concatenate(priced.prices) * frequency.rows,
    )
    return nodes, priced.constant
