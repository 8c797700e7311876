"""Pictures of item sets: records by the number of their items, items by how many hold them, records by threshold, items by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.bins import label
from shoal.report.charts.columns import before_and_after, columns
from shoal.report.charts.svg import MUTED, RISK, RULE, SAFE, legend, line, picture, rect, text
from shoal.report.words import number, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.facts import SizeBin
    from shoal.report.sets.facts import ItemBar, LabelBar, ThresholdBin

WIDTH, ROW, BAR, NAME = 440, 20, 13, 120


def set_sizes(bins: Sequence[SizeBin], k: int, *, base: bool) -> str:
    """Records by the number of their items. base: what is published is the base of a record."""
    after = "after: items of the published base" if base else "after: labels in the release"
    sides = ("before: items of the original", after)
    return before_and_after(bins, sides, "items of a record", "records", "Records by the number of their items", k)


def supports(bins: Sequence[SizeBin], k: int) -> str:
    """Items by the number of records that hold them."""
    sides = ("before: items of the original", "after: what the release shows")
    title = "Items by the number of records that hold them"
    return before_and_after(bins, sides, "records that hold it", "items", title, k)


def thresholds(bins: Sequence[ThresholdBin], k: int) -> str:
    """Published records by how far the original may be from their base."""
    return columns(
        [(label(one), None, one.records) for one in bins],
        ("", "published records"),
        "items in which the original may differ from the base, at most",
        "records",
        "Published records by how far the original may be from the base",
        k,
    )


def labels(bars: Sequence[LabelBar]) -> str:
    """Labels that stand for several items, by the published records that show them."""
    rows = [
        (bar.label, bar.records, number(bar.records) + (f" (any of {number(bar.items)} items)" if bar.items else ""))
        for bar in bars
    ]
    most = max((records for _, records, _ in rows), default=1)
    scale = (WIDTH - 150 - NAME) / max(most, 1)
    body = [line(NAME, 2, NAME, ROW * len(rows) + 2, RULE)]
    for i, (name, records, words) in enumerate(rows):
        y = ROW * i + 4
        body.append(text(NAME - 8, y + 11, name, anchor="end", room=NAME - 12))
        body.append(rect(NAME, y, max(records * scale, 1), BAR, SAFE, title=f"{name}: {words}"))
        body.append(text(NAME + records * scale + 6, y + 11, words, size=11, fill=MUTED))
    desc = "; ".join(f"{name}: {words}" for name, _, words in rows)
    return picture(WIDTH, ROW * len(rows) + 6, "Labels that stand for several items, by records", desc, *body)


def frequent_items(bars: Sequence[ItemBar], published: int) -> str:
    """The items that most bases show: how many held them before, where that is told, and how many bases do."""
    rows = [(bar.item, bar.before, bar.published / published if published else 0.0) for bar in bars]
    most = max((max(before or 0.0, after) for _, before, after in rows), default=1.0)
    scale = (WIDTH - 80 - NAME) / max(most, 1e-9)
    paired = any(before is not None for _, before, _ in rows)
    before_key = [(RISK, "hold it in the original")] if paired else []
    body = [legend(0, 12, *before_key, (SAFE, "have it in their published base"))]
    body.append(line(NAME, 22, NAME, 1.4 * ROW * len(rows) + 24, RULE))
    desc: list[str] = []
    for i, (name, before, after) in enumerate(rows):
        y = 1.4 * ROW * i + 26
        body.append(text(NAME - 8, y + 14, name, anchor="end", room=NAME - 12))
        words, spoken = f"{after * 100:.0f} %", f"{percent(after)} after"
        if before is not None:
            body.append(rect(NAME, y, max(before * scale, 1), 9, RISK, title=f"{name}, before: {percent(before)}"))
            words, spoken = f"{before * 100:.0f} → {words}", f"{percent(before)} before, {spoken}"
        body.append(
            rect(
                NAME,
                y + 11 if paired else y + 5,
                max(after * scale, 1),
                9,
                SAFE,
                title=f"{name}, after: {percent(after)}",
            )
        )
        body.append(text(NAME + max(before or 0.0, after) * scale + 6, y + 14, words, size=11, fill=MUTED))
        desc.append(f"{name}: {spoken}")
    title = f"Items of the published bases{', before and after' if paired else ''}"
    return picture(WIDTH, 1.4 * ROW * len(rows) + 30, title, "; ".join(desc), *body)
