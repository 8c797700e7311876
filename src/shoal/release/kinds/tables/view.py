"""A release seen through its recoding: what the published records show, by column, value, level and class.

Everything is counted from `Recoded`, so it means the same whether a column has one level for the whole table or every class
shows values of its own. Raw counts leave this file only through `shoal.report.tables.tally`, which masks what must not be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.distinct import distinct
from shoal.loss.tables.glm import GLM
from shoal.recoding.tables.levels import LevelRecoding
from shoal.recoding.tables.recoded import HIDDEN
from shoal.report import digits
from shoal.report.columns import ColumnFacts, LevelShare, Rung
from shoal.report.facts import PrivateFact
from shoal.report.meaning import node_of, span_of
from shoal.report.rungs import node_levels, rungs, rungs_of_mix
from shoal.report.tables import tally
from shoal.report.tables.codebook import PublishedColumn
from shoal.report.tables.figures import Distribution

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.data.frequency import FrequencySet
    from shoal.engines.engine import Engine
    from shoal.hierarchies.hierarchy import Hierarchy, Label
    from shoal.recoding.tables.groups import GroupRecoding
    from shoal.recoding.tables.recoded import Recoded, ShownValues

_READABLE = 12  # bars of a distribution


@dataclass(frozen=True, eq=False)
class View:
    """The quasi-identifiers of a release, with the records that show each value."""

    columns: tuple[str, ...]
    recoded: Recoded
    stated: frozenset[str]  # columns whose hierarchy states its raw values
    k: int
    chosen: tuple[int, ...] | None  # one level for each column, when that is how it was recoded

    @classmethod
    def of(
        cls, recoding: LevelRecoding | GroupRecoding, frequency: FrequencySet, stated: frozenset[str], k: int
    ) -> View:
        """frequency: of the original. stated: columns whose hierarchy states its raw values."""
        chosen = recoding.levels if isinstance(recoding, LevelRecoding) else None
        return cls(recoding.columns, recoding.over(frequency), stated, k, chosen)

    def hierarchy(self, column: int) -> Hierarchy:
        """column: its place among the quasi-identifiers."""
        return self.recoded.hierarchies[column]

    def facts(self, column: int, reason: str) -> ColumnFacts:
        """What a report says of a quasi-identifier. reason: from the recipe, why it is one."""
        kept = digits.down(self.kept(column))
        blur = self.levels[column], self.ladder(column), kept, self.mix(column)
        return ColumnFacts(self.columns[column], "quasi", reason, *blur)

    # ---- levels ------------------------------------------------------------------------------------------------------

    @cached_property
    def levels(self) -> tuple[int | None, ...]:
        """Of each column: the level at which every published record shows it, None when they differ."""
        return self.chosen or tuple(self._common_level(c) for c in range(len(self.columns)))

    def _common_level(self, column: int) -> int | None:
        places = set(self._places[column][self.recoded.records(column) > 0].tolist())
        if not places:
            return self.hierarchy(column).height  # nothing is published
        place = places.pop()
        return place // 2 if not places and place % 2 == 0 else None

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], ...]:
        """Of each column (values,): twice the level of every shown value, less one for what lies between the levels."""
        by_column = []
        for shown, hierarchy in zip(self.recoded.shown, self.recoded.hierarchies, strict=True):
            levels = node_levels(hierarchy)
            places = 2 * np.maximum(_covering(hierarchy, shown), 1) - 1
            for value, label in enumerate(shown.labels):
                node = node_of(hierarchy, label, shown.leaves_of(value))
                if node is not None and levels[node] >= 0:
                    places[value] = 2 * levels[node]
            by_column.append(places)
        return tuple(by_column)

    def place(self, column: int, value: int) -> float:
        """The level of a shown value; what lies between two levels counts as the middle."""
        return float(self._places[column][value]) / 2

    def mix(self, column: int) -> tuple[LevelShare, ...]:
        """Published records by level; none when all show the column at the same one."""
        if self.levels[column] is not None:
            return ()
        records, places = self.recoded.records(column), self._places[column]
        return tuple(
            LevelShare(
                (place + 1) // 2,
                int(records[places == place].sum()),
                self._example(column, places == place),
                place % 2 == 1,
            )
            for place in np.unique(places[records > 0]).tolist()
        )

    def ladder(self, column: int) -> tuple[Rung, ...]:
        """The levels of a column, with published values that at least k records share as examples."""
        hierarchy, level, stated = self.hierarchy(column), self.levels[column], self.columns[column] in self.stated
        if level is None:
            examples = {share.level: share.example for share in self.mix(column) if not share.between}
            return rungs_of_mix(hierarchy, examples, stated=stated)
        example = self._example(column, np.ones(len(self.recoded.shown[column].labels), np.bool_))
        if not example:
            return tuple(Rung("", 0) for _ in hierarchy.groups)
        return rungs(hierarchy, level, example, stated=stated)

    def _example(self, column: int, among: NDArray[np.bool_]) -> str:
        """The most frequent of some values, if at least k records share it. A missing value is no example."""
        labels = self.recoded.shown[column].labels
        records = np.where(among, self.recoded.records(column), 0)
        order = self._order(column)
        for value in order[np.argsort(-records[order], kind="stable")].tolist():
            if records[value] < self.k:
                return ""
            if labels[value] is not None:
                return str(labels[value])
        return ""

    def _order(self, column: int) -> NDArray[np.int64]:
        """(values,): the shown values in the order of the hierarchy, wide ones first: not as they happened to be found."""
        shown = self.recoded.shown[column]
        order: NDArray[np.int64] = np.lexsort((-shown.sizes, shown.leaves[shown.offsets[:-1]]))
        return order

    # ---- values ------------------------------------------------------------------------------------------------------

    def published(self, column: int) -> PublishedColumn:
        """What the codebook lists of a column."""
        records = self.recoded.records(column)
        held = np.flatnonzero(records)
        shown = self.recoded.shown[column]
        return PublishedColumn(self.hierarchy(column), shown, held, self.levels[column], records=records)

    def kept(self, column: int) -> float:
        """The share of detail that is left in a column, by GLM; a suppressed record keeps nothing."""
        hierarchy, marginal = self.hierarchy(column), self.recoded.marginal(column)
        full = GLM().full_cost(hierarchy, marginal)
        costs = GLM().value_costs(hierarchy, marginal, self.recoded.shown[column])
        lost = int((costs * self.recoded.records(column)).sum()) + full * self.recoded.suppressed
        return 1 - lost / (full * self.recoded.rows) if full and self.recoded.rows else 1.0

    def distribution(self, column: int) -> Distribution:
        """Records by the published values of a column."""
        name, labels, shown = self.columns[column], self.recoded.shown[column].labels, self.recoded.records(column)
        read = self._records_read(column)
        if read is None:
            named = tally.overlapping(name, zip(labels, shown.tolist(), strict=True), self.k, at_most=_READABLE)
            unnamed = named.other.published if named.other is not None else 0
            coarse = self._within(column) if 2 * unnamed > shown.sum() else None
            return (
                coarse if coarse is not None and (coarse.other is None or coarse.other.published < unnamed) else named
            )
        rows: list[tuple[Label, int, int]] = [
            (labels[value], int(read[value]), int(shown[value])) for value in self._order(column).tolist()
        ]
        rows.append((None, self.recoded.rows - int(read.sum()), 0))
        return tally.distribution(name, rows, self.k)

    def _within(self, column: int) -> Distribution | None:
        """Records by the label of one level that their published value lies within: for values too many to name."""
        hierarchy, shown, records = self.hierarchy(column), self.recoded.shown[column], self.recoded.records(column)
        first, last = shown.leaves[shown.offsets[:-1]], shown.leaves[shown.offsets[1:] - 1]
        held = records > 0
        labels = [len(distinct(np.append(groups[first[held]], groups[last[held]]))) for groups in hierarchy.groups]
        level = next((at for at, number in enumerate(labels) if number < _READABLE), hierarchy.height)
        groups = hierarchy.groups[level]
        # leaves of a group lie side by side, so a value lies within it when its first and last leaf do
        inside = groups[first] == groups[last]
        counts = np.bincount(groups[first[inside]], weights=records[inside], minlength=int(groups.max()) + 1)
        wider = ~inside & (records > 0)
        names = [hierarchy.labels[node] for node in hierarchy.group_nodes(level)]
        return tally.within(
            self.columns[column],
            zip(names, counts.astype(np.int64).tolist(), strict=True),
            (int(wider.sum()), int(records[wider].sum())),
            self.k,
            at_most=_READABLE,
        )

    def _records_read(self, column: int) -> NDArray[np.int64] | None:
        """(values,): records that hold a raw value of each published value; None when a raw value is shown in several ways."""
        shown, held = self.recoded.shown[column], self.recoded.records(column) > 0
        inside = np.repeat(held, shown.sizes)
        if np.bincount(shown.leaves[inside], minlength=1).max() > 1:
            return None
        return np.where(held, shown.sums(self.recoded.marginal(column)), 0)

    # ---- classes -----------------------------------------------------------------------------------------------------

    def private_fact(self, column: str, engine: Engine) -> PrivateFact:
        """Classes in which everyone has the same value of a sensitive column."""
        s = self.recoded.sensitive.get(column)
        if s is None:  # the records of one tuple lie in several classes, and which of them where the engine decided
            counted = engine.alike(column)
            return PrivateFact(column, counted.classes, counted.alike, counted.records)
        sizes, classes = self.recoded.class_sizes, self.recoded.classes[s.tuples]
        inside = classes != HIDDEN
        pairs = classes[inside].astype(np.int64) * s.value_count + s.values[inside]
        same = np.bincount(distinct(pairs) // s.value_count, minlength=len(sizes)) == 1
        return PrivateFact(column, len(sizes), int(same.sum()), int(sizes[same].sum()))


def _covering(hierarchy: Hierarchy, shown: ShownValues) -> NDArray[np.int64]:
    """(values,): the lowest level with a label as wide as each shown value.

    Numbers are measured by their bounds: how many raw values a range holds would tell which of them occur.
    """
    if hierarchy.bounds is None:
        widest = [int(np.bincount(groups).max()) for groups in hierarchy.groups]
        return np.searchsorted(widest, shown.sizes)
    spans = hierarchy.bounds[:, 1] - hierarchy.bounds[:, 0]
    levels = np.empty(len(shown.labels), np.int64)
    reach = [_widest(spans[hierarchy.group_nodes(level)]) for level in range(hierarchy.height + 1)]
    for value, label in enumerate(shown.labels):
        low, high, _ = span_of(label or "") or (None, None, False)
        closed = low is not None and high is not None
        levels[value] = np.searchsorted(reach, float(high or 0) - float(low or 0)) if closed else hierarchy.height
    return np.minimum(levels, hierarchy.height)


def _widest(spans: NDArray[np.float64]) -> float:
    closed = spans[np.isfinite(spans)]
    return float(closed.max()) if len(closed) else 0.0
