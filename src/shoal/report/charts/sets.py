"""Pictures of item sets: records by the number of their items, items by how many hold them, records by threshold, items by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.bins import label, lines
from shoal.report.charts.svg import (
    FAINT,
    INK,
    MUTED,
    RISK,
    RULE,
    SAFE,
    legend,
    line,
    picture,
    rect,
    text,
    ticks,
)
from shoal.report.words import count, number, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.facts import SizeBin
    from shoal.report.masking import Count
    from shoal.report.set_facts import ItemBar, LabelBar, ThresholdBin

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 860, 60, 852, 46, 226
ROW, BAR, NAME = 21, 13, 200


def set_sizes(bins: Sequence[SizeBin], k: int, *, base: bool) -> str:
    """base: what is published is the base of a record."""
    after = "after: items of the published base" if base else "after: labels in the release"
    return _columns(
        [(label(one), one.before, one.after) for one in bins],
        ("before: items of the original", after),
        "items of a record",
        "records",
        "Records by the number of their items, before and after",
        k,
    )


def node_counts(bins: Sequence[SizeBin], k: int) -> str:
    """Of trees."""
    return _columns(
        [(label(one), one.before, one.after) for one in bins],
        ("before: nodes of the original", "after: nodes in the release"),
        "nodes of a record",
        "records",
        "Records by the number of their nodes, before and after",
        k,
    )


def supports(bins: Sequence[SizeBin], k: int) -> str:
    return _columns(
        [(label(one), one.before, one.after) for one in bins],
        ("before: items of the original", "after: what the release shows"),
        "records that hold it",
        "items",
        "Items by the number of records that hold them, before and after",
        k,
    )


def thresholds(bins: Sequence[ThresholdBin], k: int) -> str:
    return _columns(
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
    scale = (WIDTH - 220 - NAME) / max(most, 1)
    body = [line(NAME, 2, NAME, ROW * len(rows) + 2, RULE)]
    for i, (name, records, words) in enumerate(rows):
        y = ROW * i + 4
        body.append(text(NAME - 8, y + 11, name, anchor="end", room=NAME - 12))
        body.append(rect(NAME, y, max(records * scale, 1), BAR, SAFE, title=f"{name}: {words}"))
        body.append(text(NAME + records * scale + 6, y + 11, words, size=11, fill=MUTED))
    desc = "; ".join(f"{name}: {words}" for name, _, words in rows)
    return picture(WIDTH, ROW * len(rows) + 6, "Labels that stand for several items, by records", desc, *body)


def frequent_items(bars: Sequence[ItemBar], published: int) -> str:
    """The items that most bases show: how many held them before, and how many bases do."""
    rows = [(bar.item, bar.before, bar.published / published if published else 0.0) for bar in bars]
    most = max((max(before, after) for _, before, after in rows), default=1.0)
    scale = (WIDTH - 120 - NAME) / max(most, 1e-9)
    body = [legend(NAME, 14, (RISK, "hold it in the original"), (SAFE, "have it in their published base"))]
    body.append(line(NAME, 22, NAME, 1.4 * ROW * len(rows) + 24, RULE))
    for i, (name, before, after) in enumerate(rows):
        y = 1.4 * ROW * i + 26
        body.append(text(NAME - 8, y + 14, name, anchor="end", room=NAME - 12))
        body.append(rect(NAME, y, max(before * scale, 1), 9, RISK, title=f"{name}, before: {percent(before)}"))
        body.append(rect(NAME, y + 11, max(after * scale, 1), 9, SAFE, title=f"{name}, after: {percent(after)}"))
        words = f"{before * 100:.0f} → {after * 100:.0f} %"
        body.append(text(NAME + max(before, after) * scale + 6, y + 14, words, size=11, fill=MUTED))
    desc = "; ".join(f"{name}: {percent(before)} before, {percent(after)} after" for name, before, after in rows)
    return picture(WIDTH, 1.4 * ROW * len(rows) + 30, "Items of the published bases, before and after", desc, *body)


def _columns(
    bins: Sequence[tuple[str, Count | None, int]],
    words: tuple[str, str],
    across: str,
    what: str,
    title: str,
    k: int,
) -> str:
    """Two bars at each place, or one where nothing is known of before; heights are shares of their own total."""
    # a masked cell is part of the total, which is not needed exactly to draw
    old_total = sum(before for _, before, _ in bins if isinstance(before, int)) or 1
    new_total = sum(after for _, _, after in bins) or 1
    paired = bool(words[0])
    shares = [(before / old_total if isinstance(before, int) else None, after / new_total) for _, before, after in bins]
    marks = ticks(max((share or 0 for pair in shares for share in pair), default=0) * 100)
    slot = (RIGHT - LEFT) / max(len(bins), 1)
    bar = min(slot * 0.36, 30)
    full = (BOTTOM - TOP) * 100 / marks[-1]
    body = [legend(LEFT, 14, *([(RISK, words[0])] if paired else []), (SAFE, words[1]))]
    for mark in marks:
        y = BOTTOM - (BOTTOM - TOP) * mark / marks[-1]
        body.append(line(LEFT, y, RIGHT, y, RULE if mark == 0 else FAINT))
        body.append(text(LEFT - 8, y + 4, f"{mark:g} %", fill=MUTED, anchor="end"))
    for i, ((name, before, after), (old, new)) in enumerate(zip(bins, shares, strict=True)):
        x = LEFT + slot * (i + 0.5)
        if paired and not isinstance(before, int):
            body.append(text(x - bar / 2 - 1, BOTTOM - 5, "?", fill=RISK, anchor="middle"))
        elif paired and old:
            body.append(
                rect(
                    x - bar - 1,
                    BOTTOM - max(old * full, 1.5),
                    bar,
                    max(old * full, 1.5),
                    RISK,
                    title=f"before, {name}: {number(int(before or 0))} {what}",
                )
            )
        if new:
            left = x + 1 if paired else x - bar / 2
            body.append(
                rect(
                    left,
                    BOTTOM - max(new * full, 1.5),
                    bar,
                    max(new * full, 1.5),
                    SAFE,
                    title=f"after, {name}: {number(after)} {what}",
                )
            )
        for row, part in enumerate(lines(name, slot)):
            body.append(text(x, BOTTOM + 17 + 13 * row, part, size=11, fill=INK, anchor="middle"))
    body.append(text((LEFT + RIGHT) / 2, BOTTOM + 50, across, fill=MUTED, anchor="middle"))
    masked = paired and any(not isinstance(before, int) for _, before, _ in bins)
    if masked:
        body.append(
            text(LEFT, BOTTOM + 72, f"? fewer than {k}, or not shown because it would tell such a number", fill=MUTED)
        )
    desc = "; ".join(
        f"{name}: {f'{count(before, k)} before, ' if before is not None else ''}{number(after)} after"
        for name, before, after in bins
    )
    return picture(WIDTH, BOTTOM + (80 if masked else 58), title, f"{what.capitalize()} by {across}. {desc}", *body)
