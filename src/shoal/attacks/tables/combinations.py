"""Which columns together make people unique: the share of unique records for every small combination of columns.

A record is unique in a combination of columns when no other record has the same values there. More columns can only
make more records unique, so the best of each size are listed apart: that one column alone tells people apart matters
more than that it also does so together with two others.

Every combination is a grouping of the whole frequency set, and 24 columns have 2,324 combinations of up to three. A
combination has at most as many unique records as classes, and at most as many classes as one of its parts times the
number of values of the column that is added. Combinations are visited in the order of that bound; when it falls below
the worst one listed, the others of that size are ruled out. On frequency sets of many millions a budget ends the search
earlier, and the result says so.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# Tuples looked at, over all combinations: about ten seconds. Single columns are always counted.
BUDGET = 200_000_000


@dataclass(frozen=True)
class Combination:
    """Some columns, and how many records they make unique."""

    columns: tuple[str, ...]
    unique_records: int
    share: float  # unique records of all records
    classes: int
    smallest_class: int


@dataclass(frozen=True)
class Riskiest:
    """The combinations with most unique records: for each size, the most telling first."""

    combinations: tuple[Combination, ...]
    examined: int
    ruled_out: int  # cannot be among the listed
    left_out: int  # not looked at for want of time

    @property
    def exhaustive(self) -> bool:
        return self.left_out == 0

    def of_size(self, size: int) -> tuple[Combination, ...]:
        return tuple(c for c in self.combinations if len(c.columns) == size)


def riskiest_combinations(
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    columns: Sequence[str],
    max_size: int = 3,
    limit: int = 10,
    *,
    budget: int = BUDGET,
) -> Riskiest:
    """The `limit` most telling combinations of each size from 1 to `max_size`.

    codes: (tuples, columns); counts: (tuples,) records with that tuple. Ties go to the smaller smallest class, then to
    the order of the columns.
    """
    if codes.shape[1] != len(columns) or len(codes) != len(counts):
        raise InternalError("codes, counts and columns do not belong together.")
    if not len(codes):
        return Riskiest((), 0, 0, 0)
    dense = [np.unique(codes[:, c], return_inverse=True) for c in range(len(columns))]
    values = [len(found) for found, _ in dense]
    packed = [inverse.astype(np.int64) for _, inverse in dense]
    records = int(counts.sum())
    classes_at_most: dict[tuple[int, ...], int] = {(): 1}  # exact where the combination was counted
    listed: list[Combination] = []
    examined = ruled_out = left_out = 0
    for size in range(1, min(max_size, len(columns)) + 1):
        waiting = []
        for members in combinations(range(len(columns)), size):
            bound = min(classes_at_most[_without(members, c)] * values[c] for c in members)
            classes_at_most[members] = min(bound, len(codes))
            waiting.append((-classes_at_most[members], members))
        best: list[tuple[tuple[int, int, tuple[int, ...]], Combination]] = []  # a heap, the worst first
        for position, (bound, members) in enumerate(sorted(waiting)):
            if len(best) == limit and -bound < best[0][1].unique_records:
                ruled_out += len(waiting) - position
                break
            if size > 1 and (examined + 1) * len(codes) > budget:
                left_out += len(waiting) - position
                break
            totals = class_sizes([packed[c] for c in members], [values[c] for c in members], counts)
            examined += 1
            classes_at_most[members] = len(totals)
            unique = int(np.count_nonzero(totals == 1))
            smallest = int(totals.min())
            found = Combination(tuple(columns[c] for c in members), unique, unique / records, len(totals), smallest)
            # Ascending is worse: fewer unique records, a larger smallest class, later columns.
            rank = (unique, -smallest, tuple(-c for c in members))
            (heapq.heappush if len(best) < limit else heapq.heappushpop)(best, (rank, found))
        listed += [found for _, found in sorted(best, key=lambda one: one[0], reverse=True)]
    return Riskiest(tuple(listed), examined, ruled_out, left_out)


def _without(members: tuple[int, ...], column: int) -> tuple[int, ...]:
    return tuple(c for c in members if c != column)


def class_sizes(packed: list[NDArray[np.int64]], values: list[int], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(classes,): how many records share each combination of values that occurs."""
    key, space = packed[0], values[0]
    for codes, width in zip(packed[1:], values[1:], strict=True):
        if space * width >= 2**62:  # number the combinations so far afresh, so that the key stays in 64 bits
            keys, key = np.unique(key, return_inverse=True)
            space = len(keys)
        key, space = key * width + codes, space * width
    if space <= max(4 * len(counts), 2**16):
        totals = np.bincount(key, counts, space).astype(np.int64)
        return totals[totals > 0]
    order = np.argsort(key)
    key = key[order]
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    summed: NDArray[np.int64] = np.add.reduceat(counts[order], starts)
    return summed
