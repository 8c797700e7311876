"""The two frameworks of paper 001, section 4, over arrays: a bound for one side, as little loss as possible on the other.

`TableBound`, `ItemBound` and `Mapped` do that for one block of a table. A block may not be able to keep what the whole can: what it
comes to is handed back all the same, and the rest is done on the whole.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import Infeasible

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from shoal.methods.mixed.merging import Clustering, Merge, Merging, Order, Parts

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class TableBound:
    """What rum-bound does in a block."""

    delta: Fraction
    merge: Merge
    order: Order

    def __call__(self, state: Merging) -> Parts:
        try:
            clustering = within_table_loss(state, self.delta, self.merge, self.order)
        except Infeasible:
            return state.parts()
        return list(clustering.rows), list(clustering.mappings)


@dataclass(frozen=True)
class ItemBound:
    """What tum-bound does in a block. Where the items lose too much however it is merged, the state in which they lose least."""

    delta: Fraction
    merge: Merge
    order: Order

    def __call__(self, state: Merging) -> Parts:
        best: list[Clustering] = []

        def keep_best(state: Merging) -> None:
            if not best or state.item_loss < best[0].item_loss:
                best[:] = [state.clustering()]

        try:
            finish(state, self.merge, self.order, None)
            keep_best(state)
            clustering = within_item_loss(state, self.delta, self.merge, self.order, keep_best)
        except Infeasible:
            if not best:
                return state.parts()
            (clustering,) = best
        return list(clustering.rows), list(clustering.mappings)


@dataclass(frozen=True)
class Mapped:
    """What rfirst does in a block."""

    def __call__(self, state: Merging) -> Parts:
        with suppress(Infeasible):  # the whole may hold what it lacks
            finish(state, "r", "btd", None)
        return state.parts()


def within_table_loss(
    state: Merging, delta: Fraction, merge: Merge, order: Order = "btd", report: Callable[[Merging], None] | None = None
) -> Clustering:
    """Rum-bound: NCP of the single values stays at most delta, and of all states met the one whose items lose least is kept.

    Seeds come in the order of what they pay, partners in that of `merge`; the first pair that keeps the bound is merged, until no
    pair does (ERRATA 001-9).
    """
    best = kept_within(state, delta, merge, order)
    limit = limit_of(state, delta)
    room = limit - state.table_cost
    # what the cheapest merge of each cluster costs at least; -1 where it is not known. The room only shrinks, so a cluster that
    # fits none has to be looked at again only when a new one comes up that it could fit.
    hope = np.full(len(state.alive), -1, np.int64)
    while best.item_loss and state.alive.sum() > 1:
        seeds = np.flatnonzero(state.alive & (hope <= room))
        if not len(seeds):
            break
        seed = state.least(seeds)
        others = state.others(seed)
        more = state.more(seed, others)
        fitting = others[more <= room]
        if not len(fitting):
            hope[seed] = more.min()
            continue
        chosen = state.ordered(seed, others, merge, order)
        state.merge(seed, int(chosen[np.isin(chosen, fitting)][0]))
        room = limit - state.table_cost
        others = state.others(seed)
        more = state.more(seed, others)
        hope[others] = np.minimum(hope[others], more)
        hope[seed] = more.min(initial=_NEVER)
        if report is not None:
            report(state)
        if state.item_loss < best.item_loss:
            best = state.clustering()
    return best


def within_item_loss(
    state: Merging, delta: Fraction, merge: Merge, order: Order = "btd", report: Callable[[Merging], None] | None = None
) -> Clustering:
    """Tum-bound: the first state in which the items lose at most delta (ERRATA 001-3, 001-4)."""
    finish(state, merge, order, None)
    lowest = state.item_loss
    while state.item_loss > delta:
        if state.alive.sum() == 1:
            raise Infeasible(
                f"`[method] delta` is {float(delta):g}, and the items lose {float(lowest):.4f} at least, however the classes are "
                "merged. Raise it."
            )
        seed = state.least(np.flatnonzero(state.alive))
        state.merge(seed, int(state.ordered(seed, state.others(seed), merge, order)[0]))
        lowest = min(lowest, state.item_loss)
        if report is not None:
            report(state)
    return state.clustering()


def kept_within(state: Merging, delta: Fraction, merge: Merge, order: Order = "btd") -> Clustering:
    """The same without merging what need not be merged."""
    limit = limit_of(state, delta)
    _refuse_above(state, delta, limit)
    finish(state, merge, order, limit)
    return state.clustering()


def limit_of(state: Merging, delta: Fraction) -> int:
    """The most that the single values may cost."""
    return floor(delta * state.records.records * state.prices.one)


def finish(state: Merging, merge: Merge, order: Order, limit: int | None) -> None:
    """Merge clusters whose items cannot be mapped with the nearest that keeps the limit, before anything else (ERRATA 001-8)."""
    while len(unfinished := state.unfinished()):
        if state.alive.sum() == 1:
            raise Infeasible(_hopeless(state))
        seed = state.least(unfinished)
        others = state.others(seed)
        chosen = state.ordered(seed, others, merge, order)
        if limit is not None:
            room = limit - state.table_cost
            chosen = chosen[np.isin(chosen, others[state.more(seed, others) <= room])]
        if not len(chosen):
            raise Infeasible(
                f"{len(unfinished):,} classes cannot keep the promise about their items, and merging them would lose more of the "
                "single values than `[method] delta` allows. Raise it, or lower k or m in `[[guarantee]]`."
            )
        state.merge(seed, int(chosen[0]))


def _hopeless(state: Merging) -> str:
    records, k = state.records, state.promised.k
    holding = int(records.counts[np.diff(records.offsets) > 0].sum())
    if 0 < holding < k:
        return (
            f"Only {holding:,} of the {records.records:,} records have any item, fewer than the {k:,} that have to look alike. "
            "Generalizing does not help."
        )
    return f"Even all {records.records:,} records in one class do not keep the promise. Ask for less: lower k, l or m."


def _refuse_above(state: Merging, delta: Fraction, limit: int) -> None:
    if state.table_cost > limit:
        raise Infeasible(
            f"`[method] delta` is {float(delta):g}, and the first classes already lose {float(state.table_loss):.4f} of the single "
            "values. Raise it."
        )
