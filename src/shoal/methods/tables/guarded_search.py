"""Starts and a local search for promises about sensitive values: what `auto` does under l-diversity and t-closeness.

The records of a tuple stay together: which class a record is in must follow from its tuple, never from what is sensitive in it (see
docs/methods/auto.md). So a unit of the search is a tuple with its histogram, and every step leaves all classes with all
promises kept. Units move or change places, classes are opened where several units pay less together, and neighbourhoods are
ruined and put together anew: whatever saves something. Under t-closeness that ends early, and before it comes annealing: units
move or change places, classes are divided and fused, and a step may cost something as long as there is heat (Adult, salary
sensitive, k = 5, t = 0.2: 0.170 after 30 CPU seconds of search without it, after 14 with it; under l = 2 it gained nothing).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import Infeasible
from shoal.kernels.tables.boxes import box_prices
from shoal.kernels.tables.guarded.annealing import anneal
from shoal.kernels.tables.guarded.dividing import divide_classes, fuse_classes
from shoal.kernels.tables.guarded.moving import Units, cost_of, guard, move_units
from shoal.kernels.tables.guarded.nearby import nearby_units
from shoal.kernels.tables.guarded.peeling import merge_lacking, peel_kept
from shoal.kernels.tables.guarded.promises import EQUAL
from shoal.kernels.tables.guarded.ruining import ruin
from shoal.kernels.tables.guarded.seceding import secede
from shoal.kernels.tables.neighbourhood import shown_bits
from shoal.methods.clock import Clock
from shoal.methods.method import Listener, Progress
from shoal.methods.tables.local_search import blocks_of, widest_first
from shoal.methods.tables.promises import known, promises_of
from shoal.methods.tables.starts import cheap_nodes, spots_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tables.boxes import Trees
    from shoal.kernels.tables.guarded.moving import Guarded
    from shoal.kernels.tables.guarded.promises import Promises
    from shoal.methods.tables.ground import Ground

_ROOM = 50_000_000  # slots of all classes together that are held at most: 400 MB
_BLOCK = 25_000  # units that are improved together
_WORK = 6_000_000  # tuples × lattice nodes that are peeled
_POOLS = (16, 20, 24, 40)  # units that are put together anew, in turns: small pools are quicker, large ones get further
_PEEL = 6e-7  # seconds that a tuple takes at a node of the lattice, …
_COMPARED = 2.2e-8  # … a unit at a class, …
_OPENED = 3e-7  # … a unit when a class is opened, …
_RUINED = 2.3e-5  # … a unit that is put together anew, …
_SCANNED = 1.5e-9  # … a cell of a pair of units that is compared, …
_TRIED = 4e-6  # … and a try of annealing, measured on Adult
_SHARE = 0.7  # of the time goes to annealing, under t-closeness
_TRIES = 2_000  # of annealing for each unit at most: a small table needs no more
_ROUNDS = 50  # neighbourhoods, and …
_CHUNK = 20_000  # … tries between two looks at the clock
_WHOLE = 0.05  # of these tries are to divide a class, and as many to fuse two
_HEAT = (0.5, 0.02)  # at first and at last, in what a record pays on average
_NEARBY = 40  # units around each
_SCAN = 70_000_000  # cells of pairs of units that are compared to find them, in a second of annealing: a tenth of it
_HELPFUL = 2  # what counts in a merge is its price for each record that was wanting


@dataclass(frozen=True, eq=False)
class Guard:
    """What is promised, and what each tuple brings."""

    promises: Promises
    units: Units

    @classmethod
    def of(cls, ground: Ground) -> Guard | None:
        """None when no promise speaks of sensitive values, or one does in a way that is not known here, or of too many."""
        guarantees = ground.problem.guarantees
        if not all(map(known, guarantees)) or not ground.speaks_of_sensitive:
            return None
        held = cls(*promises_of(ground, guarantees))
        return held if held.classes * len(held.promises.totals) <= _ROOM else None

    @property
    def speaks_of_closeness(self) -> bool:
        return bool((self.promises.kinds >= EQUAL).any())

    @property
    def classes(self) -> int:
        """No grouping has more."""
        return min(len(self.units.weights), int(self.units.weights.sum()) // self.promises.k)

    def part(self, tuples: NDArray[np.int64]) -> Units:
        """What some tuples bring."""
        units = self.units
        lengths = np.diff(units.starts)[tuples]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.repeat(units.starts[tuples] - starts[:-1], lengths) + np.arange(starts[-1])
        return Units(units.weights[tuples], starts, units.slots[entries], units.counts[entries])


def peeled_with_promises(ground: Ground, held: Guard, seconds: float = math.inf) -> NDArray[np.int32]:
    """(tuples,) groups, -1 for those that are left: lattice nodes from cheap to expensive; what keeps every promise leaves."""
    end = ground.clock.now() + seconds
    codes = ground.frequency.codes
    nodes = cheap_nodes(ground)
    step = max(1, len(nodes) * len(codes) // _WORK)
    nodes = np.ascontiguousarray(np.concatenate([nodes[::step], nodes[-1:]]))
    signs, _, spots = spots_of(ground)
    groups = np.full(len(codes), -1, np.int32)
    left, remaining, count, at = np.arange(len(codes)), len(codes), 0, 0
    while at < len(nodes) and remaining and ground.clock.now() < end:
        until = min(len(nodes), at + max(1, 500_000 // remaining))
        ground.clock.spend((until - at) * remaining * _PEEL)
        remaining, count = peel_kept(
            codes, held.units, held.promises, nodes, spots, signs, True, at, until, left, remaining, count, groups
        )
        at = until
    return groups


def merge_until_kept(ground: Ground, held: Guard, groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """groups: (tuples,) → the same with fewer groups, none of which breaks a promise."""
    groups = np.unique(groups, return_inverse=True)[1].astype(np.int32)
    count = int(groups.max()) + 1
    units = held.units
    hist = np.zeros((count, len(held.promises.totals)), np.int64)
    unit_of = np.repeat(np.arange(len(groups)), np.diff(units.starts))
    np.add.at(hist, (groups[unit_of], units.slots), units.counts)
    sizes = np.bincount(groups, weights=units.weights, minlength=count).astype(np.int64)
    into = merge_lacking(ground.priced, held.promises, ground.boxes(groups, count), sizes, hist, _HELPFUL)
    groups = np.unique(into[groups], return_inverse=True)[1].astype(np.int32)
    if ground.failing(groups, int(groups.max()) + 1).any():
        promised = " and ".join(g.technical() for g in ground.problem.guarantees)
        raise Infeasible(
            f"Even all {ground.frequency.rows:,} records in one class break {promised}. Ask for less: lower k or l."
        )
    return groups


def guarded_search(
    ground: Ground,
    held: Guard,
    groups: NDArray[np.int32],
    floors: NDArray[np.float64],
    seconds: float,
    listener: Listener,
) -> NDArray[np.int32]:
    """(tuples,) groups that cost less. groups: (tuples,), all promises kept; floors: (tuples,) what a record pays at least."""
    priced, order = widest_first(ground)
    tuples = np.arange(len(groups))
    blocks = blocks_of(ground, tuples, groups, _BLOCK)
    started = ground.clock.now()
    placed = groups.astype(np.int64)
    next_number = int(placed.max()) + 1
    shares = _shares(ground, groups, floors, blocks)
    for block, share in zip(blocks, shares, strict=True):
        codes = np.ascontiguousarray(ground.frequency.codes[block][:, order])
        _, dense = np.unique(groups[block], return_inverse=True)
        classes = guard(priced, held.promises, codes, held.part(block), dense.astype(np.int32))
        end = started + seconds * share
        search = _Search(priced, held.promises, classes, floors[block], end, ground.clock)
        search.run(_Report(listener, started, seconds, ground.clock))
        placed[block] = next_number + classes.classes.class_of
        next_number += len(classes.classes.sizes)
    return np.unique(placed, return_inverse=True)[1].astype(np.int32)


def _shares(
    ground: Ground, groups: NDArray[np.int32], floors: NDArray[np.float64], blocks: list[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """What part of the time is over after each block: half of it goes by size, half where most is paid above the floor."""
    counts = ground.frequency.counts
    paid = box_prices(ground.priced, ground.boxes(groups, int(groups.max()) + 1))[groups]
    above = counts * np.maximum(paid - floors, 0.0) + 1e-9
    by_size = np.array([counts[block].sum() for block in blocks]) / counts.sum()
    by_price = np.array([above[block].sum() for block in blocks]) / above.sum()
    return np.cumsum((by_size + by_price) / 2)


@dataclass(frozen=True)
class _Report:
    listener: Listener
    started: float
    seconds: float
    clock: Clock

    def __call__(self, message: str) -> None:
        spent = self.clock.now() - self.started
        self.listener(Progress("improve", message, min(1.0, spent / max(self.seconds, 1e-9))))


class _Search:
    """The search in one block, until `end`."""

    def __init__(
        self,
        priced: Trees,
        promises: Promises,
        classes: Guarded,
        floors: NDArray[np.float64],
        end: float,
        clock: Clock,
    ) -> None:
        self.priced, self.promises, self.classes, self.floors = priced, promises, classes, floors
        self.end, self.clock = end, clock
        self.failures = np.zeros(len(classes.classes.sizes), np.int64)
        self.state = np.array([0x9E3779B97F4A7C15], np.uint64)
        self.records = int(classes.units.weights.sum())

    def up(self) -> bool:
        return self.clock.now() >= self.end

    def loss(self) -> str:
        return f"loss about {cost_of(self.classes) / self.records:.4f}"

    def run(self, report: _Report) -> None:
        """Annealing, if that helps; then moves, new classes, neighbourhoods, in turns, as long as something helps."""
        if (self.promises.kinds >= EQUAL).any():
            self._move(report)
            self._anneal(report)
        changed = 1
        while changed and not self.up():
            begun = self.clock.now()
            changed = self._move(report) + self._open(report)
            changed += self._ruin(report, max(0.5, 2 * (self.clock.now() - begun)))

    def _move(self, report: _Report) -> int:
        units = len(self.floors)
        moved = 0
        for first in range(0, units, 1000):
            if self.up():
                break
            there = int((self.classes.classes.sizes > 0).sum())
            self.clock.spend(min(1000, units - first) * there * _COMPARED)
            moved += move_units(self.priced, self.promises, self.classes, first, min(first + 1000, units))
            report(f"records moved where that helps; {self.loss()}")
        return moved

    def _anneal(self, report: _Report) -> None:
        """Less and less heat, until its share of the time or all tries are used up."""
        started, units = self.clock.now(), len(self.floors)
        seconds = _SHARE * (self.end - started)
        nearby = np.empty((units, _NEARBY), np.int32)
        step = int(units * self.classes.classes.codes.size / (_SCAN * max(seconds, 0.01))) + 1
        for first in range(0, units, 500):
            if self.up():
                return
            last = min(first + 500, units)
            self.clock.spend((last - first) * self.classes.classes.codes.size / step * _SCANNED)
            nearby_units(self.priced, self.classes.classes.codes, first, last, step, self.state, nearby)
        begun, average = self.clock.now(), cost_of(self.classes) / self.records
        seconds -= begun - started
        if seconds < (begun - started) / 2:  # too little time to get cold again
            return
        at_first, at_last = (heat * average for heat in _HEAT)
        most, tries, done = _TRIES * units, 0, 0.0
        whole = int(_WHOLE * _CHUNK)
        search = (self.priced, self.promises, self.classes)
        while done < 1.0 and at_first > 0.0:
            heat = at_first * (at_last / at_first) ** done
            self.clock.spend(_CHUNK * _TRIED)
            anneal(*search, nearby, heat, _CHUNK, self.state)
            divide_classes(*search, heat, whole, self.state)
            fuse_classes(*search, nearby, heat, whole, self.state)
            tries += _CHUNK
            done = max(tries / most, (self.clock.now() - begun) / max(seconds, 1e-9))
            report(f"steps that may cost something, less and less; {self.loss()}")

    def _open(self, report: _Report) -> int:
        opened, tries, units = 0, 0, len(self.floors)
        while not self.up() and opened * 10 >= tries:  # as long as one in ten tries helps
            self.clock.spend(40 * units * _OPENED)
            opened += secede(self.priced, self.promises, self.classes, self.floors, 40, self.state)
            tries += 40
            report(f"{opened:,} classes opened where that helps; {self.loss()}")
        return opened

    def _ruin(self, report: _Report, seconds: float) -> int:
        end = min(self.end, self.clock.now() + seconds)
        bits = shown_bits(self.priced, self.classes.classes)
        helped = 0
        for most in cycle(_POOLS):
            if self.clock.now() >= end:
                break
            self.clock.spend(_ROUNDS * most * _RUINED)
            helped += ruin(
                self.priced, self.promises, self.classes, self.floors, self.failures, bits, most, _ROUNDS, self.state
            )
            report(f"{helped:,} neighbourhoods put together better; {self.loss()}")
        return helped
