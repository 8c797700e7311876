"""The ladder of a column: its levels from exact to fully hidden, with the one that is published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.svg import BLUR, CARD, INK, MUTED, RULE, SAFE, line, picture, rect, text
from shoal.report.words import number, plural

if TYPE_CHECKING:
    from shoal.report.facts import ColumnFacts

WIDTH, HEIGHT = 560, 44
GAP, BOX, WIDEST = 8, 26, 132


def ladder(column: ColumnFacts) -> str:
    """Levels left (exact) to right (hidden); those left of the published one are given up, it is filled."""
    rungs = column.ladder
    slot = min(WIDTH / len(rungs), WIDEST)
    gap = GAP if slot > 3 * GAP else 2
    level = column.level or 0
    body = [line(2, 1 + BOX / 2, slot * len(rungs) - gap, 1 + BOX / 2, RULE)]
    for i, rung in enumerate(rungs):
        chosen = i == level
        x, width = slot * i + 1, slot - gap
        fill = SAFE if chosen else BLUR if i > level else CARD
        words = rung.example or ("exact" if i == 0 else f"level {i}")
        title = f"level {i} of {len(rungs) - 1}: {words}; {plural(rung.groups, 'different value')}"
        body.append(rect(x, 1, width, BOX, fill, stroke=SAFE if chosen else RULE, radius=4, title=title))
        if width > 26:
            ink = CARD if chosen else MUTED if i < level else INK
            body.append(text(x + width / 2, 1 + BOX / 2 + 4, words, fill=ink, anchor="middle", bold=chosen, room=width - 8))
        if width > 26 or chosen or i in (0, len(rungs) - 1):
            body.append(text(x + width / 2, BOX + 14, number(rung.groups), size=10, fill=MUTED, anchor="middle"))
    desc = f"Level {level} of {len(rungs) - 1} is published. Levels: " + ", ".join(rung.example or "–" for rung in rungs)
    return picture(WIDTH, HEIGHT, f"Levels of {column.name}", desc, *body)
