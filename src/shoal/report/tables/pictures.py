"""Pictures of a table before and after: records by published value, and by how many look the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.pictured import Pictured, of_bins
from shoal.report.tables import charts
from shoal.report.words import MISSING, count, named, number

if TYPE_CHECKING:
    from shoal.report.tables.facts import Facts
    from shoal.report.tables.figures import Bar, Distribution

_HIDDEN = "A second figure counts records that are hidden. Before = published + hidden, at the same blur."
_OVERLAP = "Values overlap: the same original value is published in more or less detail, group by group."


def pictures(facts: Facts) -> tuple[Pictured, ...]:
    """A column each, then all of them together."""
    sizes = of_bins(
        "How many look the same",
        charts.class_sizes(facts.risk, facts.k),
        "Records that look the same",
        facts.risk.sizes,
        facts.k,
    )
    return (*(_distribution(one, facts.k) for one in facts.distributions), sizes)


def _distribution(of: Distribution, k: int) -> Pictured:
    rows = [_row(MISSING if bar.value is None else bar.value, bar, k) for bar in of.bars]
    if of.other is not None:
        rows.append(_row(f"{number(of.other_values)} other values", of.other, k))
    if of.gone != 0:
        rows.append(("not published", "0", count(of.gone, k)))
    note = _OVERLAP if of.overlapping else _HIDDEN
    return Pictured(
        named(of.column), (charts.distribution(of, k),), note, ("Value", "Published", "Hidden"), tuple(rows)
    )


def _row(value: str, bar: Bar, k: int) -> tuple[str, str, str]:
    return value, number(bar.published), "not told" if bar.suppressed is None else count(bar.suppressed, k)
