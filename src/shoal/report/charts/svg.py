"""Drawing: SVG as text. Colours are presentation attributes, text stays text, nothing refers to anything outside."""

from __future__ import annotations

import math
import unicodedata
from xml.sax.saxutils import escape, quoteattr

from shoal.report.charts.palette import LIGHT
from shoal.report.words import clean

INK, MUTED, RULE, FAINT, CARD = (LIGHT[name] for name in ("ink", "muted", "rule", "faint", "card"))
SAFE, RISK, RISK_SOFT, BLUR = (LIGHT[name] for name in ("safe", "risk", "risk-soft", "blur"))
TINTS = tuple(LIGHT[f"tint-{step}"] for step in range(1, 5))  # the further blurred, the lighter

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', 'Noto Sans', sans-serif"


def picture(width: float, height: float, title: str, desc: str, *body: str) -> str:
    """A whole picture, with a title and a description for those who cannot see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" '
        f'height="{_n(height)}" role="img" aria-label={_attribute(title)} font-family={_attribute(FONT)} font-size="12">'
        f"<title>{safe(title)}</title><desc>{safe(desc)}</desc>{''.join(body)}</svg>"
    )


def safe(text: str) -> str:
    """Text that can stand between tags and in attributes."""
    return escape(clean(text), {'"': "&quot;", "'": "&#39;"})


def text(
    x: float,
    y: float,
    content: str,
    *,
    size: float = 12,
    fill: str = INK,
    anchor: str = "start",
    bold: bool = False,
    room: float | None = None,
) -> str:
    """A line of text. With `room` (pixels) it is cut to fit, and the whole text is its title."""
    visible = content if room is None else fit(content, room, size)
    whole = f"<title>{safe(content)}</title>" if visible != content else ""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" fill="{fill}" text-anchor="{anchor}"{weight}>'
        f"{whole}{safe(visible)}</text>"
    )


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str,
    *,
    stroke: str = "none",
    radius: float = 0,
    title: str = "",
) -> str:
    """With a title for those who point at it."""
    round_off = f' rx="{_n(radius)}"' if radius else ""
    start = (
        f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(max(width, 0))}" height="{_n(max(height, 0))}" '
        f'fill="{fill}" stroke="{stroke}"{round_off}'
    )
    return f"{start}><title>{safe(title)}</title></rect>" if title else f"{start}/>"


def line(
    x1: float, y1: float, x2: float, y2: float, stroke: str = RULE, *, width: float = 1, dashed: bool = False
) -> str:
    """From one point to another."""
    dashes = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" stroke="{stroke}" '
        f'stroke-width="{_n(width)}"{dashes}/>'
    )


def polyline(points: list[tuple[float, float]], stroke: str, *, width: float = 2) -> str:
    """A line through several points, not filled."""
    path = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{stroke}" stroke-width="{_n(width)}"/>'


def circle(x: float, y: float, radius: float, fill: str, *, stroke: str = "none", title: str = "") -> str:
    """With a title for those who point at it."""
    start = f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" fill="{fill}" stroke="{stroke}" stroke-width="2"'
    return f"{start}><title>{safe(title)}</title></circle>" if title else f"{start}/>"


def legend(x: float, y: float, *entries: tuple[str, str]) -> str:
    """Coloured squares with words, in one line."""
    parts = []
    for colour, words in entries:
        parts.append(rect(x, y - 9, 10, 10, colour, radius=2) + text(x + 15, y, words, fill=MUTED))
        x += 15 + text_width(words, 12) + 20
    return "".join(parts)


def fit(content: str, room: float, size: float = 12) -> str:
    """The text, or as much of its start as fits into `room` pixels with an ellipsis. Combining marks are not torn off."""
    if text_width(content, size) <= room:
        return content
    end, used = 0, text_width("…", size)
    for i, char in enumerate(content):
        used += _advance(char) * size
        if used > room:
            break
        end = i + 1
    while 0 < end < len(content) and unicodedata.combining(content[end]):
        end -= 1
    return content[:end].rstrip() + "…"


def text_width(content: str, size: float) -> float:
    """An estimate on the wide side, since the reader's font is not known."""
    return sum(_advance(char) for char in content) * size


def ticks(top: float, most: int = 5) -> list[float]:
    """Round numbers from 0 up to the first that reaches `top`, `most` steps or fewer."""
    if top <= 0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(top / most))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if top / (factor * power) <= most + 1e-9)
    return [i * step for i in range(math.ceil(top / step - 1e-9) + 1)]


def _advance(char: str) -> float:
    if unicodedata.combining(char):
        return 0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    if char in "iljtfrI.,:;'|![]() ":
        return 0.36
    return 0.86 if char in "mwMW@%—…" else 0.7 if char.isupper() else 0.61


def _attribute(value: str) -> str:
    return quoteattr(clean(value))


def _n(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
