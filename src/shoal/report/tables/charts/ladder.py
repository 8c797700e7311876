"""The ladder of a column: its steps from exact to fully hidden, with the one that is published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.svg import CARD, FAINT, MUTED, RULE, SAFE, line, picture, rect, text, text_width
from shoal.report.words import number, plural

if TYPE_CHECKING:
    from shoal.report.columns import ColumnFacts

WIDTH, HEIGHT = 420, 46
GAP, BOX = 6, 27
WIDEST = 104
NARROWEST_LABEL = 46  # a label cut shorter than this says nothing


def ladder(column: ColumnFacts) -> str:
    """Left exact, right hidden. The published step is filled, and takes the room its label needs before the others do."""
    rungs, level = column.ladder, column.level or 0
    names = [rung.example or ("exact" if i == 0 else f"step {i}") for i, rung in enumerate(rungs)]
    widths = _widths(len(rungs), level, text_width(names[level], 13) + 18)
    body = [line(2, 1 + BOX / 2, sum(widths) - GAP, 1 + BOX / 2, RULE)]
    x = 1.0
    for i, (rung, name, slot) in enumerate(zip(rungs, names, widths, strict=True)):
        chosen = i == level
        width = max(slot - GAP, 2)
        fill = SAFE if chosen else FAINT if i > level else CARD
        values = f"; {plural(rung.groups, 'different value')}" if rung.groups else ""
        title = f"step {i} of {len(rungs) - 1}: {name}{values}"
        body.append(rect(x, 1, width, BOX, fill, stroke=SAFE if chosen else RULE, radius=4, title=title))
        if chosen or text_width(name, 12) <= width - 6 or width > NARROWEST_LABEL:
            ink = CARD if chosen else MUTED
            body.append(
                text(x + width / 2, BOX / 2 + 5.5, name, fill=ink, anchor="middle", bold=chosen, room=width - 6)
            )
        if rung.groups and (chosen or width > text_width(number(rung.groups), 10)):
            body.append(text(x + width / 2, BOX + 14, number(rung.groups), size=10, fill=MUTED, anchor="middle"))
        x += slot
    desc = f"Step {level} of {len(rungs) - 1} is published. Steps: {', '.join(names)}"
    return picture(WIDTH, HEIGHT, f"Steps of blur of {column.name}", desc, *body)


def _widths(rungs: int, level: int, wanted: float) -> list[float]:
    even = min(WIDTH / rungs, WIDEST)
    chosen = max(even, min(wanted + GAP, 0.4 * WIDTH))
    others = min((WIDTH - chosen) / max(rungs - 1, 1), WIDEST)
    return [chosen if i == level else others for i in range(rungs)]
