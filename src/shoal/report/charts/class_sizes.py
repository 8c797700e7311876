"""How many people look the same: records by the size of the group they stand in, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.svg import BLUR, FAINT, MUTED, RISK, RULE, SAFE, legend, line, picture, rect, text, ticks
from shoal.report.words import count, number, percent

if TYPE_CHECKING:
    from shoal.report.facts import RiskFacts, SizeBin

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 52, 712, 44, 236


def class_sizes(risk: RiskFacts, k: int) -> str:
    bins = risk.sizes
    shares = [
        (
            size.before / risk.before.records if isinstance(size.before, int) and risk.before.records else None,
            size.after / risk.after.records if risk.after.records else 0.0,
        )
        for size in bins
    ]
    marks = ticks(max((share or 0 for pair in shares for share in pair), default=0) * 100)
    top = marks[-1]
    slot = (RIGHT - LEFT) / max(len(bins), 1)
    below = sum(1 for size in bins if size.low < k)
    body = [legend(LEFT, 14, (RISK, "before: the data as it is"), (SAFE, "after: the release"))]
    if below:
        body.append(rect(LEFT, TOP, slot * below, BOTTOM - TOP, BLUR))
        words = f"groups below {k}"
        body.append(text(LEFT + 6, TOP + 14, words, size=11, fill=MUTED, room=slot * below - 8))
    for mark in marks:
        y = BOTTOM - (BOTTOM - TOP) * mark / top
        body.append(line(LEFT, y, RIGHT, y, RULE if mark == 0 else FAINT))
        body.append(text(LEFT - 8, y + 4, f"{mark:g} %", size=11, fill=MUTED, anchor="end"))
    bar = min(slot * 0.36, 26)
    for i, (size, (old, new)) in enumerate(zip(bins, shares, strict=True)):
        x = LEFT + slot * (i + 0.5)
        if old is None:
            body.append(text(x - bar / 2 - 1, BOTTOM - 5, "?", size=11, fill=RISK, anchor="middle"))
        elif old:
            body.append(_bar(x - bar - 1, bar, old * 100 / top, RISK, f"before, {label(size)}: {percent(old)}"))
        if new:
            body.append(_bar(x + 1, bar, new * 100 / top, SAFE, f"after, {label(size)}: {percent(new)}"))
        body.append(text(x, BOTTOM + 17, label(size), size=11, anchor="middle", room=slot + 6))
    body.append(text((LEFT + RIGHT) / 2, BOTTOM + 38, "people who look the same (size of the group)", fill=MUTED, anchor="middle"))
    if any(old is None for old, _ in shares):
        note = f"? fewer than {k} records, or not shown because it would tell such a number"
        body.append(text(LEFT, BOTTOM + 58, note, size=11, fill=MUTED))
    desc = "Share of records by group size. " + "; ".join(
        f"{label(size)}: before {count(size.before, k)}, after {number(size.after)} records" for size in bins
    )
    return picture(WIDTH, HEIGHT, "People who look the same, before and after", desc, *body)


def label(size: SizeBin) -> str:
    """'1', '2–4', '1k–2k' would be ambiguous, so whole numbers: '1,000–1,999'; the last is open: '5,000+'."""
    if size.high is None:
        return f"{number(size.low)}+"
    return number(size.low) if size.low == size.high else f"{number(size.low)}–{number(size.high)}"


def _bar(x: float, width: float, share: float, colour: str, title: str) -> str:
    height = max((BOTTOM - TOP) * share, 1.5)
    return rect(x, BOTTOM - height, width, height, colour, title=title)
