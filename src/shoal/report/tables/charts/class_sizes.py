"""How many people look the same: records by the size of the group they stand in, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.bins import label, lines
from shoal.report.charts.svg import (
    BLUR,
    FAINT,
    MUTED,
    RISK,
    RULE,
    SAFE,
    legend,
    line,
    picture,
    rect,
    text,
    text_width,
    ticks,
)
from shoal.report.words import count, number, percent

if TYPE_CHECKING:
    from shoal.report.facts import SizeBin
    from shoal.report.tables.figures import RiskFacts

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 440, 44, 436, 46, 206


def class_sizes(risk: RiskFacts, k: int) -> str:
    """Groups double or more from bar to bar, so the picture is logarithmic to the right. Groups below k stand on a ground."""
    bins = risk.sizes
    whole = 0 if risk.before is None else risk.before.records
    shares = [(_share(size.before, whole), _share(size.after, risk.after.records)) for size in bins]
    paired = risk.before is not None
    marks = ticks(max((share or 0 for pair in shares for share in pair), default=0) * 100)
    slot = (RIGHT - LEFT) / max(len(bins), 1)
    bar = min(slot * 0.36, 30)
    below = sum(1 for size in bins if size.low < k)
    before = [(RISK, "before: the data as it is")] if paired else []
    body = [legend(0, 12, *before, (SAFE, "after: the release"))]
    if below:
        body.append(rect(LEFT, TOP - 16, slot * below, BOTTOM - TOP + 16, BLUR))
        room = slot * below - 8
        words = f"groups below {k}"
        body.append(
            text(
                LEFT + slot * below - 6,
                TOP - 3,
                words if text_width(words, 11) <= room else f"below {k}",
                size=11,
                fill=MUTED,
                anchor="end",
                room=room,
            )
        )
    for mark in marks:
        y = BOTTOM - (BOTTOM - TOP) * mark / marks[-1]
        body.append(line(LEFT, y, RIGHT, y, RULE if mark == 0 else FAINT))
        body.append(text(LEFT - 8, y + 4, f"{mark:g} %", fill=MUTED, anchor="end"))
    for i, (size, (old, new)) in enumerate(zip(bins, shares, strict=True)):
        x = LEFT + slot * (i + 0.5)
        height = (BOTTOM - TOP) * 100 / marks[-1]
        if paired and old is None:
            body.append(text(x - bar / 2 - 1, BOTTOM - 5, "?", fill=RISK, anchor="middle"))
        elif paired and old:
            body.append(_bar(x - bar - 1, bar, old, height, RISK, f"before, {label(size)}: {percent(old)}"))
        if new:
            body.append(
                _bar(x + 1 if paired else x - bar / 2, bar, new, height, SAFE, f"after, {label(size)}: {percent(new)}")
            )
        for row, words in enumerate(lines(label(size), slot)):
            body.append(text(x, BOTTOM + 17 + 13 * row, words, size=11, anchor="middle"))
    words = "people who look the same (records in a group)"
    body.append(text((LEFT + RIGHT) / 2, BOTTOM + 52, words, fill=MUTED, anchor="middle"))
    masked = paired and any(old is None for old, _ in shares)
    if masked:
        note = f"? fewer than {k} records, or not shown because it would tell it"
        body.append(text(0, BOTTOM + 74, note, size=11, fill=MUTED))
    desc = "Records by group size. " + "; ".join(_said(size, k) for size in bins)
    title = f"People who look the same{', before and after' if paired else ''}"
    return picture(WIDTH, BOTTOM + (82 if masked else 60), title, desc, *body)


def _said(size: SizeBin, k: int) -> str:
    before = "" if size.before is None else f"{count(size.before, k)} before, "
    return f"{label(size)}: {before}{number(size.after)} after"


def _share(records: object, whole: int) -> float | None:
    if not isinstance(records, int):
        return None
    return records / whole if whole else 0.0


def _bar(x: float, width: float, share: float, full: float, colour: str, title: str) -> str:
    height = max(full * share, 1.5)
    words = "<1" if share < 0.01 else ">99" if 0.99 < share < 1 else f"{share * 100:.0f}"
    return rect(x, BOTTOM - height, width, height, colour, title=title) + text(
        x + width / 2, BOTTOM - height - 4, words, size=10, fill=MUTED, anchor="middle"
    )
