"""Records, items or labels by a number that is counted of each, before and after: two columns at each place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.bins import label, lines
from shoal.report.charts.svg import FAINT, INK, MUTED, RISK, RULE, SAFE, legend, line, picture, rect, text, ticks
from shoal.report.words import count, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.report.facts import SizeBin
    from shoal.report.masking import Count

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 440, 44, 436, 40, 190


def before_and_after(
    bins: Sequence[SizeBin], words: tuple[str, str], across: str, what: str, title: str, k: int
) -> str:
    """words: of the two sides, in the legend. Nothing is drawn of before where nothing is told of it."""
    before = "" if all(one.before is None for one in bins) else words[0]
    return columns([(label(one), one.before, one.after) for one in bins], (before, words[1]), across, what, title, k)


def columns(
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
    body = [legend(0, 12, *([(RISK, words[0])] if paired else []), (SAFE, words[1]))]
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
            text(
                0,
                BOTTOM + 72,
                f"? fewer than {k}, or not shown because it would tell such a number",
                size=11,
                fill=MUTED,
            )
        )
    desc = "; ".join(
        f"{name}: {f'{count(before, k)} before, ' if before is not None else ''}{number(after)} after"
        for name, before, after in bins
    )
    title = f"{title}, before and after" if paired else title
    return picture(WIDTH, BOTTOM + (80 if masked else 58), title, f"{what.capitalize()} by {across}. {desc}", *body)
