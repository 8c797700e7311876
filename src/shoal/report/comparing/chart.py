"""Methods side by side by one loss: a dot for each, the least filled, and the line below which nothing can be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shoal.report.charts.svg import (
    CARD,
    FAINT,
    INK,
    MUTED,
    RISK,
    RULE,
    SAFE,
    circle,
    line,
    picture,
    rect,
    text,
    text_width,
    ticks,
)
from shoal.report.words import floor_words, listed, number, percent

if TYPE_CHECKING:
    from shoal.report.comparing.facts import ComparedLoss, CompareFacts, MethodFacts

WIDTH, LEFT, RIGHT = 800, 132, 560
TOP, ROW = 78, 34
_WIDE = 20  # when the largest is so many times the least, only a logarithmic scale shows both


def compare(facts: CompareFacts, loss: ComparedLoss) -> str:
    """A bar for each method by one loss, the proved floor as a line."""
    losses = [of.losses[loss.name] for of in facts.methods if of.outcome != "none" and loss.name in of.losses]
    floor = facts.floor if loss is facts.chosen else None
    scale = _Scale(loss, [*losses, *([floor] if floor else [])])
    bottom = TOP + ROW * len(facts.methods)
    promised = listed(facts.promises)
    body = [
        text(16, 24, loss.title, size=16, bold=True),
        text(16, 44, f"{number(facts.records)} records; {promised}; less is better", fill=MUTED, room=WIDTH - 32),
    ]
    for value in scale.marks:
        x = scale.x(value)
        body.append(line(x, TOP - 10, x, bottom, FAINT if value != scale.marks[0] else RULE))
        body.append(text(x, bottom + 18, scale.mark(value), fill=MUTED, anchor="middle"))
    if floor:
        x = scale.x(floor)
        body.append(line(x, TOP - 14, x, bottom, RISK, dashed=True))
        words = f"no release can lose less than {loss.figure(floor)}"
        body.append(text(x + 5, TOP - 14, words, size=11, fill=RISK, room=WIDTH - x - 16))
    for i, of in enumerate(facts.methods):
        body += _row(facts, loss, of, scale, TOP + ROW * i + ROW / 2)
    if scale.logarithmic:
        body.append(text(RIGHT, bottom + 36, "logarithmic", size=11, fill=MUTED, anchor="end"))
    desc = "; ".join(f"{of.method}: {_said(loss, of)}" for of in facts.methods)
    return picture(WIDTH, bottom + 46, f"{loss.title} by method", desc, *body)


def _row(facts: CompareFacts, loss: ComparedLoss, of: MethodFacts, scale: _Scale, y: float) -> list[str]:
    best = of.method in facts.best(loss.name)
    name = text(LEFT - 14, y + 4, of.method, anchor="end", bold=best, room=LEFT - 22)
    if of.outcome == "none" or loss.name not in of.losses:
        return [
            name,
            rect(LEFT + 4, y - 8, WIDTH - LEFT - 8, 16, CARD),  # keeps the words readable where lines would cross them
            text(LEFT + 8, y + 4, f"no release: {of.reason}", size=11, fill=MUTED, room=WIDTH - LEFT - 24),
        ]
    value = of.losses[loss.name]
    x = scale.x(value)
    colour = SAFE if of.outcome == "pass" else RISK
    words = loss.figure(value) if of.outcome == "pass" else f"{loss.figure(value)}: did not pass"
    above = facts.above_floor(of) if loss is facts.chosen else None
    parts = [
        name,
        line(scale.x(scale.marks[0]), y, x, y, colour, width=1.5),
        circle(x, y, 5, colour if best else CARD, stroke=colour, title=f"{of.method}: {_said(loss, of)}"),
        text(x + 12, y + 4, words, fill=INK, bold=best),
    ]
    if above is not None and of.outcome == "pass" and floor_words(above):
        at = x + 24 + text_width(words, 12)
        parts.append(text(at, y + 4, floor_words(above), size=11, fill=MUTED, room=max(WIDTH - at - 8, 20)))
    return parts


def _said(loss: ComparedLoss, of: MethodFacts) -> str:
    if of.outcome == "none" or loss.name not in of.losses:
        return "no release"
    figure = loss.figure(of.losses[loss.name])
    return f"{figure} ({percent(of.losses[loss.name])})" if loss.share else figure


class _Scale:
    """From the least mark at LEFT to the largest at RIGHT; logarithmic when the figures are far apart."""

    def __init__(self, loss: ComparedLoss, values: list[float]) -> None:
        self._loss = loss
        most, least = max(values, default=1.0), min(values, default=0.0)
        self.logarithmic = not loss.share and least > 0 and most / least > _WIDE
        self.marks = _decades(least, most) if self.logarithmic else ticks(most)
        self._low, self._high = self._value(self.marks[0]), self._value(self.marks[-1])

    def _value(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value

    def x(self, value: float) -> float:
        return LEFT + (RIGHT - LEFT) * (self._value(value) - self._low) / (self._high - self._low)

    def mark(self, value: float) -> str:
        if self._loss.share:
            return f"{value * 100:g} %"
        for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if value >= size:
                return f"{value / size:g} {name}"
        return f"{value:g}"


def _decades(least: float, most: float) -> list[float]:
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(most))
    return [10.0**power for power in range(low, max(high, low + 1) + 1)]
