"""Small pictures of columns: the bars of a histogram in a line, and the tree of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.svg import CARD, INK, MUTED, RULE, SAFE, line, picture, rect, text
from shoal.report.words import number, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDTH, HEIGHT = 168, 44
_ROW, _STEP, _BOX, _TALL = 40, 26, 190, 28


def small_bars(bars: Sequence[tuple[str, int]], title: str) -> str:
    """Heights are shares of the highest; what has anybody at all can be seen."""
    top = max((records for _, records in bars), default=0)
    if not top:
        return ""
    slot = WIDTH / len(bars)
    gap = 2 if slot > 8 else 1 if slot > 4 else 0
    body = [line(0, HEIGHT - 0.5, WIDTH, HEIGHT - 0.5, RULE)]
    for place, (label, records) in enumerate(bars):
        tall = max(records / top * (HEIGHT - 2), 1.5) if records else 0
        if tall:
            people = f"{label}: {number(records)}"
            body.append(rect(place * slot + gap / 2, HEIGHT - 1 - tall, slot - gap, tall, SAFE, title=people))
    return picture(WIDTH, HEIGHT, title, f"{plural(len(bars), 'bar')}; the numbers are in the table.", *body)


def tree_of_classes(parents: Mapping[str, str | None], title: str) -> str:
    """Which class hangs below which, from the person on; one line each, indented."""
    order: list[tuple[str, int]] = []

    def place(above: str | None, depth: int) -> None:
        for name, parent in parents.items():
            if parent == above and all(name != seen for seen, _ in order):
                order.append((name, depth))
                place(name, depth + 1)

    place(None, 1)
    order += [(name, 1) for name in parents if all(name != seen for seen, _ in order)]  # hangs on nothing there is
    deepest = max((depth for _, depth in order), default=0)
    width = deepest * _STEP + _BOX + 2
    rows = {"": 0} | {name: row for row, (name, _) in enumerate(order, 1)}
    depths = {"": 0} | dict(order)
    body = []
    for name, depth in order:
        above = parents.get(name) or ""
        above = above if above in rows and depths[above] < depth else ""
        x, y = (depth - 1) * _STEP + 12, rows[name] * _ROW + _TALL / 2 + 1
        body.append(line(x, rows[above] * _ROW + _TALL + 1, x, y, MUTED))
        body.append(line(x, y, depth * _STEP + 1, y, MUTED))
    for name, row in rows.items():
        x, y = depths[name] * _STEP + 1, row * _ROW + 1
        body.append(rect(x, y, _BOX, _TALL, CARD, stroke=MUTED if name else INK, radius=6))
        body.append(text(x + 10, y + 19, name or "the person", size=13, room=_BOX - 20, bold=not name))
    told = "; ".join(f"{name} below {parents.get(name) or 'the person'}" for name, _ in order)
    return picture(width, len(rows) * _ROW, title, told, *body)
