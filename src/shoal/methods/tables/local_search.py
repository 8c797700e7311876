"""Make a grouping cheaper without ever breaking k-anonymity: moves first, then neighbourhoods divided anew, exactly, until
the time is up.

Records are moved one by one, so the records of a tuple may end in several classes. Tuples that at least 2k records share are
a class without any loss and stay out of it. A table with many records is cut into blocks that lie close together, and each
block is improved by itself: every step looks at all classes of its block.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.tables.boxes import Trees
from shoal.kernels.tables.classes import make_classes, total_price
from shoal.kernels.tables.moving import dissolve_classes, move_records
from shoal.kernels.tables.neighbourhood import improve, shown_bits
from shoal.methods.clock import Clock
from shoal.methods.method import Listener, Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tables.classes import Classes
    from shoal.methods.tables.ground import Ground

_BLOCK = 40_000  # records that are improved together …
_SMALL_BLOCK = 10_000  # … or fewer, when there is little time for so many: every step looks at all classes of its block
_SECONDS = 20.0  # that a block of 40,000 should have
_STEPS = 10_000  # of one exact search
_COMPARED = 7e-9  # seconds that a record takes at a class …
_DIVIDED = 9e-8  # … and three records that are divided anew, measured on Adult
_NEAR = 8  # classes that may be divided anew together with one


@dataclass(frozen=True)
class _Deadline:
    """When to stop."""

    clock: Clock
    end: float

    def up(self) -> bool:
        return self.clock.now() >= self.end

    def spend(self, seconds: float) -> None:
        self.clock.spend(seconds)


@dataclass(frozen=True, eq=False)
class Improved:
    """The class of every record after the search."""

    tuples: NDArray[np.int64]  # (records,) the tuple of each record
    groups: NDArray[np.int32]  # (records,)


def local_search(
    ground: Ground, groups: NDArray[np.int32], floors: NDArray[np.float64], seconds: float, listener: Listener
) -> Improved:
    """groups: (tuples,), every group with at least k records. floors: (tuples,) what each record pays at least (0 is true too)."""
    frequency = ground.frequency
    tuples = np.repeat(np.arange(len(frequency.counts)), frequency.counts)
    placed, settled = _settle(groups, frequency.counts, ground.k)
    active = np.flatnonzero(~settled)
    priced, order = widest_first(ground)
    hurried = len(active) > _BLOCK and seconds * _BLOCK < _SECONDS * len(active)
    blocks = blocks_of(ground, tuples[active], placed[active], _SMALL_BLOCK if hurried else _BLOCK)
    started = ground.clock.now()
    next_number = int(placed.max()) + 1
    for i, block in enumerate(blocks):
        records = active[block]
        codes = np.ascontiguousarray(frequency.codes[tuples[records]][:, order])
        end = started + seconds * (i + 1) / len(blocks)
        report = _Told(listener, started, seconds, ground.clock)
        until = _Deadline(ground.clock, end)
        changed = _improve_block(priced, codes, placed[records], floors[tuples[records]], ground.k, until, report)
        placed[records] = next_number + changed
        next_number += int(changed.max()) + 1
    _, dense = np.unique(placed, return_inverse=True)
    return Improved(tuples, dense.astype(np.int32))


def _settle(
    groups: NDArray[np.int32], counts: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """(records,) twice, in the order of their tuples: the class of each, and whether it stays there. No class has fewer than k.

    A group must not be left too small by a tuple that settles: the tuple lends it as many records as it lacks, and takes part
    in the search with k others, among which the search may choose.
    """
    many = counts >= 2 * k
    rest = np.bincount(groups, weights=np.where(many, 0, counts)).astype(np.int64)
    lacks = np.where((rest > 0) & (rest < k), k - rest, 0)
    lends = np.zeros(len(counts), np.int64)
    own, lender = np.unique(np.where(many, groups, -1), return_index=True)  # one tuple of each group
    lends[lender[own >= 0]] = lacks[own[own >= 0]]
    left = counts - lends
    joins = np.where(lends > 0, np.where(left < 2 * k, left, k), 0)
    tuples = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(tuples)) - np.repeat(np.cumsum(counts) - counts, counts)  # within the tuple
    alone = many[tuples] & (place >= lends[tuples])
    settled = alone & (place >= (lends + joins)[tuples])
    first = int(groups.max()) + 1
    placed = np.where(alone, first + tuples, groups[tuples])
    return np.where(settled, first + len(counts) + tuples, placed).astype(np.int32), settled


@dataclass(frozen=True)
class _Told:
    listener: Listener
    started: float
    seconds: float
    clock: Clock

    def __call__(self, message: str) -> None:
        spent = self.clock.now() - self.started
        self.listener(Progress("improve", message, min(1.0, spent / max(self.seconds, 1e-9))))


def _improve_block(
    priced: Trees,
    codes: NDArray[np.int32],
    groups: NDArray[np.int32],
    floors: NDArray[np.float64],
    k: int,
    clock: _Deadline,
    report: _Told,
) -> NDArray[np.int32]:
    _, dense = np.unique(groups, return_inverse=True)
    classes = make_classes(priced, codes, dense.astype(np.int32), k)
    _move(priced, classes, k, clock, report)
    failures = np.zeros(len(classes.sizes), np.int64)
    bits = shown_bits(priced, classes)
    state = np.array([0x9E3779B97F4A7C15], np.uint64)
    sizes = cycle([max(5 * n, n * k) for n in (3, 4)])  # small neighbourhoods are divided faster, large ones better
    enough = 100 + 20 * int((classes.sizes > 0).sum())  # rounds in vain; then nothing more is to be expected
    helped = idle = 0
    while not clock.up() and idle < enough:
        most = next(sizes)
        rounds = min(100, max(1, 2_000_000 // most**2))  # between two looks at the clock
        clock.spend(rounds * most**3 * _DIVIDED)
        improved = improve(priced, classes, floors, failures, bits, k, most, _NEAR, _STEPS, rounds, state)
        helped, idle = helped + improved, 0 if improved else idle + rounds
        report(f"{helped:,} neighbourhoods divided better; loss about {total_price(classes) / len(codes):.4f}")
    return classes.class_of.copy()


def _move(priced: Trees, classes: Classes, k: int, clock: _Deadline, report: _Told) -> None:
    """Sweep over all records and classes until nothing changes or the time is up."""
    records, count = len(classes.codes), len(classes.sizes)
    changed, there = records, int((classes.sizes > 0).sum())
    while changed * 500 > records and not clock.up():
        changed = 0
        for first in range(0, count, 500):
            if clock.up():
                return
            clock.spend(min(500, count - first) * there * k * _COMPARED)
            changed += k * dissolve_classes(priced, classes, k, first, min(first + 500, count))
            report(f"classes dissolved where that helps; loss about {total_price(classes) / records:.4f}")
        for first in range(0, records, 2000):
            if clock.up():
                return
            clock.spend(min(2000, records - first) * there * _COMPARED)
            changed += move_records(priced, classes, k, first, min(first + 2000, records))
            report(f"records moved where that helps; loss about {total_price(classes) / records:.4f}")


def widest_first(ground: Ground) -> tuple[Trees, NDArray[np.int64]]:
    """The columns in the order of what two records picked at random pay in them: most comparisons end after a few columns."""
    frequency, priced = ground.frequency, ground.priced
    spread = []
    for c, h in enumerate(ground.hierarchies):
        marginal = np.bincount(frequency.codes[:, c], weights=frequency.counts, minlength=h.leaf_count) / frequency.rows
        runs = np.concatenate([[0.0], np.cumsum(marginal)])
        below = runs[h.last + 1] - runs[h.first]  # share of the records below each node
        nodes = priced.prices[priced.offsets[c] : priced.offsets[c] + len(h.labels)]
        alone = below**2  # both of two random records lie below the node …
        inner = alone.copy()
        np.subtract.at(inner, h.parents[:-1], alone[:-1])  # … and not both below one of its children
        spread.append(float((nodes * inner).sum()))
    order = np.argsort(-np.array(spread), kind="stable")
    sizes = [len(ground.hierarchies[c].labels) for c in order]
    pick = np.concatenate(
        [np.arange(priced.offsets[c], priced.offsets[c] + n) for c, n in zip(order, sizes, strict=True)]
    )
    offsets = np.cumsum([0, *sizes[:-1]], dtype=np.int64)
    return Trees(offsets, priced.first[pick], priced.last[pick], priced.parents[pick], priced.prices[pick]), order


def blocks_of(
    ground: Ground, tuples: NDArray[np.int64], groups: NDArray[np.int32], most: int
) -> list[NDArray[np.int64]]:
    """Records in blocks of whole groups that lie close together: groups are cut at the median of the column that varies most."""
    if not len(tuples):
        return []
    numbers, inverse = np.unique(groups, return_inverse=True)
    sizes = np.bincount(inverse)
    first = np.full(len(numbers), len(tuples))
    np.minimum.at(first, inverse, np.arange(len(tuples)))
    leaves = np.array([h.leaf_count for h in ground.hierarchies])
    middle = ground.frequency.codes[tuples[first]] / leaves  # (groups, columns), by one member of each
    done: list[NDArray[np.int64]] = []
    waiting = [np.arange(len(numbers))]
    while waiting:
        part = waiting.pop()
        if sizes[part].sum() <= most or len(part) < 2:
            done.append(part)
            continue
        column = int(np.argmax(middle[part].std(axis=0)))
        order = part[np.argsort(middle[part, column], kind="stable")]
        cut = int(np.searchsorted(np.cumsum(sizes[order]), sizes[part].sum() / 2)) + 1
        waiting += [order[: min(cut, len(order) - 1)], order[min(cut, len(order) - 1) :]]
    block_of = np.empty(len(numbers), np.int64)
    for i, part in enumerate(done):
        block_of[part] = i
    by_record = block_of[inverse]
    return [np.flatnonzero(by_record == i) for i in range(len(done))]
