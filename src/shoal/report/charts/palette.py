"""The colours of pages and pictures, on light ground and on dark. Paper is light.

Pictures carry the light colours as attributes, so that they can stand alone; on a dark screen the style of the page puts the dark
ones in their place. `tests/unit/report/test_report_colours.py` holds the contrast of both.
"""

from __future__ import annotations

LIGHT = {
    "ink": "#1b2430",
    "muted": "#55606e",
    "rule": "#d9dee5",
    "faint": "#eef1f4",
    "card": "#ffffff",
    "ground": "#f6f7f9",
    "safe": "#00608f",  # what is published
    "risk": "#b5400e",  # what was, or what is at risk
    "risk-soft": "#e3a27f",
    "blur": "#fdf0d9",  # what is blurred, or too small
    "alarm": "#fff4ee",  # the ground of what must not be overlooked
    "tint-1": "#7fb3d0",  # steps between exact and hidden
    "tint-2": "#9ec6dc",
    "tint-3": "#bdd8e8",
    "tint-4": "#dcebf3",
}

DARK = {
    "ink": "#e6e9ee",
    "muted": "#a6b0bc",
    "rule": "#39424e",
    "faint": "#2a313a",
    "card": "#1d2229",
    "ground": "#14181d",
    "safe": "#56b4e9",
    "risk": "#f5935a",
    "risk-soft": "#7d4322",
    "blur": "#3d2f17",
    "alarm": "#33231a",
    "tint-1": "#2c6789",
    "tint-2": "#285a77",
    "tint-3": "#254d65",
    "tint-4": "#234253",
}


def variables(colours: dict[str, str]) -> str:
    """As custom properties of a style sheet: '--ink: #1b2430; …'."""
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


def pictures_in_the_dark() -> str:
    """Rules that give every light colour of a picture its dark counterpart; a style wins over an attribute."""
    return "\n  ".join(
        f'svg [{part}="{colour}"] {{ {part}: {DARK[name]}; }}'
        for name, colour in LIGHT.items()
        for part in ("fill", "stroke")
    )
