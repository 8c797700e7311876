"""Evaluate lattice nodes on the frequency set: classes, failing records, loss.

A node is grouped from the smallest already grouped node below it (roll-up), never from the rows. What is kept for reuse is
bounded in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.guarantees.guarantee import ClassCounts, Histogram, of_classes
from shoal.kernels.grouping import Grouper, Layout, Move, group_sum
from shoal.methods.tables.lattice.lattice import Lattice, Node

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.guarantees.guarantee import ClassGuarantee, Guarantee
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.loss.loss import CellCosts, CellLoss, ClassLoss

_KEPT_BYTES = 256 << 20  # memory for grouped nodes kept for roll-up


@dataclass(frozen=True, eq=False)
class Classes:
    """The equivalence classes of one node."""

    node: Node
    keys: NDArray[np.uint64]  # (classes, words) packed group codes at the node's levels
    sizes: NDArray[np.int64]  # (classes,)
    histograms: Mapping[str, Histogram]

    @property
    def bytes(self) -> int:
        held = sum(h.classes.nbytes + h.values.nbytes + h.counts.nbytes for h in self.histograms.values())
        return self.keys.nbytes + self.sizes.nbytes + held


@dataclass(frozen=True)
class Evaluation:
    """What a node would publish. `loss` is None when more records fail than may be suppressed."""

    node: Node
    suppressed: int  # records in failing classes
    feasible: bool
    prunes: bool  # everything more detailed is infeasible too, by what the guarantees declare
    loss: Fraction | None
    classes: int
    unsuppressed: float  # a lower bound of the loss of this node and of everything more general


class Nodes:
    """Evaluates nodes of one lattice for one set of guarantees and one loss."""

    def __init__(
        self,
        frequency: FrequencySet,
        hierarchies: Sequence[Hierarchy],
        guarantees: Sequence[Guarantee],
        loss: CellLoss | ClassLoss,
        weights: Sequence[Fraction],
        sensitive_hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> None:
        self.hierarchies = tuple(hierarchies)
        self.lattice = Lattice(tuple(h.height for h in hierarchies))
        self.guarantees = of_classes(guarantees)
        self._class_by_class = all(g.monotone_with_suppression for g in self.guarantees)
        self._all_monotone = all(g.monotone for g in self.guarantees)
        self.rows = frequency.rows
        self.marginals = [
            np.bincount(frequency.codes[:, c], weights=frequency.counts, minlength=h.leaf_count).astype(np.int64)
            for c, h in enumerate(self.hierarchies)
        ]
        self.layout = Layout.for_domains([h.leaf_count for h in self.hierarchies])
        self._group = Grouper(self.layout.width)
        self._steps: dict[tuple[int, int, int], NDArray[np.uint64]] = {}
        self._moves: dict[tuple[tuple[int, int, int], ...], Move] = {}
        self.evaluated = 0

        self._price(loss, weights)

        # one base node below all others: the raw tuples
        base = self.lattice.bottom
        keys, sizes, group_of = group_sum(self.layout.pack(frequency.codes), frequency.counts)
        histograms = {}
        for column, s in frequency.sensitive.items():
            hierarchy = (sensitive_hierarchies or {}).get(column)
            by_tuple = Histogram(s.tuples, s.values, s.counts, s.value_count, hierarchy, s.missing, s.places)
            histograms[column] = by_tuple.regrouped(group_of)
        self._kept = _Kept(Classes(base, keys, sizes, histograms), self.lattice)

    def _price(self, loss: CellLoss | ClassLoss, weights: Sequence[Fraction]) -> None:
        self._loss = loss
        self.cells: CellCosts | None = None
        if hasattr(loss, "cell_costs"):
            self.cells = loss.cell_costs(self.hierarchies, self.marginals, weights)
            self._level_sums = self.cells.level_sums(self.hierarchies, self.marginals)
            self._scale = scale = self.cells.scale(self.rows)
            self._shares = [
                [factor * (level - base) / scale.denominator for level in sums]
                for factor, base, sums in zip(scale.factors, scale.base, self._level_sums, strict=True)
            ]

    # ---- bounds, known without looking -------------------------------------------------------------------------------

    def bound_per_level(self) -> list[list[float]] | None:
        """[column][level]: each level's share of the loss without suppression, when the loss is a sum over columns."""
        return self._shares if self.cells is not None else None

    # ---- evaluating --------------------------------------------------------------------------------------------------

    def evaluate(self, node: Node, limit: int) -> Evaluation:
        classes = self.classes(node)
        failing, suppressed = self.failing(classes)
        feasible = suppressed <= limit and suppressed < self.rows
        loss = self.loss(classes, failing, suppressed) if feasible else None
        return Evaluation(
            node,
            suppressed,
            feasible,
            not feasible and self._prunes(classes, limit),
            loss,
            len(classes.sizes),
            self._unsuppressed(classes),
        )

    def keeps(self, node: Node, limit: int) -> bool:
        """Whether the node is feasible, without asking what it loses."""
        _, suppressed = self.failing(self.classes(node))
        return suppressed <= limit and suppressed < self.rows

    def all_prune(self, limit: int) -> bool:
        """Whether infeasible always means: and so is everything more detailed."""
        return self._all_monotone if limit == 0 else self._class_by_class

    def _pruning(self, limit: int) -> list[ClassGuarantee]:
        return [g for g in self.guarantees if (g.monotone if limit == 0 else g.monotone_with_suppression)]

    def _prunes(self, classes: Classes, limit: int) -> bool:
        if self.all_prune(limit):
            return True
        counts = ClassCounts(classes.sizes, classes.histograms)
        failing = np.zeros(len(classes.sizes), np.bool_)
        for guarantee in self._pruning(limit):
            failing |= guarantee.failing(counts)
        return int(classes.sizes[failing].sum()) > limit

    def classes(self, node: Node) -> Classes:
        """The classes of a node, rolled up from the smallest kept node below it."""
        base = self._kept.smallest_below(node)
        if base.node == node:
            return base
        self.evaluated += 1
        move = self._move(base.node, node)
        keys, sizes, group_of = self._group(base.keys, base.sizes, move, members=bool(base.histograms))
        histograms = {column: h.regrouped(group_of) for column, h in base.histograms.items()}
        classes = Classes(node, keys, sizes, histograms)
        self._kept.add(classes)
        return classes

    def failing(self, classes: Classes) -> tuple[NDArray[np.bool_], int]:
        """Which classes break a guarantee, and how many records they hold.

        A guarantee may refer to the whole release (t-closeness), and hiding classes changes that: unless every guarantee
        declares that nothing of the kind can happen, the test is repeated on what is left until nothing fails.
        """
        counts = ClassCounts(classes.sizes, classes.histograms)
        failing = np.zeros(len(classes.sizes), np.bool_)
        for guarantee in self.guarantees:
            failing |= guarantee.failing(counts)
        while not self._class_by_class and failing.any() and not failing.all():
            left = counts.keep(~failing)
            again = np.zeros(len(left.sizes), np.bool_)
            for guarantee in self.guarantees:
                again |= guarantee.failing(left)
            if not again.any():
                break
            failing[np.flatnonzero(~failing)[again]] = True
        return failing, int(classes.sizes[failing].sum())

    def loss(self, classes: Classes, failing: NDArray[np.bool_], suppressed: int) -> Fraction:
        if self.cells is None:
            return self._loss.class_loss(ClassCounts(classes.sizes, classes.histograms), ~failing)  # type: ignore[union-attr]
        sums = [column[level] for column, level in zip(self._level_sums, classes.node, strict=True)]
        if suppressed:  # take back what the failing classes would have cost, charge the full cost instead
            keys, sizes = classes.keys[failing], classes.sizes[failing]
            for c, level in enumerate(classes.node):
                cost = self.cells.costs[c][level][self.layout.unpack(keys, c)]
                sums[c] += suppressed * self.cells.full[c] - int((cost * sizes).sum())
        return self._scale.loss(sums)

    def records_by_group(self, classes: Classes, which: NDArray[np.bool_], column: int, level: int) -> tuple[int, ...]:
        """Records of some classes, by the group of one column at a level at or above the classes' own."""
        groups = self.layout.unpack(classes.keys[which], column)
        step = self._step(column, classes.node[column], level)
        size = int(self.hierarchies[column].groups[level].max()) + 1
        records = np.bincount(step[groups].astype(np.int64), weights=classes.sizes[which], minlength=size)
        return tuple(int(n) for n in records)

    def _unsuppressed(self, classes: Classes) -> float:
        """Learnt by looking when the loss is one of classes; known beforehand (`bound_per_level`) when it is one of cells."""
        none = np.zeros(len(classes.sizes), np.bool_)
        return float(self.loss(classes, none, 0)) if self.cells is None else 0.0

    # ---- keeping -----------------------------------------------------------------------------------------------------

    def _move(self, start: Node, end: Node) -> Move:
        """From one node to another: fields and maps of the columns that differ."""
        moved = tuple((c, a, b) for c, (a, b) in enumerate(zip(start, end, strict=True)) if a != b)
        if moved not in self._moves:
            columns = [c for c, _, _ in moved]
            maps = [self._step(*move) for move in moved]
            starts = np.cumsum([0, *(len(m) for m in maps[:-1])], dtype=np.int64)
            fields = self.layout
            plan = (fields.words[columns], fields.shifts[columns], fields.masks[columns], starts, np.concatenate(maps))
            if len(moved) > 1:  # there are many of these, and each is rarely needed again
                return plan
            self._moves[moved] = plan
        return self._moves[moved]

    def _step(self, column: int, start: int, end: int) -> NDArray[np.uint64]:
        """group number at level `start` → group number at level `end`"""
        if (column, start, end) not in self._steps:
            groups = self.hierarchies[column].groups
            step = np.zeros(int(groups[start].max()) + 1, np.uint64)
            step[groups[start]] = groups[end]
            self._steps[column, start, end] = step
        return self._steps[column, start, end]


class _Kept:
    """Grouped nodes kept for roll-up; the raw tuples always stay."""

    def __init__(self, raw: Classes, lattice: Lattice) -> None:
        self._raw = raw
        self._lattice = lattice
        self._by_node: dict[Node, Classes] = {}
        self._levels = np.empty((64, len(lattice.heights)), np.int8)  # of the same nodes, in the same order
        self._bytes = 0

    def smallest_below(self, node: Node) -> Classes:
        """The node itself, or a node below with few classes: one directly below if there is one, else the best of all."""
        same = self._by_node.get(node)
        if same is not None:
            return same
        directly = [self._by_node[child] for child in self._lattice.children(node) if child in self._by_node]
        if directly:
            return min(directly, key=_class_count)
        levels = self._levels[: len(self._by_node)]
        usable = np.flatnonzero((levels <= np.array(node, np.int8)).all(axis=1)).tolist()
        kept = list(self._by_node.values())
        return min((kept[i] for i in usable), key=_class_count, default=self._raw)

    def add(self, classes: Classes) -> None:
        count = len(self._by_node)
        if count == len(self._levels):
            self._levels = np.concatenate([self._levels, np.empty_like(self._levels)])
        self._levels[count] = classes.node
        self._by_node[classes.node] = classes
        self._bytes += classes.bytes
        if self._bytes > _KEPT_BYTES:
            # let the larger half go: small ones are the cheaper ground for roll-ups
            small = sorted(self._by_node.values(), key=_class_count)[: len(self._by_node) // 2]
            self._by_node = {c.node: c for c in small}
            self._levels[: len(small)] = list(self._by_node)
            self._bytes = sum(c.bytes for c in small)


def _class_count(classes: Classes) -> int:
    return len(classes.sizes)
