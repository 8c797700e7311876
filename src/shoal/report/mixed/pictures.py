"""Pictures of a mixed table before and after: those of a table, and those of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.sets.pictures import of_items, widest
from shoal.report.tables import pictures as tables
from shoal.report.words import named

if TYPE_CHECKING:
    from shoal.report.charts.pictured import Pictured
    from shoal.report.mixed.facts import MixedFacts


def pictures(facts: MixedFacts) -> tuple[Pictured, ...]:
    """Single values first."""
    return (
        *tables.pictures(facts),
        *of_items(facts.set_sizes, facts.supports, facts.k, base=False),
        *(widest(f"{named(one.name)}: labels", one.labels.widest) for one in facts.sets if one.labels.widest),
    )
