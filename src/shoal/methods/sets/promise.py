"""What guarantees promise about combinations of published items, and which combinations would break it.

k^m-anonymity: too few records hold it. l^m-diversity: too many of those that do have the same sensitive value (ERRATA 001-12; a
missing value counts as the most frequent one). The first is lost for good when a node is opened, the second is not: so it is
looked at anew in every round, and a node stays closed if opening it would break it then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.data.combinations import CombinationSupports, Units, combinations_in, packed
from shoal.errors import RecipeError
from shoal.guarantees.km_anonymity import KMAnonymity
from shoal.guarantees.lm_diversity import LMDiversity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.engines.engine import Engine
    from shoal.guarantees.guarantee import Guarantee
    from shoal.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True)
class Promise:
    """What is promised, as the searches ask for it."""

    anonymous: tuple[KMAnonymity, ...]
    diverse: tuple[LMDiversity, ...]

    @classmethod
    def of(cls, guarantees: Sequence[Guarantee]) -> Promise:
        others = [g.name for g in guarantees if not isinstance(g, KMAnonymity | LMDiversity)]
        if others or not guarantees:
            note = f" It cannot keep {', '.join(others)}." if others else ""
            raise RecipeError(f"Method 'apriori' keeps {KMAnonymity.name} and {LMDiversity.name}.{note}")
        return cls(
            tuple(g for g in guarantees if isinstance(g, KMAnonymity)),
            tuple(g for g in guarantees if isinstance(g, LMDiversity)),
        )

    @property
    def sizes(self) -> int:
        return max([*(g.m for g in self.anonymous), *(g.m for g in self.diverse)])

    def least(self, size: int) -> int:
        """Records that have to hold a combination of this size. Among fewer than l there is a value that is too frequent."""
        return max([1, *(g.k for g in self.anonymous if size <= g.m), *(g.l for g in self.diverse if size <= g.m)])

    def technical(self) -> str:
        return " and ".join([*(g.technical() for g in self.anonymous), *(g.technical() for g in self.diverse)])


@dataclass(frozen=True, eq=False)
class Labelled:
    """How many records hold a combination and have a label."""

    combinations: NDArray[np.int32]  # (n, size)
    missing: NDArray[np.bool_]  # (n,): whether it is the records without a label
    records: NDArray[np.int64]  # (n,)

    def too_alike(self, l: int, count: int) -> NDArray[np.int32]:  # noqa: E741
        """Combinations among whose records one label is held by more than one in l. count: of units. All labels must be here."""
        _, first, which = np.unique(packed(self.combinations, count), return_index=True, return_inverse=True)
        every, most = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
        np.add.at(every, which, self.records)
        np.maximum.at(most, which[~self.missing], self.records[~self.missing])
        np.add.at(most, which[self.missing], self.records[self.missing])
        return self.combinations[first[most * l > every]]


class Source(Protocol):
    """Where combinations are counted."""

    def rare(self, units: Units, size: int, below: int) -> NDArray[np.int32]:
        """(n, size): held by fewer records than this."""
        ...

    def labelled(self, units: Units, size: int, column: str, at_least: int) -> Labelled:
        """By label, where at least so many records have it."""
        ...

    def histograms(self, units: Units, combinations: NDArray[np.int32], column: str) -> Labelled:
        """All labels of these."""
        ...


@dataclass(frozen=True, eq=False)
class Breaks:
    """The combinations that break a promise (`Breaking` of the descent)."""

    promise: Promise
    source: Source
    supports: NDArray[np.int64]  # (nodes,)

    @property
    def sizes(self) -> int:
        return self.promise.sizes

    def __call__(self, units: Units, size: int) -> NDArray[np.int32]:
        least = self.promise.least(size)
        if size == 1:
            children = units.nodes[: len(units.parent)]
            broken = [np.flatnonzero(self.supports[children] < least).astype(np.int32).reshape(-1, 1)]
        else:
            broken = [self.source.rare(units, size, least)]
        for guarantee in self.promise.diverse:
            if size <= guarantee.m:
                broken.append(self._too_alike(units, size, least, guarantee))
        return np.concatenate(broken)

    def _too_alike(self, units: Units, size: int, least: int, guarantee: LMDiversity) -> NDArray[np.int32]:
        # More than one in l of at least this many: so many have the label or none at all, hence half of that one of the two.
        some = self.source.labelled(units, size, guarantee.column, (least // guarantee.l + 2) // 2)
        candidates = np.unique(some.combinations, axis=0)
        if not len(candidates):
            return candidates
        every = self.source.histograms(units, candidates, guarantee.column)
        return every.too_alike(guarantee.l, len(units.nodes))


def root_breaks(breaks: Breaks, hierarchy: Hierarchy) -> bool:
    """Whether l^m-diversity is broken when it is known that there is an item: by opening nodes it may only become worse."""
    if not breaks.promise.diverse or not breaks.supports[-1]:
        return False
    nothing = np.full(hierarchy.leaf_count, -1, np.int32)
    root = np.array([len(hierarchy.parents) - 1], np.int32)
    only_root = Units(nothing, np.zeros_like(nothing), np.array([-1], np.int32), root)
    return bool(len(breaks(only_root, 1)))


@dataclass(frozen=True, eq=False)
class EngineSource:
    """Supports counted by an engine, over all records."""

    engine: Engine
    column: str
    leaves: pa.Array

    def rare(self, units: Units, size: int, below: int) -> NDArray[np.int32]:
        counter = CombinationSupports(self.column, self.leaves, units, size)
        return _rows(self.engine.count(counter, [self.column], at_most=below - 1), size)

    def labelled(self, units: Units, size: int, column: str, at_least: int) -> Labelled:
        counter = CombinationSupports(self.column, self.leaves, units, size, column)
        return _labelled(self.engine.count(counter, [self.column, column], at_least=at_least), size)

    def histograms(self, units: Units, combinations: NDArray[np.int32], column: str) -> Labelled:
        size = combinations.shape[1]
        counter = CombinationSupports(self.column, self.leaves, units, size, column, combinations)
        return _labelled(self.engine.count(counter, [self.column, column]), size)


@dataclass(frozen=True, eq=False)
class BlockSource:
    """Some records, held here."""

    offsets: NDArray[np.int64]  # (baskets + 1,)
    leaves: NDArray[np.int32]  # leaf codes
    weights: NDArray[np.int64]  # (baskets,): records
    labels: Mapping[str, NDArray[np.int32]]  # by sensitive column, (baskets,) codes; -1 for a missing value

    def where(self, kept: NDArray[np.bool_]) -> BlockSource:
        """Some of them. kept: (baskets,)"""
        sizes = np.diff(self.offsets)
        return BlockSource(
            np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes[kept])]),
            self.leaves[np.repeat(kept, sizes)],
            self.weights[kept],
            {column: labels[kept] for column, labels in self.labels.items()},
        )

    def rare(self, units: Units, size: int, below: int) -> NDArray[np.int32]:
        combinations, counts = combinations_in(self.offsets, self.leaves, self.weights, units, size)
        return combinations[counts < below]

    def labelled(self, units: Units, size: int, column: str, at_least: int) -> Labelled:
        labels = self.labels[column]
        pieces = [(np.empty((0, size), np.int32), np.empty(0, np.bool_), np.empty(0, np.int64))]
        for label in np.unique(labels):
            own = self.where(labels == label)
            held, counts = combinations_in(own.offsets, own.leaves, own.weights, units, size)
            kept = counts >= at_least
            pieces.append((held[kept], np.full(int(kept.sum()), label < 0), counts[kept]))
        combinations, missing, records = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        return Labelled(combinations, missing, records)

    def histograms(self, units: Units, combinations: NDArray[np.int32], column: str) -> Labelled:
        every = self.labelled(units, combinations.shape[1], column, 1)
        count = len(units.nodes)
        kept = np.isin(packed(every.combinations, count), packed(combinations, count))
        return Labelled(every.combinations[kept], every.missing[kept], every.records[kept])


def _rows(table: pa.Table, size: int) -> NDArray[np.int32]:
    return np.stack([table.column(place).to_numpy() for place in range(size)], axis=1)


def _labelled(table: pa.Table, size: int) -> Labelled:
    missing = table.column("label").is_null().to_numpy()
    return Labelled(_rows(table, size), missing, table.column("records").to_numpy())
