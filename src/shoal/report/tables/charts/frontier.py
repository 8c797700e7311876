"""The frontier: the least detail that has to be lost for each k, from the data as it is to everything hidden."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.report.charts.svg import (
    CARD,
    FAINT,
    INK,
    MUTED,
    RISK,
    RISK_SOFT,
    RULE,
    SAFE,
    circle,
    legend,
    line,
    picture,
    polyline,
    rect,
    text,
    text_width,
    ticks,
)
from shoal.report.tables.frontier import how_sure, point_words
from shoal.report.words import number, plural

if TYPE_CHECKING:
    from shoal.report.tables.frontier import FrontierFacts, FrontierPoint

WIDTH, HEIGHT = 800, 480
LEFT, RIGHT, TOP, BOTTOM = 84, 776, 104, 402


def frontier(facts: FrontierFacts) -> str:
    """Steps from point to point: for a k between two points the cheapest release is that of the right one."""
    scale = Scale(facts)
    places = [scale.place(point.k, point.loss) for point in facts.points]
    limit = f", {plural(facts.limit, 'record')} may be hidden" if facts.limit else ""
    body = [
        text(16, 24, "What each k costs", size=16, bold=True),
        text(16, 44, f"{facts.loss_title}; {number(facts.records)} records{limit}", fill=MUTED),
        legend(16, 66, (SAFE, "the least loss for each k"), (RISK, "the data as it is"), *_ground(facts)),
        *scale.axes(facts),
    ]
    if facts.complete:  # what lies below the steps cannot be had
        for (x1, _), (x2, y) in pairwise(places):
            body.append(rect(x1, y, x2 - x1 + 0.5, BOTTOM - y, FAINT))  # no seam between strips
    body += scale.marks(facts)
    steps = [places[0]]
    for x, y in places[1:]:
        steps += [(steps[-1][0], y), (x, y)]
    body.append(polyline(steps, SAFE, width=1.5))
    body += _asked(facts, scale)
    x, y = scale.place(facts.today_k, facts.today_loss)
    today = f"the data as it is: k = {number(facts.today_k)}, {facts.lost_in_words(facts.today_loss)} lost"
    body.append(circle(x, y, 8, "none", stroke=RISK, title=today))
    for (x, y), point in zip(places, facts.points, strict=True):
        body.append(_point(facts, point, x, y, scale))
    body += _labels(facts, places)
    desc = "; ".join(f"k {point.k}: {facts.lost(point.loss)}" for point in facts.points)
    return picture(WIDTH, HEIGHT, f"{facts.loss_title} by k", f"{desc}. {how_sure(facts)}", *body)


class Scale:
    """k by its logarithm to the right; loss upwards, by its logarithm too when it is not a share of the whole."""

    def __init__(self, facts: FrontierFacts) -> None:
        losses = [facts.today_loss, *(point.loss for point in facts.points)]
        self.last_k = max(facts.points[-1].k, 2)
        self._log = not facts.share and min(losses) > 0
        unit = 100 if facts.share else 1
        marks = _decades(min(losses), max(losses)) if self._log else [mark / unit for mark in ticks(max(losses) * unit)]
        self._marks = marks
        self._low, self._high = self._value(marks[0]), self._value(marks[-1])

    def _value(self, loss: float) -> float:
        return math.log10(loss) if self._log else loss

    def x(self, k: float) -> float:
        return LEFT + (RIGHT - LEFT) * math.log(k) / math.log(self.last_k)

    def y(self, loss: float) -> float:
        if self._log and loss <= 0:
            return BOTTOM
        return BOTTOM - (BOTTOM - TOP) * max(0.0, self._value(loss) - self._low) / (self._high - self._low)

    def place(self, k: int, loss: float) -> tuple[float, float]:
        return self.x(k), self.y(loss)

    def axes(self, facts: FrontierFacts) -> list[str]:
        across = "k: how many records look the same at least (logarithmic)"
        body = [text((LEFT + RIGHT) / 2, BOTTOM + 44, across, fill=MUTED, anchor="middle")]
        body.append(
            text(
                16,
                TOP - 16,
                "detail lost" if facts.share else "loss (logarithmic)" if self._log else "loss",
                fill=MUTED,
            )
        )
        body.append(text(16, HEIGHT - 10, how_sure(facts), size=11, fill=MUTED, room=WIDTH - 32))
        return body

    def marks(self, facts: FrontierFacts) -> list[str]:
        body = []
        for mark in self._marks:
            y = self.y(mark)
            body.append(line(LEFT, y, RIGHT, y, RULE))
            words = f"{mark * 100:g} %" if facts.share else _short(mark)
            body.append(text(LEFT - 14, y + 4, words, fill=MUTED, anchor="end"))
        taken: list[tuple[float, float]] = []
        for k in _round_numbers(self.last_k):
            x, half = self.x(k), text_width(number(k), 12) / 2 + 5
            body.append(line(x, BOTTOM, x, BOTTOM + 5, RULE))
            if all(x + half < start or x - half > end for start, end in taken):
                taken.append((x - half, x + half))
                body.append(text(x, BOTTOM + 20, number(k), fill=MUTED, anchor="middle"))
        return body


def _point(facts: FrontierFacts, point: FrontierPoint, x: float, y: float, scale: Scale) -> str:
    words = point_words(facts, point)
    if point.proved:
        return circle(x, y, 4, SAFE, stroke=CARD, title=words)
    # hollow, with a thread down to what is proved
    return line(x, y, x, scale.y(point.bound), RISK_SOFT, width=1.5) + circle(x, y, 4, CARD, stroke=SAFE, title=words)


def _ground(facts: FrontierFacts) -> list[tuple[str, str]]:
    return [(RULE, "cannot be had")] if facts.complete else [(RISK_SOFT, "down to what is proved")]


def _asked(facts: FrontierFacts, scale: Scale) -> list[str]:
    """The recipe's k, and the point that reaches it."""
    if facts.asked_k > scale.last_k:
        return []
    x = scale.x(facts.asked_k)
    words = f"recipe: k = {number(facts.asked_k)}"
    near_the_end = x + text_width(words, 12) + 6 > RIGHT
    body = [
        line(x, TOP - 4, x, BOTTOM, INK, dashed=True),
        text(x - 6 if near_the_end else x + 6, TOP + 8, words, anchor="end" if near_the_end else "start"),
    ]
    if facts.chosen is not None:
        px, py = scale.place(facts.chosen.k, facts.chosen.loss)
        body.append(rect(px - 9, py - 9, 18, 18, "none", stroke=INK, radius=2))
    return body


def _labels(facts: FrontierFacts, places: list[tuple[float, float]]) -> list[str]:
    """k above the step that leads to a point, where there is room for it. Of the chosen point right below, with its loss."""
    body = []
    for i, ((x, y), point) in enumerate(zip(places, facts.points, strict=True)):
        words = f"k = {number(point.k)}"
        if point is facts.chosen:
            words = f"{words}: {facts.lost_in_words(point.loss)}"
            right = x + 14 + text_width(words, 12) < WIDTH
            body.append(text(x + 14 if right else x - 14, y + 16, words, anchor="start" if right else "end", bold=True))
        elif i and text_width(words, 11) < x - places[i - 1][0] - 14:
            body.append(text(x - 7, y - 5, words, size=11, anchor="end"))
    return body


def _round_numbers(last: int) -> list[int]:
    """1, 10, 100, … and the 2 and 5 of each, which come last since they get what room is left."""
    tens = [10**power for power in range(len(str(last)))]
    return [k for factor in (1, 2, 5) for k in (factor * ten for ten in tens) if k <= last]


def _decades(least: float, most: float) -> list[float]:
    """Powers of ten around the losses; halves and fifths of them too when there are few."""
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(most))
    high = max(high, low + 1)
    factors = (1, 2, 5) if high - low < 3 else (1,)
    return [factor * 10.0**power for power in range(low, high) for factor in factors] + [10.0**high]


def _short(value: float) -> str:
    for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g} {name}"
    return f"{value:g}"
