"""Merging clusters: the state of it, and the orders in which partners are tried (paper 001, section 4, with ERRATA 001-9).

A cluster is known by the first row it holds; ties go to the lower one. Whatever is merged, clusters that show the same single
values become one with it: nothing published tells them apart. The items of a cluster are mapped anew after every merge, and what
that costs is never assumed to fall (001-7).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from shoal.kernels.distinct import distinct
from shoal.kernels.mixed.cluster_joins import alike, joint_prices
from shoal.kernels.mixed.item_distance import chains_of, join_chains, together, widest
from shoal.kernels.tables.boxes import box_prices, join, smallest_boxes
from shoal.methods.mixed.item_mapping import UL_ONE, ClassMapping, class_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.methods.mixed.clusters import MixedRecords, Prices
    from shoal.methods.mixed.item_mapping import ItemDomain, Objective, Promised

Merge = Literal["r", "t", "rt"]  # by single values, by items, or by both
Order = Literal[
    "btd", "item-ncp", "ul"
]  # how partners are ordered by their items: BTD, or what their common mapping costs
Parts = tuple[
    list["NDArray[np.int64]"], list[ClassMapping | None]
]  # the rows of each cluster, and how it shows its items


@dataclass(frozen=True, eq=False)
class Clustering:
    """What was decided: the rows of every cluster, and how each shows its items. In the order of their first rows."""

    rows: tuple[NDArray[np.int64], ...]  # ascending in each
    mappings: tuple[ClassMapping, ...]
    table_loss: Fraction  # NCP of the single values
    item_loss: Fraction  # by the objective
    merges: int

    @property
    def groups(self) -> NDArray[np.int32]:
        """(rows,): the cluster of each."""
        groups = np.empty(sum(map(len, self.rows)), np.int32)
        for number, rows in enumerate(self.rows):
            groups[rows] = number
        return groups


class Merging:
    """Clusters of records while they are merged: what each shows and loses, kept up to date."""

    def __init__(
        self,
        records: MixedRecords,
        prices: Prices,
        groups: NDArray[np.int32],
        domain: ItemDomain,
        promised: Promised,
        objective: Objective = "item-ncp",
        known: Mapping[int, ClassMapping] | None = None,
    ) -> None:
        """groups: (rows,) numbered by their first rows. known: clusters whose mapping has been made already."""
        count = int(groups.max()) + 1
        self.records, self.prices, self.domain, self.promised = records, prices, domain, promised
        self.objective = objective
        self.boxes = smallest_boxes(prices.nodes, records.codes, groups, count)
        self.sizes = np.bincount(groups, weights=records.counts, minlength=count).astype(np.int64)
        self.paid = box_prices(prices.nodes, self.boxes).astype(np.int64)  # by each record
        order = np.argsort(groups, kind="stable")
        self.rows = np.split(order, np.cumsum(np.bincount(groups, minlength=count))[:-1])
        self.first = np.array([rows[0] for rows in self.rows], np.int64)
        self.alive = np.ones(count, np.bool_)
        self.merges = 0
        self._chains = chains_of(records.offsets, records.items, groups, count)
        self._apart = widest(self._chains)
        known = known or {}
        self.mappings: list[ClassMapping | None] = [known.get(c) or self._mapped(c) for c in range(count)]
        # of all records and clusters, so that nobody has to add up after each merge
        self._every, self._lost = records.records, sum(map(self._loss, self.mappings))
        self._held = int((np.diff(records.offsets) * records.counts).sum())

    # ---- what it costs -----------------------------------------------------------------------------------------------

    @property
    def table_cost(self) -> int:
        """NCP of all records together, in the whole numbers of the prices."""
        return int((self.sizes * self.paid)[self.alive].sum())

    @property
    def table_loss(self) -> Fraction:
        return Fraction(self.table_cost, self._every * self.prices.one)

    @property
    def item_loss(self) -> Fraction:
        """By the objective. Every cluster must have a mapping."""
        whole = self._every * UL_ONE if self.objective == "ul" else self._held * self.domain.items
        return Fraction(self._lost, whole) if whole else Fraction(0)

    def _loss(self, mapping: ClassMapping | None) -> int:
        """Of one cluster, in the whole numbers in which they are added up."""
        if mapping is None:
            return 0
        return mapping.lost if self.objective == "ul" else mapping.cost

    def unfinished(self) -> NDArray[np.int64]:
        """Clusters whose items cannot be mapped (ERRATA 001-8)."""
        return np.array([c for c in np.flatnonzero(self.alive).tolist() if self.mappings[c] is None], np.int64)

    # ---- who with whom -----------------------------------------------------------------------------------------------

    def others(self, cluster: int) -> NDArray[np.int64]:
        others = self.alive.copy()
        others[cluster] = False
        return np.flatnonzero(others)

    def least(self, clusters: NDArray[np.int64]) -> int:
        """The seed: the one that pays least."""
        return int(clusters[np.lexsort((self.first[clusters], self.paid[clusters]))[0]])

    def more(self, cluster: int, others: NDArray[np.int64]) -> NDArray[np.int64]:
        """What the table would cost more with a cluster and each of the others merged (ERRATA 001-10)."""
        joint = joint_prices(self.prices.nodes, self.boxes, cluster, others)
        own, sizes = int(self.sizes[cluster]), self.sizes[others]
        more: NDArray[np.int64] = (own + sizes) * joint - own * self.paid[cluster] - sizes * self.paid[others]
        return more

    def ordered(self, cluster: int, others: NDArray[np.int64], merge: Merge, order: Order) -> NDArray[np.int64]:
        """The others, the one to be tried first in front."""
        first = self.first[others]
        if merge == "t":
            return others[np.lexsort((first, self._by_items(cluster, others, order)))]
        joint = joint_prices(self.prices.nodes, self.boxes, cluster, others)
        by_values = np.lexsort((first, joint))
        if merge == "r":
            return others[by_values]
        by_items = np.lexsort((first, self._by_items(cluster, others, order)))
        places = np.zeros(len(others), np.int64)
        places[by_values] += np.arange(len(others))
        places[by_items] += np.arange(len(others))
        return others[np.lexsort((first, places))]

    def _by_items(
        self, cluster: int, others: NDArray[np.int64], order: Order
    ) -> NDArray[np.float64] | NDArray[np.int64]:
        if order == "btd":
            return together(self._chains, self._apart, cluster, others)
        scores = [self._score(cluster, other, order) for other in others.tolist()]
        rank = {score: place for place, score in enumerate(sorted(set(scores)))}
        return np.array([rank[score] for score in scores], np.int64)

    def _score(self, cluster: int, other: int, order: Order) -> tuple[bool, Fraction]:
        """What the items of two clusters would cost by a common mapping; last where there is none."""
        rows = distinct(np.concatenate([self.rows[cluster], self.rows[other]]))
        mapping = self._map(rows)
        if mapping is None:
            return True, Fraction(0)
        if order == "ul":
            return False, Fraction(mapping.lost, int(self.records.counts[rows].sum()))
        sizes = self.records.offsets[rows + 1] - self.records.offsets[rows]
        return False, Fraction(mapping.cost, max(1, int((sizes * self.records.counts[rows]).sum())))

    # ---- merging -----------------------------------------------------------------------------------------------------

    def merge(self, cluster: int, other: int) -> None:
        """The other comes to the cluster, and with it all that show the same as both together."""
        self._join(cluster, other)
        for same in alike(self.boxes, cluster, np.flatnonzero(self.alive)).tolist():
            self._join(cluster, same)
        self.merges += 1
        self._show(cluster, self._mapped(cluster))

    def _join(self, cluster: int, other: int) -> None:
        self._apart[cluster] = together(self._chains, self._apart, cluster, np.array([other]))[0]
        join_chains(self._chains, cluster, other)
        join(self.prices.nodes, self.boxes[cluster], self.boxes[other])
        self.paid[cluster] = int(box_prices(self.prices.nodes, self.boxes[cluster : cluster + 1])[0])
        self.sizes[cluster] += self.sizes[other]
        self.first[cluster] = min(self.first[cluster], self.first[other])
        self.rows[cluster] = distinct(np.concatenate([self.rows[cluster], self.rows[other]]))
        self.rows[other] = np.empty(0, np.int64)
        self.alive[other] = False
        self._show(other, None)

    def _show(self, cluster: int, mapping: ClassMapping | None) -> None:
        self._lost += self._loss(mapping) - self._loss(self.mappings[cluster])
        self.mappings[cluster] = mapping

    def _mapped(self, cluster: int) -> ClassMapping | None:
        return self._map(self.rows[cluster])

    def _map(self, rows: NDArray[np.int64]) -> ClassMapping | None:
        counts = self.records.counts[rows]
        secrets = [(holds[rows], share) for holds, share in self.records.secrets if holds[rows].any()]
        every = int(counts.sum())
        if any(int(counts[holds].sum()) * share > every for holds, share in secrets):
            return None  # to whoever knows no item at all
        return class_mapping(*self.records.rows(rows), self.domain, self.promised, secrets, self.objective)

    def parts(self) -> Parts:
        """As it is now, also where a cluster has no mapping."""
        alive = np.flatnonzero(self.alive)
        alive = alive[np.argsort(self.first[alive])].tolist()
        return [self.rows[cluster] for cluster in alive], [self.mappings[cluster] for cluster in alive]

    def clustering(self) -> Clustering:
        """As it is now: what is held of it does not change with later merges."""
        rows, mappings = self.parts()
        return Clustering(
            tuple(rows),
            tuple(mapping for mapping in mappings if mapping is not None),
            self.table_loss,
            self.item_loss,
            self.merges,
        )
