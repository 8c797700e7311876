"""How many people look the same, as the data are today: people by the size of the group that they stand in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.report.charts.bins import label, lines
from shoal.report.charts.svg import FAINT, INK, MUTED, RISK, RULE, SAFE, legend, line, picture, rect, text, ticks
from shoal.report.words import number, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 560, 48, 556, 34, 214


@dataclass(frozen=True)
class Groups:
    """Groups of `low` to `high` people, both included."""

    low: int
    high: int | None
    classes: int
    records: int

    @property
    def label(self) -> str:
        """'1', '5–9', '100+'."""
        return label(self)


def group_sizes(sizes: Sequence[Groups], k: int) -> str:
    """k: from which size on a group is large enough; smaller ones have another colour, and end in words of their own."""
    total = sum(one.records for one in sizes) or 1
    marks = ticks(max((one.records / total for one in sizes), default=0) * 100)
    slot = (RIGHT - LEFT) / max(len(sizes), 1)
    bar = min(slot * 0.7, 52)
    body = [legend(0, 12, (RISK, f"fewer than {k} look the same"), (SAFE, f"{k} or more"))]
    for mark in marks:
        y = BOTTOM - (BOTTOM - TOP) * mark / marks[-1]
        body.append(line(LEFT, y, RIGHT, y, RULE if mark == 0 else FAINT))
        body.append(text(LEFT - 8, y + 4, f"{mark:g} %", fill=MUTED, anchor="end"))
    for place, one in enumerate(sizes):
        x, high = LEFT + slot * (place + 0.5), (BOTTOM - TOP) * one.records / total * 100 / marks[-1]
        words = f"groups of {label(one)}: {plural(one.records, 'person', 'people')}"
        if one.records:
            high = max(high, 1.5)
            body.append(rect(x - bar / 2, BOTTOM - high, bar, high, RISK if one.low < k else SAFE, title=words))
        for row, part in enumerate(lines(label(one), slot)):
            body.append(text(x, BOTTOM + 17 + 13 * row, part, size=11, fill=INK, anchor="middle"))
    body.append(text((LEFT + RIGHT) / 2, BOTTOM + 50, "people who look the same", fill=MUTED, anchor="middle"))
    desc = "; ".join(f"groups of {label(one)}: {number(one.records)} people" for one in sizes)
    return picture(WIDTH, BOTTOM + 58, "People by the size of their group", desc, *body)
