"""A group that is too small: as many people as it has, and the places of those who are missing."""

from __future__ import annotations

from shoal.report.charts.svg import MUTED, RISK, circle, picture, rect, text
from shoal.report.words import number, plural

_MOST = 20  # that are drawn
_STEP, _HEIGHT = 30, 52


def people(there: int, promised: int) -> str:
    """Filled: those who are there; outlined: those who would have to look the same."""
    drawn = min(promised, _MOST)
    body = []
    for i in range(drawn):
        x = 14 + i * _STEP
        fill = RISK if i < there else "none"
        body.append(circle(x, 12, 7, fill, stroke=RISK if i < there else MUTED))
        body.append(rect(x - 9, 22, 18, 24, fill, stroke=RISK if i < there else MUTED, radius=8))
    if promised > drawn:
        body.append(text(14 + drawn * _STEP, 32, f"… {number(promised)}", fill=MUTED))
    words = f"{plural(there, 'record looks', 'records look')} the same; {number(promised)} are promised."
    return picture(
        14 + drawn * _STEP + (60 if promised > drawn else 0), _HEIGHT, "A group that is too small", words, *body
    )
