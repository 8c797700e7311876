"""Do the sensitive values of a class keep what was promised? Asked of histograms, which every move changes.

A class has one histogram for each promise, in a row of slots: one slot for each value, for each place in an order, or for each node
of a hierarchy. `lack` is 0 when all promises are kept, and otherwise says about how many records are wanting, so that a search
can tell which merge brings a class nearer. Where floats could be in doubt it answers that a promise is broken: whatever it
lets pass keeps the promise exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, HIERARCHICAL = range(6)
_DOUBT = 2e-9  # of an entropy; what lies nearer to the threshold counts as broken
_SOME = 1e-6  # the least lack of a broken promise


class Promises(NamedTuple):
    """What is promised about sensitive values, and where the slots of each promise lie. `sizes` of classes are at least k."""

    k: int
    kinds: NDArray[np.int64]  # (promises,)
    begins: NDArray[np.int64]  # (promises + 1,) the first slot of each
    missing: NDArray[np.int64]  # (promises,) the slot of the missing value where it stands for any value; -1: none
    l: NDArray[np.float64]  # noqa: E741  # (promises,)
    upper: NDArray[np.int64]  # (promises,) c or t is upper / lower
    lower: NDArray[np.int64]
    records: NDArray[np.int64]  # (promises,) of the whole table; for distances
    totals: NDArray[np.int64]  # (slots,) of the whole table; below a node of a hierarchy
    parents: NDArray[np.int64]  # (slots,) the slot of the parent, always a later one; -1: none
    edges: NDArray[np.int64]  # (slots,) how much higher the parent stands


@kernel
def lack(promises: Promises, row: NDArray[np.int64], size: int) -> float:
    """0 when a class of so many records keeps every promise. row: (slots,)"""
    missing_records = max(0.0, float(promises.k - size))
    if size == 0:
        return missing_records + 1.0
    for p in range(len(promises.kinds)):
        begin, end = promises.begins[p], promises.begins[p + 1]
        kind = promises.kinds[p]
        if kind <= RECURSIVE:
            missing_records += _diversity_lack(promises, row, p, begin, end, kind)
        elif kind == EQUAL:
            records = promises.records[p]
            moved = 0
            for i in range(begin, end):
                moved += max(0, row[i] * records - promises.totals[i] * size)
            missing_records += _distance_lack(moved, promises.upper[p], promises.lower[p], size, records, 1)
        elif kind == ORDERED:
            records = promises.records[p]
            moved = carried = 0
            for i in range(begin, end):
                carried += row[i] * records - promises.totals[i] * size
                moved += abs(carried)
            steps = max(1, end - begin - 1)
            missing_records += _distance_lack(moved, promises.upper[p], promises.lower[p], size, records, steps)
        else:
            missing_records += _hierarchical_lack(promises, row, p, begin, end, size)
    return missing_records


@kernel
def _distance_lack(moved: int, upper: int, lower: int, size: int, records: int, steps: int) -> float:
    """moved: in whole numbers, size · records · steps of them are the distance 1."""
    most = upper * size * records * steps
    if moved * lower <= most:
        return 0.0
    return _SOME + (moved * lower - most) / (float(lower) * records * steps)


@kernel
def _hierarchical_lack(promises: Promises, row: NDArray[np.int64], p: int, begin: int, end: int, size: int) -> float:
    records = promises.records[p]
    below = row[begin:end].copy()
    moved = 0
    for i in range(begin, end):
        parent = promises.parents[i]
        if parent >= 0:
            here = below[i - begin]
            moved += promises.edges[i] * max(0, here * records - promises.totals[i] * size)
            below[parent - begin] += here
    height = promises.edges[end - 1]  # of the root
    return _distance_lack(moved, promises.upper[p], promises.lower[p], size, records, height)


@kernel
def _diversity_lack(promises: Promises, row: NDArray[np.int64], p: int, begin: int, end: int, kind: int) -> float:
    l, absent = promises.l[p], promises.missing[p]  # noqa: E741
    distinct, most, least, records = 0, 0, 0, 0
    for i in range(begin, end):
        count = row[i]
        if count > 0 and i != absent:
            records += count
            least = count if distinct == 0 else min(least, count)
            most = max(most, count)
            distinct += 1
    if distinct == 0:
        return float(max(l, 1.0))
    if kind == DISTINCT:
        return float(max(0.0, l - distinct))
    extra = row[absent] if absent >= 0 else 0  # may be any value, so it counts as the most frequent one
    if kind == ENTROPY:
        if distinct >= l and most + extra == least:  # equal shares
            return 0.0
        weighted = (most + extra) * np.log(most + extra) - most * np.log(most)
        for i in range(begin, end):
            if row[i] > 0 and i != absent:
                weighted += row[i] * np.log(row[i])
        records += extra
        wanting = np.log(l) + _DOUBT * max(1.0, np.log(l)) - (np.log(records) - weighted / records)
        if distinct >= l and wanting <= 0.0:
            return 0.0
        return float(_SOME + records * max(wanting, 0.0))
    ahead = _largest(row, begin, end, absent, int(l) - 1)
    upper, lower = promises.upper[p], promises.lower[p]
    wanting = (most + extra) * lower - upper * (records - ahead)
    if wanting < 0:
        return 0.0
    return float(_SOME + wanting / (float(lower) + upper))


@kernel
def may_hold(promises: Promises, row: NDArray[np.int64], size: int) -> bool:
    """False only if no part of these records with at least k of them keeps every promise. For bounds.

    Equal distance: a part of n records is t-close when Σ min(count, share · n) ≥ (1 − t) · n. With the counts of all records that
    is a concave function of n, and 0 at 0: it holds at k if it holds for any n above.
    """
    if size < promises.k:
        return False
    for p in range(len(promises.kinds)):
        begin, end = promises.begins[p], promises.begins[p + 1]
        if promises.kinds[p] <= RECURSIVE:
            distinct = 0
            for i in range(begin, end):
                distinct += row[i] > 0 and i != promises.missing[p]
            if distinct < promises.l[p]:
                return False
        elif promises.kinds[p] == EQUAL:
            records, together = promises.records[p], 0
            for i in range(begin, end):
                together += min(row[i] * records, promises.totals[i] * promises.k)
            upper, lower = promises.upper[p], promises.lower[p]
            if together * lower < (lower - upper) * promises.k * records:
                return False
    return True


@kernel
def _largest(row: NDArray[np.int64], begin: int, end: int, absent: int, many: int) -> int:
    """The sum of the largest counts."""
    left = row[begin:end].copy()
    if absent >= 0:
        left[absent - begin] = 0
    total = 0
    for _ in range(min(many, end - begin)):
        at = np.argmax(left)
        total += left[at]
        left[at] = 0
    return total
