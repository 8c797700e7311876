"""What a search has to keep: the guarantees of a table as arrays, and what each tuple brings into a class.

Each promise has a row of slots of its own (kernel `promises`): values for l-diversity and for equal distance, places for
an order, nodes for a hierarchy. A missing value in an order may stand at either end: that is two promises.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from shoal.guarantees.earth_mover import heights_of, tree_of
from shoal.guarantees.l_diversity import LDiversity
from shoal.guarantees.t_closeness import TCloseness
from shoal.kernels.tables.guarded import promises as kinds
from shoal.kernels.tables.guarded.moving import Units
from shoal.kernels.tables.guarded.promises import Promises

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from shoal.data.frequency import SensitiveCounts
    from shoal.guarantees.guarantee import Guarantee
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.tables.ground import Ground

_WHOLE = 2**62  # whole numbers above are not compared
_L = {"distinct": kinds.DISTINCT, "entropy": kinds.ENTROPY, "recursive": kinds.RECURSIVE}


@dataclass(frozen=True, eq=False)
class _Row:
    """One promise: how the values of its column become slots."""

    column: str
    kind: int
    slot_of: NDArray[np.int64]  # (values,)
    slots: int
    missing: int = -1
    l: float = 0.0  # noqa: E741
    bound: Fraction = Fraction(0)
    steps: int = 1  # by which a distance in whole numbers is larger
    parents: NDArray[np.int64] | None = None  # (slots,)
    edges: NDArray[np.int64] | None = None


def known(guarantee: Guarantee) -> bool:
    """Whether a promise can be kept by the search: it speaks of no sensitive value, or in a way that is known here."""
    return guarantee.sensitive is None or isinstance(guarantee, LDiversity | TCloseness)


def promises_of(ground: Ground, guarantees: Iterable[Guarantee]) -> tuple[Promises, Units]:
    """These promises, beside k; and what each tuple brings."""
    rows: list[_Row] = []
    for guarantee in guarantees:
        if isinstance(guarantee, LDiversity):
            rows.append(_diversity(guarantee, ground.frequency.sensitive[guarantee.column]))
        elif isinstance(guarantee, TCloseness):
            rows += _closeness(guarantee, ground)
    return _promises(ground, rows), _units(ground, rows)


def k_alone(ground: Ground, records: int) -> tuple[Promises, Units]:
    """No promise but k, and units of one record each."""
    one = np.ones(records, np.int64)
    none = np.empty(0, np.int64)
    return _promises(ground, []), Units(one, np.zeros(records + 1, np.int64), none, none)


def are_exact(promises: Promises, guarantees: Iterable[Guarantee]) -> bool:
    """Whether every t is taken as it is, and none a little smaller."""
    shares = {Fraction(int(a), int(b)) for a, b in zip(promises.upper, promises.lower, strict=True)}
    return all(Fraction(str(g.t)) in shares for g in guarantees if isinstance(g, TCloseness))


def _diversity(guarantee: LDiversity, s: SensitiveCounts) -> _Row:
    bound = Fraction(str(guarantee.c)) if guarantee.c is not None else Fraction(0)
    missing = -1 if s.missing is None else s.missing
    number = np.arange(s.value_count)
    return _Row(guarantee.column, _L[guarantee.variant], number, s.value_count, missing, float(guarantee.l), bound)


def _closeness(guarantee: TCloseness, ground: Ground) -> list[_Row]:
    column, bound = guarantee.column, Fraction(str(guarantee.t))
    s = ground.frequency.sensitive[column]
    if guarantee.distance == "equal":
        return [_Row(column, kinds.EQUAL, np.arange(s.value_count), s.value_count, bound=bound)]
    if guarantee.distance == "ordered":
        ends = (False, True) if s.missing is not None else (False,)
        return [_ordered(column, bound, s, missing_first=end) for end in ends]
    return [_hierarchical(column, bound, s, ground.problem.sensitive[column])]


def _ordered(column: str, bound: Fraction, s: SensitiveCounts, *, missing_first: bool) -> _Row:
    """Only values that occur have a place."""
    places = np.arange(s.value_count) if s.places is None else s.places.copy()
    if s.missing is not None:
        places[s.missing] = -1 if missing_first else places.max() + 1
    occurring = np.unique(s.values)
    met, position = np.unique(places[occurring], return_inverse=True)
    slot_of = np.zeros(s.value_count, np.int64)
    slot_of[occurring] = position
    return _Row(column, kinds.ORDERED, slot_of, len(met), bound=bound, steps=max(1, len(met) - 1))


def _hierarchical(column: str, bound: Fraction, s: SensitiveCounts, hierarchy: Hierarchy | None) -> _Row:
    assert hierarchy is not None  # the guarantee has refused it
    parents, missing = tree_of(hierarchy, s.missing)
    heights = heights_of(parents)
    order = np.argsort(heights, kind="stable")  # children before parents, the root last
    place = np.empty(len(parents), np.int64)
    place[order] = np.arange(len(parents))
    above = parents[order]
    edges = np.where(above >= 0, heights[above] - heights[order], max(int(heights.max()), 1))
    leaf_of = np.arange(s.value_count)
    if missing is not None and s.missing is not None:
        leaf_of[s.missing] = missing
    return _Row(
        column,
        kinds.HIERARCHICAL,
        place[leaf_of],
        len(parents),
        bound=bound,
        steps=max(int(heights.max()), 1),
        parents=np.where(above >= 0, place[above], -1),
        edges=edges,
    )


def _promises(ground: Ground, rows: Sequence[_Row]) -> Promises:
    begins = np.cumsum([0, *(row.slots for row in rows)], dtype=np.int64)
    totals, parents, edges = (np.zeros(begins[-1], np.int64) for _ in range(3))
    parents[:] = -1
    records = []
    for row, begin in zip(rows, begins, strict=False):
        s = ground.frequency.sensitive[row.column]
        totals[begin : begin + row.slots] = np.bincount(row.slot_of[s.values], s.counts, row.slots).astype(np.int64)
        records.append(int(s.counts.sum()))
        if row.parents is not None and row.edges is not None:
            for slot in range(row.slots):
                if row.parents[slot] >= 0:
                    totals[begin + row.parents[slot]] += totals[begin + slot]
            parents[begin : begin + row.slots] = np.where(row.parents >= 0, row.parents + begin, -1)
            edges[begin : begin + row.slots] = row.edges
    bounds = [_rounded(row, count) for row, count in zip(rows, records, strict=True)]
    return Promises(
        ground.k,
        np.array([row.kind for row in rows], np.int64),
        begins,
        np.array(
            [begin + row.missing if row.missing >= 0 else -1 for row, begin in zip(rows, begins, strict=False)],
            np.int64,
        ),
        np.array([row.l for row in rows], np.float64),
        np.array([bound.numerator for bound in bounds], np.int64),
        np.array([bound.denominator for bound in bounds], np.int64),
        np.array(records, np.int64),
        totals,
        parents,
        edges,
    )


def _rounded(row: _Row, records: int) -> Fraction:
    """t, or c: a little less where whole numbers would become too large. Whoever keeps less keeps the promise."""
    largest = records * (records * row.steps if row.kind >= kinds.EQUAL else 1)
    most = max(1, _WHOLE // max(1, largest))
    bound = row.bound
    if max(bound.denominator, bound.numerator) <= most:
        return bound
    return Fraction(int(bound * most), most)


def _units(ground: Ground, rows: Sequence[_Row]) -> Units:
    tuples, slots, counts = [], [], []
    begin = 0
    for row in rows:
        s = ground.frequency.sensitive[row.column]
        tuples.append(s.tuples)
        slots.append(begin + row.slot_of[s.values])
        counts.append(s.counts)
        begin += row.slots
    none = np.empty(0, np.int64)
    of = np.concatenate([none, *tuples])
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(len(ground.frequency.counts) + 1))
    return Units(
        ground.frequency.counts.astype(np.int64),
        starts.astype(np.int64),
        np.concatenate([none, *slots])[order].astype(np.int64),
        np.concatenate([none, *counts])[order].astype(np.int64),
    )
