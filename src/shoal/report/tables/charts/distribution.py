"""Records per published value of one column: what is published, and what was hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.svg import INK, MUTED, RISK, RULE, SAFE, line, picture, rect, text
from shoal.report.masking import BELOW_K, Count
from shoal.report.words import MISSING, count, number

if TYPE_CHECKING:
    from shoal.report.tables.figures import Bar, Distribution

WIDTH, LEFT, RIGHT = 440, 128, 320
ROW, BAR = 21, 13


def distribution(of: Distribution, k: int) -> str:
    """Where nothing is told of hidden records, nothing is drawn of them."""
    rows: list[tuple[str, int, Count, bool]] = [
        (_label(bar), bar.published, bar.suppressed or 0, False) for bar in of.bars
    ]
    if of.other is not None:
        kind = "wider" if of.within else "other"
        words = f"{number(of.other_values)} {kind} value{'s' if of.other_values != 1 else ''}"
        rows.append((words, of.other.published, of.other.suppressed or 0, True))
    if of.gone != 0:
        rows.append(("not published", 0, of.gone, True))
    untold = any(bar.suppressed is None for bar in of.bars)

    def told(name: str, published: int, hidden: Count) -> str:
        return f"{name}: {number(published)} published{'' if untold else f', {count(hidden, k)} hidden'}"

    most = max((published + (hidden if isinstance(hidden, int) else 0) for _, published, hidden, _ in rows), default=1)
    scale = (RIGHT - LEFT) / max(most, 1)
    body = [line(LEFT, 2, LEFT, ROW * len(rows) + 2, RULE)]
    for i, (name, published, hidden, aside) in enumerate(rows):
        y = ROW * i + 4
        body.append(text(LEFT - 8, y + 11, name, fill=MUTED if aside else INK, anchor="end", room=LEFT - 12))
        width = published * scale
        title = told(name, published, hidden)
        if published:
            body.append(rect(LEFT, y, max(width, 1), BAR, SAFE, title=title))
        if isinstance(hidden, int) and hidden:
            extra = max(hidden * scale, 1)
            body.append(rect(LEFT + width, y, extra, BAR, RISK, title=title))
            width += extra
        body.append(
            text(LEFT + width + 6, y + 11, _words(published, hidden, k), size=11, room=WIDTH - LEFT - width - 6)
        )
    desc = "; ".join(told(name, published, hidden) for name, published, hidden, _ in rows)
    return picture(WIDTH, ROW * len(rows) + 6, f"Records by published value of {of.column}", desc, *body)


def _label(bar: Bar) -> str:
    return MISSING if bar.value is None else bar.value


def _words(published: int, hidden: Count, k: int) -> str:
    if hidden == 0:
        return number(published)
    if published == 0:
        return f"{count(hidden, k)} hidden"
    return f"{number(published)} + {_short(hidden, k)}"


def _short(hidden: Count, k: int) -> str:
    return number(hidden) if isinstance(hidden, int) else f"<{k}" if hidden == BELOW_K else "?"
