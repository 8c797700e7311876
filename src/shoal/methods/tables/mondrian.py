"""Method `mondrian`: cut the table in two again and again, as long as both sides keep every promise.

LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity (ICDE 2006). The group with all records is cut in the column
in which it spreads widest, each half likewise, until no cut is left that the promises allow; the groups are the classes. A cut
that leaves a side which breaks a promise is not made, and the next best one is tried: more uneven in the same column, then in
the next column. So the partition is minimal as the paper defines it: no class can be cut further.

Where a column is cut along its hierarchy, one child of the lowest node around the group goes to one side and its siblings to the
other. The rest still spreads as widely, so the next cut takes off the next child: in the end every child that can stand alone
does, and the others stay together under their parent. Where it is cut at the median, values up to it go to one side; *relaxed*
cuts may divide the tuples that share the value at the median between both sides, *strict* ones never do. A tuple with all its
records stays whole in both.

All groups are cut at once, round by round, and the guarantees are asked about all halves of a round together. Nothing is
suppressed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from shoal.kernels.cuts import COLUMN, divide, propose
from shoal.methods.keys import key_problems
from shoal.methods.method import Decision, Listener, Problem, Progress
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.merging import merge_failing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.engines.engine import Engine

_CHOICES = {"mode": ("strict", "relaxed"), "split": ("hierarchy", "mixed", "median")}


class Mondrian:
    name: ClassVar[str] = "mondrian"
    title: ClassVar[str] = "Mondrian, greedy cuts through the table"
    keys: ClassVar[Mapping[str, str]] = {
        "mode": '"strict" (equal values of a column stay on one side of a cut) or "relaxed" (cuts at the median may divide '
        "them); strict if not given",
        "split": '"hierarchy" (cuts follow the hierarchies), "median" (cuts follow the order of the values) or "mixed" (the '
        "order for numbers, the hierarchy for others); without it hierarchy when strict, median when relaxed",
    }

    def problems(self, options: Mapping[str, Any]) -> list[str]:
        problems = key_problems(self.name, self.keys, options)
        for key, choices in _CHOICES.items():
            if options.get(key, choices[0]) not in choices:
                words = ", ".join(f'"{choice}"' for choice in choices)
                problems.append(f"`{key}` must be one of {words}; got {options[key]!r}.")
        if options.get("mode") == "relaxed" and options.get("split") == "hierarchy":
            problems.append('`mode` = "relaxed" speaks of cuts at the median; `split` = "hierarchy" has none.')
        return problems

    def decide(self, engine: Engine, problem: Problem, listener: Listener, **options: Any) -> Decision:
        ground = Ground.of(engine, problem, listener)
        relaxed = options.get("mode") == "relaxed"
        split = options.get("split", "median" if relaxed else "hierarchy")
        numbers = np.array([h.bounds is not None for h in ground.hierarchies])
        along = {"hierarchy": np.ones_like(numbers), "mixed": ~numbers, "median": np.zeros_like(numbers)}[split]
        first = "" if propose.signatures else " (preparing kernels, once)"
        listener(Progress("search", f"cutting{first}"))
        tuples = in_order(ground.frequency.codes)
        groups = np.empty(len(tuples), np.int32)
        groups[tuples] = cut_up(ground, tuples, along, relaxed, listener)
        return ground.decision(merge_failing(ground, groups))


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
        cuts = propose(ground.trees, codes, counts, order, stretches, skip, weights, along_hierarchy, relaxed, ground.k)
        able = cuts[:, COLUMN] >= 0
        whole = positions(stretches[~able])
        classes[order[whole]] = np.repeat(order[stretches[~able, 0]], np.diff(stretches[~able]).ravel())
        stretches, cuts, skip = stretches[able], cuts[able], skip[able]
        middles = divide(codes, order, stretches, cuts)
        halves = np.stack([stretches[:, 0], middles, middles, stretches[:, 1]], axis=1)  # (cut stretches, 4)
        kept = np.ones(len(halves), np.bool_)
        if more_than_k and len(halves):
            kept = _keep_promises(ground, tuples[order], halves.reshape(-1, 2))
            for start, end in stretches[~kept].tolist():  # as if it had not been divided
                order[start:end].sort()
        stretches = np.concatenate([halves[kept].reshape(-1, 2), stretches[~kept]])
        skip = np.concatenate([np.zeros(2 * int(kept.sum()), np.int64), skip[~kept] + 1])
        done = 1 - int(np.diff(stretches).sum()) / max(len(tuples), 1)
        listener(Progress("search", f"{len(stretches):,} groups may still be cut", done))
    return np.unique(classes, return_inverse=True)[1].astype(np.int32)


def _keep_promises(ground: Ground, order: NDArray[np.int64], halves: NDArray[np.int64]) -> NDArray[np.bool_]:
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
