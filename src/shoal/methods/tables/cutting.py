"""Cutting groups of tuples in two until no allowed cut is left: the work of method `mondrian`, which others build on.

All groups are cut at once, round by round, and the guarantees are asked about all halves of a round together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.tables.cuts import COLUMN, divide, propose
from shoal.methods.method import Listener, Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.methods.tables.ground import Ground


def in_order(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """The numbers of the tuples sorted by their codes: engines deliver them in any order, and the result must not show it."""
    return np.lexsort(codes.T[::-1])


def cut_up(
    ground: Ground,
    tuples: NDArray[np.int64],
    along_hierarchy: NDArray[np.bool_],
    relaxed: bool,
    listener: Listener,
    *,
    sizes_only: bool = False,
) -> NDArray[np.int32]:
    """The class of each of some tuples, numbered from 0 in the order of their first tuples.

    along_hierarchy: (columns,). With `sizes_only` a cut is allowed when both sides have k records, whatever else is promised.
    """
    codes, counts = np.ascontiguousarray(ground.frequency.codes[tuples]), ground.frequency.counts[tuples]
    more_than_k = not sizes_only and any(g.name != "k-anonymity" for g in ground.problem.guarantees)
    weights = np.array([float(weight) for weight in ground.weights])
    order = np.arange(len(tuples))
    classes = np.empty(len(tuples), np.int64)  # each named by its first tuple, until they are numbered
    stretches, skip = np.array([[0, len(tuples)]], np.int64), np.zeros(1, np.int64)
    while len(stretches):
        cuts = propose(
            ground.priced, codes, counts, order, stretches, skip, weights, along_hierarchy, relaxed, ground.k
        )
        able = cuts[:, COLUMN] >= 0
        whole = positions(stretches[~able])
        classes[order[whole]] = np.repeat(order[stretches[~able, 0]], np.diff(stretches[~able]).ravel())
        stretches, cuts, skip = stretches[able], cuts[able], skip[able]
        middles = divide(codes, order, stretches, cuts)
        halves = np.stack([stretches[:, 0], middles, middles, stretches[:, 1]], axis=1)  # (cut stretches, 4)
        kept = np.ones(len(halves), np.bool_)
        if more_than_k and len(halves):
            kept = keep_promises(ground, tuples[order], halves.reshape(-1, 2))
            for start, end in stretches[~kept].tolist():  # as if it had not been divided
                order[start:end].sort()
        stretches = np.concatenate([halves[kept].reshape(-1, 2), stretches[~kept]])
        skip = np.concatenate([np.zeros(2 * int(kept.sum()), np.int64), skip[~kept] + 1])
        done = 1 - int(np.diff(stretches).sum()) / max(len(tuples), 1)
        listener(Progress("search", f"{len(stretches):,} groups may still be cut", done))
    return np.unique(classes, return_inverse=True)[1].astype(np.int32)


def keep_promises(ground: Ground, order: NDArray[np.int64], halves: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(cuts,): whether both halves of a cut keep every promise. halves: (2 · cuts, 2); order: tuples."""
    groups = np.full(
        len(ground.frequency.counts), len(halves), np.int32
    )  # the last group: all tuples that are not asked about
    groups[order[positions(halves)]] = np.repeat(np.arange(len(halves)), np.diff(halves).ravel())
    failing = ground.failing(groups, len(halves) + 1)[:-1]
    first, second = failing[0::2], failing[1::2]
    return ~(first | second)


def positions(stretches: NDArray[np.int64]) -> NDArray[np.int64]:
    """All positions inside some stretches, one stretch after the other."""
    lengths = np.diff(stretches).ravel()
    before = np.cumsum(lengths) - lengths
    offsets: NDArray[np.int64] = np.repeat(stretches[:, 0] - before, lengths)
    return offsets + np.arange(len(offsets))
