"""Single values against items: what each delta loses on both sides, and the releases that no other beats."""

from __future__ import annotations

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
    legend,
    line,
    picture,
    polyline,
    rect,
    text,
    text_width,
    ticks,
)
from shoal.report.mixed.frontier import point_words
from shoal.report.words import listed, number, percent, plural

if TYPE_CHECKING:
    from shoal.report.mixed.frontier import DeltaFacts, DeltaPoint

WIDTH, HEIGHT = 800, 520
LEFT, RIGHT, TOP, BOTTOM = 84, 760, 112, 430
PALE = "#9fb9c8"  # of what is published when something else is better


def frontier(facts: DeltaFacts) -> str:
    """Table loss to the right, item loss upwards; a label with delta at each. Towards the lower left corner less is lost."""
    scale = _Scale(facts)
    infeasible = ", ".join(f"{point.delta}" for point in facts.points if point.outcome == "none")
    promised = listed(facts.promises)
    below = "every point is a verified release, with its delta" + (
        f"; no release for delta = {infeasible}" if infeasible else ""
    )
    body = [
        text(16, 24, "What the single values lose, and what the items lose", size=16, bold=True),
        text(
            16,
            44,
            f"{facts.method}; {number(facts.records)} records; {promised}",
            fill=MUTED,
            room=WIDTH - 32,
        ),
        legend(16, 66, (SAFE, "to pick from"), (PALE, "another loses no more on either side, and less on one")),
        text(16, TOP - 20, f"items: {facts.chosen_loss.title}", fill=MUTED, room=WIDTH - 32),
        text(
            (LEFT + RIGHT) / 2,
            BOTTOM + 44,
            "single values: Normalized certainty penalty (NCP)",
            fill=MUTED,
            anchor="middle",
        ),
        text(16, HEIGHT - 12, below, size=11, fill=MUTED, room=WIDTH - 32),
        *scale.marks(),
    ]
    front = sorted(facts.front, key=lambda point: point.table_loss)
    if len(front) > 1:
        body.append(polyline(_steps([scale.place(facts, point) for point in front]), SAFE, width=1.5))
    body += _asked(facts, scale)
    labels = _Labels()
    for point in (*(p for p in facts.passed if p.dominated), *(p for p in facts.passed if not p.dominated)):
        x, y = scale.place(facts, point)
        colour = PALE if point.dominated else SAFE
        body.append(circle(x, y, 4.5, colour, stroke=CARD, title=point_words(facts, point)))
        labels.take(x - 6, y - 6, 12, 12)
    for x, y, words, dominated in _together(facts, scale):
        body += labels.near(x, y, words, pale=dominated)
    desc = "; ".join(_said(facts, point) for point in facts.points)
    return picture(WIDTH, HEIGHT, f"Loss of single values and of items by {facts.method}", desc, *body)


class _Scale:
    """Both from 0: what is lost is a share, and half the height is half the loss."""

    def __init__(self, facts: DeltaFacts) -> None:
        self._across = ticks(max((point.table_loss for point in facts.passed), default=1.0) * 100)
        self._up = ticks(max(map(facts.item_loss, facts.passed), default=1.0) * 100)

    def place(self, facts: DeltaFacts, point: DeltaPoint) -> tuple[float, float]:
        return self.x(point.table_loss * 100), self.y(facts.item_loss(point) * 100)

    def x(self, share: float) -> float:
        return LEFT + (RIGHT - LEFT) * share / self._across[-1]

    def y(self, share: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * share / self._up[-1]

    @property
    def most_across(self) -> float:
        return self._across[-1] / 100

    @property
    def most_up(self) -> float:
        return self._up[-1] / 100

    def marks(self) -> list[str]:
        body = []
        for mark in self._up:
            y = self.y(mark)
            body.append(line(LEFT, y, RIGHT, y, RULE if mark == 0 else FAINT))
            body.append(text(LEFT - 14, y + 4, f"{mark:g} %", fill=MUTED, anchor="end"))
        for mark in self._across:
            x = self.x(mark)
            body.append(line(x, TOP, x, BOTTOM, RULE if mark == 0 else FAINT))
            body.append(text(x, BOTTOM + 20, f"{mark:g} %", fill=MUTED, anchor="middle"))
        return body


class _Labels:
    """Puts words beside points where nothing else stands yet."""

    def __init__(self) -> None:
        self._taken: list[tuple[float, float, float, float]] = []

    def take(self, x: float, y: float, width: float, height: float) -> None:
        self._taken.append((x, y, x + width, y + height))

    def near(self, x: float, y: float, words: str, *, pale: bool) -> list[str]:
        wide = text_width(words, 11)
        for dx, dy in ((9, -6), (9, 15), (-9 - wide, -6), (-9 - wide, 15), (-wide / 2, -12), (-wide / 2, 22)):
            box = (x + dx, y + dy - 10, x + dx + wide, y + dy + 2)
            if box[0] < LEFT - 20 or box[2] > WIDTH - 4 or any(_overlap(box, other) for other in self._taken):
                continue
            self._taken.append(box)
            return [text(x + dx, y + dy, words, size=11, fill=MUTED if pale else INK)]
        return []  # those who point at it are told


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _steps(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Between two points the best release is that of the left one."""
    steps = [places[0]]
    for x, y in places[1:]:
        steps += [(x, steps[-1][1]), (x, y)]
    return steps


def _together(facts: DeltaFacts, scale: _Scale) -> list[tuple[float, float, str, bool]]:
    """Places with the deltas that have their release there, what can be picked first."""
    by_place: dict[tuple[float, float], list[DeltaPoint]] = {}
    for point in sorted(facts.passed, key=lambda one: one.dominated):
        by_place.setdefault(scale.place(facts, point), []).append(point)
    labels = []
    for (x, y), points in by_place.items():
        first, last = points[0].delta, points[-1].delta
        words = f"{first}" if len(points) == 1 else f"{first} to {last}" if len(points) > 2 else f"{first}, {last}"
        labels.append((x, y, words, points[0].dominated))
    return labels


def _asked(facts: DeltaFacts, scale: _Scale) -> list[str]:
    """The recipe's delta as the bound it is, and a box around its release."""
    delta = float(facts.asked)
    words = f"recipe: delta = {facts.asked}"
    body = []
    if facts.bounds == "values" and delta <= scale.most_across:
        x = scale.x(delta * 100)
        left = x + text_width(words, 11) + 6 > WIDTH
        body.append(line(x, TOP - 4, x, BOTTOM, RISK, dashed=True))
        body.append(
            text(x - 6 if left else x + 6, TOP + 6, words, size=11, fill=RISK, anchor="end" if left else "start")
        )
    elif facts.bounds == "items" and delta <= scale.most_up:
        y = scale.y(delta * 100)
        body.append(line(LEFT, y, RIGHT, y, RISK, dashed=True))
        body.append(text(RIGHT, y - 5, words, size=11, fill=RISK, anchor="end"))
    for point in facts.passed:
        if float(point.delta) == delta:
            x, y = scale.place(facts, point)
            body.append(rect(x - 9, y - 9, 18, 18, "none", stroke=INK, radius=2))
    return body


def _said(facts: DeltaFacts, point: DeltaPoint) -> str:
    if point.outcome != "pass":
        return f"delta {point.delta}: no release"
    lost = f"{percent(point.table_loss)} of the single values, {percent(facts.item_loss(point))} of the items"
    return f"delta {point.delta}: {lost}, {plural(point.classes, 'class', 'classes')}"
