"""How good can any release be? A proved lower bound of the loss of every recoding of a table along its hierarchies.

The values a record shows are one node of each hierarchy above its raw values, and at least k records show the same: so at least k
records lie below these nodes. For each tuple the cheapest combination of levels below which at least k records lie is found; no
recoding, global or local, with or without suppression, lets one of its records pay less. The sum over all records is the floor.

Promises about sensitive values make it higher: those who show the same keep them, so below the nodes lie records of which some keep
them. Asked is what is necessary for that: l different values; or, for t-closeness with equal distance, enough records of each value
(`may_hold`). Suppression changes what t-closeness compares with, so it is asked only where there is none.

This is at least as high as the bound by the nearest neighbours of each record (the price of the smallest box around a record
and its (k-1)-th nearest): a box shared by k records holds k - 1 others, and the most expensive of those costs no less than the
(k-1)-th nearest. On Adult, nine columns, GLM: 0.0301 against 0.0276 at k = 5, 0.0431 against 0.0386 at k = 10.

A lattice that is too large is cut into blocks of columns. A box shared by k records is shared by them in every block, so
what a record pays in each block adds up: still a proved bound, but a lower one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.guarantees.l_diversity import LDiversity
from shoal.guarantees.t_closeness import TCloseness
from shoal.kernels.grouping import Layout, group_sum
from shoal.kernels.tables.guarded.moving import Units
from shoal.kernels.tables.lattice_pass import cheapest_shared
from shoal.kernels.tables.signatures import random_numbers
from shoal.loss.loss import CellLoss
from shoal.methods.method import Listener, Progress
from shoal.methods.tables.promises import are_exact, promises_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.kernels.tables.guarded.promises import Promises
    from shoal.methods.tables.ground import Ground

_WORK = 300_000_000  # tuples × lattice nodes that are looked at: some seconds
_CHUNK = 20_000_000  # between two signs of life
_ROOM = 50_000_000  # slots that are held at most: 400 MB
_SECONDS_EACH = 1e-8  # tuple at a node, measured on Adult


@dataclass(frozen=True, eq=False)
class Floor:
    """What no recoding along the hierarchies can undercut."""

    prices: NDArray[np.float64]  # (tuples,): what each record of the tuple pays at least
    levels: NDArray[np.int64] | None  # (tuples, columns) where that is; None when columns were looked at in blocks
    loss: float  # no release that keeps the promise loses less


def floor_of(ground: Ground, listener: Listener = lambda _: None) -> Floor:
    """The floor under the recipe's loss."""
    tuples = len(ground.frequency.counts)
    if not isinstance(ground.problem.loss, CellLoss):
        return Floor(np.zeros(tuples), None, _class_floor(ground))
    heights = [len(ladder) - 1 for ladder in ground.ladders]
    blocks = _blocks(heights, _WORK // tuples)
    held = _held(ground)
    total = np.zeros(tuples)
    levels = None
    for i, block in enumerate(blocks):
        best, where = _pass(ground, held, block, listener, i / len(blocks), (i + 1) / len(blocks))
        total += best
        if len(blocks) == 1:
            digits = np.unravel_index(where, [heights[c] + 1 for c in block])
            levels = np.empty((tuples, len(heights)), np.int64)
            for c, digit in zip(block, digits, strict=True):
                levels[:, c] = digit
    return Floor(total, levels, _as_loss(ground, total))


def floor_seconds(ground: Ground) -> float:
    """About how long `floor_of` takes."""
    tuples = len(ground.frequency.counts)
    blocks = _blocks([len(ladder) - 1 for ladder in ground.ladders], _WORK // tuples)
    nodes = sum(math.prod(len(ground.ladders[c]) for c in block) for block in blocks)
    return nodes * tuples * _SECONDS_EACH


def _class_floor(ground: Ground) -> float:
    """Of a loss that does not add up over cells."""
    if ground.problem.loss.name == "dm":
        return float(ground.frequency.rows * ground.k)  # each record pays the size of its class
    return 0.0


def _as_loss(ground: Ground, prices: NDArray[np.float64]) -> float:
    frequency = ground.frequency
    paid = float((prices * frequency.counts).sum()) / frequency.rows - ground.constant
    return max(0.0, paid - 1e-12)  # rounding must not make it a little too high


def _blocks(heights: Sequence[int], most: int) -> list[list[int]]:
    """Columns in few blocks whose lattices have `most` nodes together, if that can be; the last column of a block runs fastest."""
    each = most
    while True:
        blocks = _blocks_below(heights, each)
        if len(blocks) == len(heights) or sum(math.prod(heights[c] + 1 for c in block) for block in blocks) <= most:
            return blocks
        each //= 2


def _blocks_below(heights: Sequence[int], most: int) -> list[list[int]]:
    """Columns in as few blocks as keep each block's lattice at `most` nodes."""
    blocks: list[list[int]] = []
    sizes: list[int] = []
    for c in sorted(range(len(heights)), key=lambda c: -heights[c]):
        fitting = [i for i, size in enumerate(sizes) if size * (heights[c] + 1) <= most]
        if fitting:
            blocks[fitting[0]].append(c)
            sizes[fitting[0]] *= heights[c] + 1
        else:
            blocks.append([c])
            sizes.append(heights[c] + 1)
    return [block[::-1] for block in blocks]


def _held(ground: Ground) -> tuple[Promises, Units]:
    """What is asked of the records below a combination of nodes."""
    asked = [
        guarantee
        for guarantee in ground.problem.guarantees
        if isinstance(guarantee, LDiversity) or (isinstance(guarantee, TCloseness) and not ground.problem.suppression)
    ]
    promises, units = promises_of(ground, asked)
    if are_exact(promises, asked) and ground.frequency.rows // ground.k * len(promises.totals) <= _ROOM:
        return promises, units
    return promises_of(ground, [])


def _pass(
    ground: Ground, held: tuple[Promises, Units], block: Sequence[int], listener: Listener, begin: float, end: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    priced = ground.priced
    # few columns have few distinct tuples: far fewer to look at, where columns were cut into blocks
    layout = Layout.for_domains([ground.hierarchies[c].leaf_count for c in block])
    keys, counts, group_of = group_sum(layout.pack(ground.frequency.codes[:, block]), ground.frequency.counts)
    codes = np.stack([layout.unpack(keys, i).astype(np.int32) for i in range(len(block))], axis=1)
    heights = np.array([len(ground.ladders[c]) - 1 for c in block], np.int64)
    signs, prices, starts = ladders(ground, block)
    best = np.full(len(codes), np.inf)
    where = np.zeros(len(codes), np.int64)
    # the top is shared by all: its price is the first bound, and most expensive nodes are passed over at once
    best[:] = sum(priced.prices[priced.offsets[c] + len(ground.hierarchies[c].labels) - 1] for c in block)
    nodes = int(np.prod(heights + 1))
    where[:] = nodes - 1
    promises, units = held
    brought = _together(units, counts, group_of)
    step = max(1, _CHUNK // len(codes))
    for first in range(0, nodes, step):
        done = begin + (end - begin) * first / nodes
        listener(Progress("bound", "how good any release can be", done))
        last = min(first + step, nodes)
        cheapest_shared(codes, brought, promises, heights, starts, signs, prices, first, last, best, where)
    return best[group_of], where[group_of]


def _together(units: Units, counts: NDArray[np.int64], group_of: NDArray[np.int32]) -> Units:
    """What groups of tuples bring. counts: (groups,) records"""
    of = group_of[np.repeat(np.arange(len(group_of)), np.diff(units.starts))]
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(len(counts) + 1)).astype(np.int64)
    return Units(counts.astype(np.int64), starts, units.slots[order], units.counts[order])


def ladders(
    ground: Ground, columns: Sequence[int]
) -> tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.int64]]:
    """For each column, level and leaf: the signature and the price of the node that is shown; and where each column begins."""
    priced = ground.priced
    signed = random_numbers(len(priced.first), 1)
    signs, prices, starts = [], [], [0]
    for c in columns:
        nodes = priced.offsets[c] + ground.ladders[c].astype(np.int64)
        signs.append(signed[nodes].ravel())
        prices.append(priced.prices[nodes].ravel())
        starts.append(starts[-1] + nodes.size)
    return np.concatenate(signs), np.concatenate(prices), np.array(starts, np.int64)
