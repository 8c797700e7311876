"""What the published records and the recipe alone tell of the columns of a table: the figures of the public report.

Nothing here may depend on a raw value. A hierarchy that was drawn from the data (a mask, dates, none at all) has as many leaves
as the data has values, and a grid has a leaf for whoever lies outside of it; so leaves are counted only where a file or the recipe
states them, and otherwise what a published value says by itself: its bounds, its hidden characters, its level.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from shoal.loss.loss import normalized_weights
from shoal.loss.tables.c_avg import CAvg
from shoal.report import digits
from shoal.report.columns import Rung
from shoal.report.facts import LossFacts
from shoal.report.meaning import listed_values, node_of, span_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy, Label
    from shoal.release.kinds.tables.view import View
    from shoal.release.recipe.recipe import Recipe
    from shoal.report.columns import ColumnFacts
    from shoal.report.tables.codebook import PublishedColumn

_WIDTH = (
    "mean over published records and columns of the width of what is shown, as a share of the whole column: bounds of its grid, "
    "values of its group, or the step of blur where the recipe states neither; columns weigh as in the recipe"
)


@dataclass(frozen=True, eq=False)
class PublishedColumns:
    """The quasi-identifiers of a release, as anybody can read them who has it and the recipe."""

    view: View
    recipe: Recipe

    def facts(self, columns: tuple[ColumnFacts, ...]) -> tuple[ColumnFacts, ...]:
        """The columns of a report with what is public of the quasi-identifiers."""
        place = {name: c for c, name in enumerate(self.view.columns)}
        return tuple(self._facts(one, place[one.name]) if one.name in place else one for one in columns)

    def values(self) -> dict[str, PublishedColumn]:
        """What the codebook lists, by column."""
        columns = {name: self.view.published(c) for c, name in enumerate(self.view.columns)}
        return {name: replace(one, height=self._height(c)) for c, (name, one) in enumerate(columns.items())}

    def losses(self, weights: Mapping[str, float], k: int) -> tuple[LossFacts, ...]:
        """weights: of the columns, from the recipe."""
        recoded = self.view.recoded
        sizes = recoded.class_sizes
        shares = normalized_weights(self.view.columns, weights)
        lost = sum(float(share) * self._lost(c) for c, share in enumerate(shares))
        alike = int((sizes * sizes).sum())
        figures = (
            ("width", "Detail lost", digits.lost(lost), True, _WIDTH),
            (
                CAvg.title,
                CAvg.plain,
                float(CAvg(k).of(recoded, shares)),
                False,
                "published records / published groups / k",
            ),
            (
                "DM",
                "How many people look alike",
                float(alike),
                False,
                "sum over published groups of the square of their size",
            ),
        )
        return tuple(LossFacts(*figure, counts_suppressed=False, public=True) for figure in figures)

    # ---- one column --------------------------------------------------------------------------------------------------

    def _facts(self, facts: ColumnFacts, column: int) -> ColumnFacts:
        height, top = self._height(column), self.view.hierarchy(column).height
        level = facts.level if facts.level is None or facts.level < top else height
        mix = tuple(share if share.level < top else replace(share, level=height) for share in facts.mix)
        ladder = facts.ladder[:height] + facts.ladder[top:]
        rungs = tuple(self._rung(column, at, rung, level, height) for at, rung in enumerate(ladder))
        return replace(facts, level=level, ladder=rungs, mix=mix, kept=digits.down(1 - self._lost(column)))

    def _rung(self, column: int, at: int, rung: Rung, level: int | None, height: int) -> Rung:
        """A finer example is one of the values that the column may have; below the top these are all raw values."""
        if level is None:
            return Rung(rung.example, 0)
        if at < level:
            return Rung(rung.example if level < height else "", 0)
        return Rung(rung.example, self._labels(column, at if at < height else self.view.hierarchy(column).height))

    def _labels(self, column: int, level: int) -> int:
        """How many labels of a level the published values lie in."""
        shown, held = self.view.recoded.shown[column], self.view.recoded.records(column) > 0
        first = shown.leaves[shown.offsets[:-1]][held]
        return len(np.unique(self.view.hierarchy(column).groups[level][first]))

    def _height(self, column: int) -> int:
        """Of the hierarchy; of a mask whose length the recipe leaves to the data, what published values show of it."""
        hierarchy, spec = self.view.hierarchy(column), self.recipe.columns[self.view.columns[column]].hierarchy
        if not isinstance(spec, dict) or "mask" not in spec or "length" in spec:
            return hierarchy.height
        labels = [label for label in self._held(column) if label not in (None, hierarchy.root)]
        levels = [share.level for share in self.view.mix(column)] or [self.view.levels[column] or 0]
        reached = [level + 1 for level in levels if level < hierarchy.height]
        return min(hierarchy.height, max(1, *map(len, map(str, labels)), *reached) if labels else max([1, *reached]))

    def _held(self, column: int) -> list[Label]:
        """The values that some published record shows."""
        labels = self.view.recoded.shown[column].labels
        return [labels[value] for value in np.flatnonzero(self.view.recoded.records(column)).tolist()]

    def _lost(self, column: int) -> float:
        """The mean width of what published records show, between 0 and 1."""
        records = self.view.recoded.records(column)
        published = int(records.sum())
        if not published:
            return 0.0
        return float((self._widths(column) * records).sum()) / published

    def _widths(self, column: int) -> NDArray[np.float64]:
        """(values,): of each shown value; 0 is exact, 1 says nothing."""
        hierarchy, shown = self.view.hierarchy(column), self.view.recoded.shown[column]
        stated = self.view.columns[column] in self.view.stated
        widths = np.zeros(len(shown.labels))
        for value, label in enumerate(shown.labels):
            if label == hierarchy.root and len(hierarchy.labels) > 1:
                widths[value] = 1.0
            elif label is not None:
                width = _by_bounds(hierarchy, label) if hierarchy.bounds is not None else None
                if width is None and stated:
                    width = _by_values(hierarchy, label, shown.leaves_of(value))
                widths[value] = self._by_level(column, value) if width is None else width
        return widths

    def _by_level(self, column: int, value: int) -> float:
        level = min(self.view.place(column, value), self._height(column))
        return level / self._height(column)


def _by_bounds(hierarchy: Hierarchy, label: str) -> float | None:
    """The share of the grid that a range covers. What lies outside the grid is open to one side, and says nothing of how far."""
    grid = hierarchy.bounds[-1] if hierarchy.bounds is not None else (np.nan, np.nan)
    node = hierarchy.node(label)
    if node is not None and node < hierarchy.leaf_count:
        return 0.0
    low, high = hierarchy.bounds[node] if node is not None and hierarchy.bounds is not None else _bounds(label)
    if not (isfinite(low) and isfinite(high)):
        return 1.0
    whole = float(grid[1] - grid[0])
    return min(1.0, float(high - low) / whole) if whole > 0 and isfinite(whole) else None


def _bounds(label: str) -> tuple[float, float]:
    low, high, _ = span_of(label) or (None, None, False)
    return (float("-inf") if low is None else float(low), float("inf") if high is None else float(high))


def _by_values(hierarchy: Hierarchy, label: str, leaves: NDArray[np.int32]) -> float:
    """The share of the stated values that a label stands for besides one."""
    whole = hierarchy.leaf_count - (hierarchy.node(None) is not None)
    known = len(leaves) if node_of(hierarchy, label, leaves) is not None else len(listed_values(label)) or len(leaves)
    return float(Fraction(known - 1, whole - 1)) if whole > 1 else 0.0
