"""Safety and detail: releases by the chance that an attacker picks out a person, and by the detail lost. Points can be links."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shoal.report.charts.svg import (
    CARD,
    FAINT,
    FONT,
    INK,
    MUTED,
    RISK,
    RULE,
    SAFE,
    circle,
    line,
    polyline,
    rect,
    safe,
    text,
    ticks,
)
from shoal.report.steward.choices import point_words
from shoal.report.words import number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shoal.report.steward.choices import Choices

WIDTH, HEIGHT = 620, 400
LEFT, RIGHT, TOP, BOTTOM = 76, 596, 16, 330
APART = 25.0  # pixels between two links at least: smaller targets are hard to hit


def choices_plot(
    choices: Choices,
    chosen: int | None = None,
    *,
    link: Callable[[int], str] | None = None,
    title: str = "Safety and detail",
) -> str:
    """chosen: the place of the point that is looked at. link: the attributes of a link to a point, drawn up and escaped by whoever
    knows the address; points too close to another are dots, and the table beside the picture has them all."""
    scale = _Scale(choices)
    places = [scale.place(point.k, point.loss) for point in choices.points]
    body = [*scale.axes(choices)]
    body += [circle(*scale.place(k, loss), 2.5, RULE) for k, loss in choices.others]
    best = [place for place, point in zip(places, choices.points, strict=True) if choices.is_best(point)]
    if len(best) > 1:
        body.append(polyline(best, SAFE, width=1.5))
    x, y = scale.place(1, 0.0)
    body.append(line(x - 5, y - 5, x + 5, y + 5, RISK, width=2.5) + line(x - 5, y + 5, x + 5, y - 5, RISK, width=2.5))
    body.append(text(x - 10, y - 9, "your data today", size=12, fill=MUTED, anchor="end"))
    linked = _spread(places, chosen)
    body += [circle(*place, 3, SAFE) for at, place in enumerate(places) if at not in linked]
    for at in linked:
        px, py = places[at]
        mark = circle(px, py, 6 if at != chosen else 7, CARD if at != chosen else SAFE, stroke=SAFE)
        if at == chosen:
            mark = rect(px - 13, py - 13, 26, 26, "none", stroke=RISK) + mark
        words = point_words(choices, choices.points[at])
        if link is None:
            body.append(f"<g>{mark}<title>{safe(words)}</title></g>")
        else:
            current = ' aria-current="true"' if at == chosen else ""
            target = f'<rect x="{px - 12:.1f}" y="{py - 12:.1f}" width="24" height="24" fill="transparent"/>'
            body.append(
                f'<a {link(at)} aria-label="{safe(words)}"{current}>{target}{mark}<title>{safe(words)}</title></a>'
            )
    role = "img" if link is None else "group"  # what is inside a picture cannot be reached
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="{role}" '
        f'aria-label="{safe(title)}" font-family="{safe(FONT)}" font-size="12">'
        f"<desc>{safe(_desc(choices))}</desc>{''.join(body)}</svg>"
    )


class _Scale:
    """The chance by its logarithm, safer to the left; the loss upwards."""

    def __init__(self, choices: Choices) -> None:
        ks = [point.k for point in choices.points] + [k for k, _ in choices.others]
        self._decades = max(1, math.ceil(math.log10(max([*ks, 10])) - 1e-9))
        losses = [point.loss for point in choices.points] + [loss for _, loss in choices.others]
        self._marks = [0, 0.25, 0.5, 0.75, 1.0] if choices.share else ticks(max([*losses, 1e-9]))

    def place(self, k: int, loss: float) -> tuple[float, float]:
        x = RIGHT - (RIGHT - LEFT) * math.log10(max(k, 1)) / self._decades
        return x, BOTTOM - (BOTTOM - TOP) * loss / self._marks[-1]

    def axes(self, choices: Choices) -> list[str]:
        body = []
        for mark in self._marks:
            _, y = self.place(1, mark)
            body.append(line(LEFT, y, RIGHT, y, RULE if mark == 0 else FAINT))
            words = f"{mark * 100:g} %" if choices.share else f"{mark:g}"
            body.append(text(LEFT - 8, y + 4, words, size=11, fill=MUTED, anchor="end"))
        for power in range(self._decades + 1):
            x, _ = self.place(10**power, 0)
            words = f"1 in {number(10**power)}"
            anchor = "end" if power == 0 else "middle"
            body.append(line(x, TOP, x, BOTTOM, FAINT))
            if power == 0 or self._decades <= 6 or power % 2 == 0:
                body.append(text(x + (12 if power == 0 else 0), BOTTOM + 18, words, size=11, fill=MUTED, anchor=anchor))
        across = (
            "highest chance that an attacker picks out a person (safer ←)"
            if choices.letter == "k"
            else "highest chance that an attacker guesses a private fact (safer ←)"
        )
        body.append(text((LEFT + RIGHT) / 2, BOTTOM + 44, across, size=12, fill=INK, anchor="middle"))
        upwards = "detail lost (better ↓)" if choices.share else "loss (better ↓)"
        middle = (TOP + BOTTOM) / 2
        body.append(
            f'<text transform="rotate(-90 18 {middle})" x="18" y="{middle}" font-size="12" fill="{INK}" text-anchor="middle">'
            f"{safe(upwards)}</text>"
        )
        return body


def _spread(places: Sequence[tuple[float, float]], chosen: int | None) -> list[int]:
    """Points that can be hit without hitting another, in their order; the chosen one and the ends before all."""
    first = [at for at in (chosen, 0, len(places) - 1) if at is not None and 0 <= at < len(places)]
    kept: list[int] = []
    for at in dict.fromkeys([*first, *range(len(places))]):
        x, y = places[at]
        if all(max(abs(x - places[k][0]), abs(y - places[k][1])) >= APART for k in kept):
            kept.append(at)
    return sorted(kept)


def _desc(choices: Choices) -> str:
    listed = "; ".join(point_words(choices, point) for point in choices.points[:40])
    return f"Releases from the least safe to the safest: {listed}." if listed else "There is no release."
