"""ARE of single values beside sets of items: counting queries of x values and y items (paper 001, section 6).

A query counts the records whose values lie in a given set, in each of x columns, and that hold y given items. Asked of a release, a
published value stands for each of its raw values alike, and a label of u items for each of them with a chance of 1/u; all of this
independently, so the shares are multiplied. That is an assumption, and not what the release says.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.loss.are import Query, Workload
from shoal.loss.set_workload import SetWorkload
from shoal.recoding.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.loss.mixed import MixedRelease


@dataclass(frozen=True, eq=False)
class MixedQuery:
    values: Query | None
    items: tuple[int, ...]  # codes

    def __post_init__(self) -> None:
        if self.values is None and not self.items:
            raise ValueError("A query asks for values of at least one column or for at least one item.")

    def true_count(self, release: MixedRelease) -> int:
        matching = np.ones(len(release.recoded.counts), np.bool_)
        if self.values is not None:
            for column, wanted in self.values.wanted.items():
                matching &= wanted[release.recoded.codes[:, column]]
        for item in self.items:
            matching &= _holds(release, item)
        return int(release.recoded.counts[matching].sum())

    def estimate(self, release: MixedRelease) -> float:
        recoded = release.recoded
        shares = np.ones(len(recoded.values))
        if self.values is not None:
            for column, wanted in self.values.wanted.items():
                shown = recoded.shown[column]
                shares *= (shown.sums(wanted.astype(np.int64)) / shown.sizes)[recoded.values[:, column]]
        kept = np.where(recoded.classes == HIDDEN, 0.0, shares[recoded.classes])
        expected: NDArray[np.float64] = kept * recoded.counts.astype(np.float64)
        for item in self.items:
            expected *= _chance(release, item)
        return fsum(expected.tolist())


@dataclass(frozen=True, eq=False)
class MixedWorkload:
    queries: tuple[MixedQuery, ...]

    def __post_init__(self) -> None:
        if not self.queries:
            raise ValueError("A workload has at least one query.")

    @classmethod
    def random(
        cls, release: MixedRelease, values: int = 1, items: int = 2, queries: int = 100, seed: int = 0
    ) -> MixedWorkload:
        """In each of so many columns a run of neighbouring values that about a tenth of the records hold, and so many items that
        some record holds together. The same records and seed give the same queries, whatever the recoding."""
        if values < 0 or items < 0 or values + items < 1 or queries < 1:
            raise ValueError("A random workload needs at least 1 query, and a value or an item in each.")
        asked: Sequence[Query | None] = [None] * queries
        if values:
            asked = Workload.random(release.recoded, queries, values, seed).queries
        held: Sequence[tuple[int, ...]] = [()] * queries
        if items:
            held = SetWorkload.of_records(release.items.originals, queries, items, seed).queries
        return cls(tuple(MixedQuery(*one) for one in zip(asked, held, strict=True)))


@dataclass(frozen=True, eq=False)
class MixedARE:
    """Mean over the queries of |estimate − truth| / max(truth, bound). The bound, a thousandth of the records and at least 1,
    keeps queries that hardly anybody meets from deciding the figure."""

    workload: MixedWorkload

    name: ClassVar[str] = "are"
    kind: ClassVar[str] = "mixed"
    title: ClassVar[str] = "Average relative error of counts (ARE)"
    plain: ClassVar[str] = "How far off a count is on average"
    formula: ClassVar[str] = (
        "mean over 100 random queries (of values of some columns and of items) of |estimated − true count| / true count (at least "
        "a thousandth of the records); each raw value behind a published one is taken to be as likely as the others, and a label "
        "of u items to stand for each of them with a chance of 1/u, all independently; no query finds a suppressed record"
    )
    share: ClassVar[bool] = False

    def of(self, release: MixedRelease, weights: Sequence[Fraction] = ()) -> Fraction:
        bound = max(1.0, release.recoded.rows / 1000)
        errors = []
        for query in self.workload.queries:
            truth = query.true_count(release)
            errors.append(abs(query.estimate(release) - truth) / max(truth, bound))
        return Fraction(fsum(errors) / len(errors))


def _holds(release: MixedRelease, item: int) -> NDArray[np.bool_]:
    """(parts,): those with an item."""
    originals = release.items.originals
    found = np.flatnonzero(originals.items == item)
    holds = np.zeros(len(originals.counts), np.bool_)
    holds[np.searchsorted(originals.offsets, found, "right") - 1] = True
    return holds


def _chance(release: MixedRelease, item: int) -> NDArray[np.float64]:
    """(parts,): how likely each holds an item, by the labels it shows. No two labels of a part stand for the same item."""
    labels, shown = release.items.labels, release.items.shown
    standing = np.searchsorted(labels.offsets, np.flatnonzero(labels.leaves == item), "right") - 1
    chance = np.zeros(len(labels.labels))
    chance[standing] = 1.0 / labels.sizes[standing]
    parts = np.bincount(release.shown_rows, weights=chance[shown.items], minlength=len(release.recoded.counts))
    return parts.astype(np.float64)
