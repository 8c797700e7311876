"""Queries about item sets: how many records hold all of some items (type I of paper 003), or none of them (type II)?

Asked of a release of generalized items, a label of u items stands for each of them with a chance of 1/u, independently; asked of
matched sets, the published base sets are counted.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import RecipeError
from shoal.kernels.distinct import distinct
from shoal.loss.sets.release import Generalized

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.loss.sets.release import Release, Sets

_USES = 1 << 21  # of labels for queries, that are looked at together
_DENSE = 0.3  # of all items in a record, from which on it takes more of them to make a query that tells something


@dataclass(frozen=True, eq=False)
class SetWorkload:
    """Queries of items, by code: ascending and distinct in each."""

    queries: tuple[tuple[int, ...], ...]
    absent: tuple[bool, ...]  # of each query, whether it asks for records with none of the items

    def __post_init__(self) -> None:
        if not self.queries or not all(self.queries) or len(self.queries) != len(self.absent):
            raise ValueError("A workload has at least one query, and each asks for at least one item.")
        if any(list(query) != sorted(set(query)) for query in self.queries):
            raise ValueError("The items of a query must be ascending and distinct.")

    @classmethod
    def random(
        cls,
        items: int,
        size: float,
        queries: int = 500,
        present: int | None = None,
        absent: int | None = None,
        seed: int = 0,
    ) -> SetWorkload:
        """As in paper 003, section 5.2: so many queries of each type, about items drawn from all there are.

        items: how many there are; size: of a record, on average; present, absent: items of a query of type I and II. Without them
        what the paper takes: 3 and 4 where records hold a good part of all items (Chess), else 1 and 5 (Pumsb). The same numbers
        and seed give the same queries. No privacy depends on the seed.
        """
        if items < 1 or queries < 1 or (present or 1) < 1 or (absent or 1) < 1:
            raise ValueError("A random workload needs at least 1 item, 1 query of each type, and 1 item in each.")
        dense = size >= _DENSE * items
        draw = random.Random(seed)
        drawn = []
        for number in (present or (3 if dense else 1), absent or (4 if dense else 5)):
            drawn += [tuple(sorted(draw.sample(range(items), min(number, items)))) for _ in range(queries)]
        return cls(tuple(drawn), (False,) * queries + (True,) * queries)

    @classmethod
    def of_records(cls, originals: Sets, queries: int = 100, items: int = 2, seed: int = 0) -> SetWorkload:
        """Queries of type I about items that some record holds together, so that there is something to find.

        Records are drawn alike, of those with at least so many items; without any, of those with the most.
        """
        draw = random.Random(seed)
        most = int(originals.sizes.max(initial=0))
        if not most:
            raise ValueError("A workload cannot be drawn from records without items.")
        number = min(items, most)
        able = np.flatnonzero(originals.sizes >= number)
        below = np.cumsum(originals.counts[able])
        drawn = []
        for _ in range(queries):
            one = able[np.searchsorted(below, draw.randrange(int(below[-1])), side="right")]
            held = originals.items[originals.offsets[one] : originals.offsets[one + 1]].tolist()
            drawn.append(tuple(sorted(draw.sample(held, number))))
        return cls(tuple(drawn), (False,) * queries)

    @classmethod
    def stated(cls, queries: Sequence[Mapping[str, Sequence[str]]], codes: Mapping[str, int]) -> SetWorkload:
        """From a user: each query has either `with` or `without`, and a list of items."""
        problems, made, absent = [], [], []
        for place, query in enumerate(queries, start=1):
            if len(query) != 1 or next(iter(query)) not in ("with", "without"):
                problems.append(f"Query {place} must have either `with` or `without`, and nothing else.")
                continue
            ((kind, items),) = query.items()
            unknown = sum(item not in codes for item in items)
            if not items or unknown:
                problems.append(f"Query {place} names {len(items):,} items, of which {unknown:,} are not known.")
                continue
            made.append(tuple(sorted({codes[item] for item in items})))
            absent.append(kind == "without")
        if problems or not made:
            raise RecipeError(*(problems or ["A workload has at least one query."]))
        return cls(tuple(made), tuple(absent))

    def true_counts(self, originals: Sets) -> NDArray[np.float64]:
        """(queries,): records that answer each."""
        return self._counts(originals, *self._uses(_items_of(originals)))

    def estimates(self, release: Release) -> NDArray[np.float64]:
        """(queries,): the same, as the release tells it."""
        if not isinstance(release, Generalized):
            return self._counts(release.published, *self._uses(release.items))
        return self._counts(release.shown, *self._uses_of_nodes(release))

    def estimates_in_steps(self, release: Generalized, steps: int) -> NDArray[np.int64]:
        """(queries,): the same, where the chance of each record is rounded to whole numbers of so many steps to one.

        Whole numbers of parts of a release add up to the same however it is divided.
        """
        starts, queries, chances = self._uses_of_nodes(release)
        shown, number, absent = release.shown, len(self.queries), np.array(self.absent)
        sizes = np.array([len(query) for query in self.queries])
        found = np.where(absent, shown.rows * steps, 0)
        uses, rows = np.diff(starts)[shown.items], np.repeat(np.arange(len(shown.counts)), shown.sizes)
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(uses)])
        at = 0
        while at < len(shown.counts):
            start, most = shown.offsets[at], before[shown.offsets[at]] + _USES
            at = max(at + 1, int(np.searchsorted(before[shown.offsets], most, "right")) - 1)
            mine = slice(start, shown.offsets[at])
            use = np.repeat(starts[shown.items[mine]] - before[mine], uses[mine])
            use += np.arange(before[mine.start], before[mine.stop])
            keys = np.repeat(rows[mine], uses[mine]) * number + queries[use]
            order = np.argsort(keys, kind="stable")
            keys, chance = keys[order], chances[use[order]]
            if not len(keys):
                continue
            edges = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
            asked, records = keys[edges] % number, shown.counts[keys[edges] // number]
            every = np.rint(np.multiply.reduceat(chance, edges) * steps).astype(np.int64)
            none = np.rint(np.multiply.reduceat(1.0 - chance, edges) * steps).astype(np.int64)
            every[np.diff(np.append(edges, len(keys))) != sizes[asked]] = 0  # not all items may be behind the labels
            np.add.at(found, asked, np.where(absent[asked], none - steps, every) * records)
        return found

    def _counts(
        self, sets: Sets, starts: NDArray[np.int64], queries: NDArray[np.int32], chances: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        from shoal.kernels.sets.queries import expected_counts

        sizes = np.array([len(query) for query in self.queries], np.int64)
        every, none = expected_counts(sets.offsets, sets.items, sets.counts, starts, queries, chances, sizes)
        return np.where(np.array(self.absent), none, every)

    def _flat(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The items of all queries, and the query of each."""
        items = np.array([item for query in self.queries for item in query], np.int64)
        return items, np.repeat(np.arange(len(self.queries), dtype=np.int32), [len(query) for query in self.queries])

    def _uses(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Of items themselves. count: of all there are."""
        items, queries = self._flat()
        return _by_label(items, queries, np.ones(len(items)), max(count, int(items.max()) + 1))

    def _uses_of_nodes(self, release: Generalized) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Of nodes that may stand for an item of a query."""
        items, queries = self._flat()
        labels, whose = [], []
        for node in distinct(release.shown.items):
            inside = np.flatnonzero((items >= release.first[node]) & (items <= release.last[node]))
            labels.append(np.full(len(inside), node, np.int64))
            whose.append(inside)
        label, use = np.concatenate([np.empty(0, np.int64), *labels]), np.concatenate([np.empty(0, np.int64), *whose])
        return _by_label(label, queries[use], 1.0 / release.widths[label], len(release.first))


def _items_of(sets: Sets) -> int:
    return int(sets.items.max(initial=-1)) + 1


def _by_label(
    labels: NDArray[np.int64], queries: NDArray[np.int32], chances: NDArray[np.float64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    order = np.argsort(labels, kind="stable")
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(labels, minlength=count))])
    return starts, queries[order], chances[order]
