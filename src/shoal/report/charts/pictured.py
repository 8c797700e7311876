"""A picture with the same in a table, for those who cannot see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.report.charts.bins import label
from shoal.report.words import count, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.facts import SizeBin


@dataclass(frozen=True)
class Pictured:
    """`svgs`: one, or two that stand side by side. `head`, `rows`: the table; none where the words of the picture say it all."""

    title: str
    svgs: tuple[str, ...]
    note: str = ""
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def of_bins(title: str, svg: str, across: str, bins: Sequence[SizeBin], k: int, note: str = "") -> Pictured:
    """Numbers by ranges, before and after."""
    rows = tuple(
        (label(one), "not told" if one.before is None else count(one.before, k), number(one.after)) for one in bins
    )
    return Pictured(title, (svg,), note, (across, "Before", "After"), rows)
