"""ARE of a mixed table: counting queries of x values and y items (paper 001, section 6).

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

from shoal.loss.sets.workload import SetWorkload
from shoal.loss.tables.are import Query, Workload
from shoal.recoding.tables.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Kind
    from shoal.loss.mixed.release import MixedRelease


@dataclass(frozen=True, eq=False)
class MixedQuery:
    """How many records have these values and hold these items?"""

    values: Query | None
    items: tuple[int, ...]  # codes

    def __post_init__(self) -> None:
        if self.values is None and not self.items:
            raise ValueError("A query asks for values of at least one column or for at least one item.")

    def true_count(self, release: MixedRelease) -> int:
        recoded = release.recoded
        parts = np.arange(len(recoded.counts))
        for place, item in enumerate(self.items):
            records = release.holding.at(item)
            parts = np.intersect1d(parts, records, assume_unique=True) if place else records
        matching = np.ones(len(parts), np.bool_)
        if self.values is not None:
            for column, wanted in self.values.wanted.items():
                matching &= wanted[recoded.codes[parts, column]]
        return int(recoded.counts[parts[matching]].sum())

    def estimate(self, release: MixedRelease) -> float:
        recoded = release.recoded
        shares = np.ones(len(recoded.values))
        if self.values is not None:
            for column, wanted in self.values.wanted.items():
                shown = recoded.shown[column]
                shares *= (shown.sums(wanted.astype(np.int64)) / shown.sizes)[recoded.values[:, column]]
        if not self.items:
            return fsum((shares * recoded.class_sizes).tolist())
        parts, expected = _chances(release, self.items[0])
        for item in self.items[1:]:
            others, chances = _chances(release, item)
            parts, mine, theirs = np.intersect1d(parts, others, assume_unique=True, return_indices=True)
            expected = expected[mine] * chances[theirs]
        kept = recoded.classes[parts] != HIDDEN
        parts, expected = parts[kept], expected[kept]
        return fsum((expected * shares[recoded.classes[parts]] * recoded.counts[parts]).tolist())


@dataclass(frozen=True, eq=False)
class MixedWorkload:
    """The queries whose errors are averaged."""

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
    kind: ClassVar[Kind] = "mixed"
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


def _chances(release: MixedRelease, item: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Parts that may hold an item by the labels they show, and how likely each does. No two labels of a part stand for it."""
    labels = release.standing.at(item)
    records = [release.showing.at(label) for label in labels.tolist()]
    parts = np.concatenate([np.empty(0, np.int64), *records])
    chances = np.repeat(1.0 / release.items.labels.sizes[labels], [len(one) for one in records])
    return parts, chances
