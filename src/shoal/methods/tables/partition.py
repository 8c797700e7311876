"""The coarse partition of a table into blocks that are worked on one by one.

Distinct tuples are cut in two as method `mondrian` does it, until no part has more than a given number of them. A cut is made only
when both sides keep every promise, each as one class: so whatever is decided in a block, merging its classes always ends with
promises kept, and no block needs records of another. Where the best cut would leave a side that breaks a promise, the next ones are
tried; where none will do, the sides stay together, in a block that is larger than asked for.

The tree of cuts says of every tuple, by its values alone, which block it belongs to. It is small, and goes to wherever the
records are. Tuples are taken in the order of their codes: the partition depends on no order of records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.tables.cut_ends import CutTree, GrowingTree
from shoal.kernels.tables.cuts import COLUMN, divide, propose
from shoal.methods.method import Listener, Progress
from shoal.methods.tables.cutting import in_order, keep_promises

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.methods.tables.ground import Ground

_TIMES_K = 20  # records on both sides, as a multiple of k: where a block is hardly more than a class, nothing is left to choose
_TRIES = 20  # cuts of one kind that break a promise


@dataclass(frozen=True, eq=False)
class Way:
    """A kind of cut."""

    along_hierarchy: NDArray[np.bool_]  # (columns,): between children of a node; else in the order of the codes
    relaxed: bool
    least: int  # records on both sides
    tries: int | None  # cuts that break a promise, until this kind is given up; None: all there are


def usual_ways(ground: Ground, most: int) -> tuple[Way, ...]:
    """Along the hierarchies: classes across such a border would show more than either side. Else through the middle."""
    along = np.ones(len(ground.columns), np.bool_)
    least = max(ground.k, min(_TIMES_K * ground.k, most // 4))
    return Way(along, False, least, _TRIES), Way(~along, False, least, _TRIES)


@dataclass(frozen=True, eq=False)
class Partition:
    """Blocks of tuples that lie near each other."""

    tree: CutTree  # its ends are the blocks
    sizes: NDArray[np.int64]  # (blocks,) tuples

    @classmethod
    def of(cls, ground: Ground, most: int, ways: Sequence[Way], listener: Listener) -> Partition:
        """Blocks of at most `most` tuples, if the promises allow, numbered in the order of their first tuples."""
        return _Cutting(ground, most, ways).done(listener)


class _Cutting:
    """Stretches of `order` that may still be cut, with the way that is tried and how many cuts of it were tried in vain."""

    def __init__(self, ground: Ground, most: int, ways: Sequence[Way]) -> None:
        self.ground, self.most, self.ways = ground, most, ways
        self.tuples = in_order(ground.frequency.codes)
        self.codes = np.ascontiguousarray(ground.frequency.codes[self.tuples])
        self.counts = ground.frequency.counts[self.tuples]
        self.weights = np.array([float(weight) for weight in ground.weights])
        self.order = np.arange(len(self.tuples))
        self.stretches = np.array([[0, len(self.tuples)]], np.int64)
        self.way, self.tried, self.node = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)
        self.tree = GrowingTree(self.codes)
        self.blocks: list[tuple[int, int, int]] = []  # first tuple, node, tuples

    def done(self, listener: Listener) -> Partition:
        while True:
            lengths = np.diff(self.stretches).ravel()
            self._leave((lengths <= self.most) | (self.way == len(self.ways)))
            if not len(self.stretches):
                break
            listener(Progress("blocks", f"cutting the table into blocks: {len(self.blocks):,} so far"))
            self._round()
        self.blocks.sort()
        sizes = np.array([size for _, _, size in self.blocks], np.int64)
        return Partition(self.tree.grown([node for _, node, _ in self.blocks]), sizes)

    def _leave(self, ready: NDArray[np.bool_]) -> None:
        for (start, end), node in zip(self.stretches[ready].tolist(), self.node[ready].tolist(), strict=True):
            self.blocks.append((int(self.order[start]), node, end - start))
        self._keep(~ready)

    def _keep(self, those: NDArray[np.bool_]) -> None:
        self.stretches, self.way, self.tried, self.node = (
            part[those] for part in (self.stretches, self.way, self.tried, self.node)
        )

    def _round(self) -> None:
        """One cut of each stretch, or one try."""
        cuts = self._proposed()
        able = cuts[:, COLUMN] >= 0
        kept = np.zeros(len(able), np.bool_)
        middles = divide(self.codes, self.order, self.stretches[able], cuts[able])
        halves = np.stack([self.stretches[able, 0], middles, middles, self.stretches[able, 1]], axis=1)
        kept[able] = self._allowed(halves)
        for start, end in self.stretches[able & ~kept].tolist():  # as if it had not been divided
            self.order[start:end].sort()
        nodes = self.tree.cut(self.node[kept], cuts[kept])
        pieces = halves[kept[able]].reshape(-1, 2)
        self._next_try(able & ~kept)
        self._next_way(~able)
        self._keep(~kept)
        none = np.zeros(len(pieces), np.int64)
        self.stretches = np.concatenate([pieces, self.stretches])
        self.way, self.tried = np.concatenate([none, self.way]), np.concatenate([none, self.tried])
        self.node = np.concatenate([nodes, self.node])

    def _proposed(self) -> NDArray[np.int64]:
        cuts = np.full((len(self.stretches), 4), -1, np.int64)
        for number, way in enumerate(self.ways):
            mine = np.flatnonzero(self.way == number)
            cuts[mine] = propose(
                self.ground.priced,
                self.codes,
                self.counts,
                self.order,
                self.stretches[mine],
                self.tried[mine],
                self.weights,
                way.along_hierarchy,
                way.relaxed,
                way.least,
            )
        return cuts

    def _allowed(self, halves: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(cuts,): whether both halves keep every promise. They have k records."""
        if not len(halves) or all(g.name == "k-anonymity" for g in self.ground.problem.guarantees):
            return np.ones(len(halves), np.bool_)
        return keep_promises(self.ground, self.tuples[self.order], halves.reshape(-1, 2))

    def _next_try(self, refused: NDArray[np.bool_]) -> None:
        self.tried[refused] += 1
        tries = np.array([np.iinfo(np.int64).max if way.tries is None else way.tries for way in self.ways])
        self._next_way(refused & (self.tried >= tries[np.minimum(self.way, len(tries) - 1)]))

    def _next_way(self, those: NDArray[np.bool_]) -> None:
        self.way[those] += 1
        self.tried[those] = 0
