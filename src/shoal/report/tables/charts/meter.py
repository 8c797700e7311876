"""A small bar: the share of detail that a column keeps."""

from __future__ import annotations

from shoal.report.charts.svg import RULE, SAFE, picture, rect
from shoal.report.words import percent

WIDTH, HEIGHT = 72, 8


def meter(share: float) -> str:
    """How much of a share is there, as a bar."""
    words = f"{percent(share)} of the detail kept"
    return picture(
        WIDTH,
        HEIGHT,
        words,
        words,
        rect(0, 0, WIDTH, HEIGHT, RULE, radius=2),
        rect(0, 0, WIDTH * share, HEIGHT, SAFE, radius=2) if share > 0 else "",
    )
