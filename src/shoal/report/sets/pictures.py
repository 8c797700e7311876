"""Pictures of item sets before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.pictured import Pictured, of_bins
from shoal.report.sets import charts
from shoal.report.words import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.facts import SizeBin
    from shoal.report.sets.facts import LabelBar, SetFacts


def pictures(facts: SetFacts) -> tuple[Pictured, ...]:
    """How many items a record has, how many records an item, and which labels stand for several items."""
    labels = facts.labels
    return (
        *of_items(facts.set_sizes, facts.supports, facts.k, base=facts.matching is not None),
        *((widest("Labels that stand for several items", labels.widest),) if labels and labels.widest else ()),
    )


def of_items(sizes: Sequence[SizeBin], supports: Sequence[SizeBin], k: int, *, base: bool) -> tuple[Pictured, ...]:
    """Of records and of items, before and after."""
    return (
        of_bins("How many items a record has", charts.set_sizes(sizes, k, base=base), "Items of a record", sizes, k),
        of_bins("How many records hold an item", charts.supports(supports, k), "Records that hold it", supports, k),
    )


def widest(title: str, bars: Sequence[LabelBar]) -> Pictured:
    """Labels, with the records that show them."""
    rows = tuple((bar.label, number(bar.items), number(bar.records)) for bar in bars)
    return Pictured(title, (charts.labels(bars),), "", ("Label", "Items", "Records"), rows)
