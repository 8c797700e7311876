"""What hiding more records would buy: the limit against the detail lost by the best release within it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.report.charts.svg import (
    CARD,
    FAINT,
    MUTED,
    RISK,
    RULE,
    SAFE,
    circle,
    line,
    picture,
    polyline,
    rect,
    text,
    ticks,
)
from shoal.report.words import exact_percent, measure, percent

if TYPE_CHECKING:
    from shoal.report.facts import LossFacts, TradeOff

WIDTH, HEIGHT = 860, 292
LEFT, RIGHT, TOP, BOTTOM = 72, 840, 18, 236


def trade_off(points: tuple[TradeOff, ...], limit: str, loss: LossFacts) -> str:
    """Points by limit; the recipe's own limit is filled and boxed. Between two points the best known release is the left one."""
    unit = 100 if loss.share else 1
    limits = [float(Fraction(point.limit)) * 100 for point in points]
    across, up = ticks(max(limits), 10), ticks(max(point.loss for point in points) * unit)
    places = [
        (LEFT + (RIGHT - LEFT) * x / across[-1], BOTTOM - (BOTTOM - TOP) * point.loss * unit / up[-1])
        for x, point in zip(limits, points, strict=True)
    ]
    body = []
    for mark in up:
        y = BOTTOM - (BOTTOM - TOP) * mark / up[-1]
        body.append(line(LEFT, y, RIGHT, y, RULE if mark == 0 else FAINT))
        words = f"{mark:g} %" if loss.share else f"{mark:,.4g}"
        body.append(text(LEFT - 8, y + 4, words, fill=MUTED, anchor="end"))
    for mark in across:
        x = LEFT + (RIGHT - LEFT) * mark / across[-1]
        body.append(line(x, BOTTOM, x, BOTTOM + 4, RULE))
        body.append(text(x, BOTTOM + 18, f"{mark:g} %", fill=MUTED, anchor="middle"))
    steps = [places[0]]
    for x, y in places[1:]:
        steps += [(x, steps[-1][1]), (x, y)]
    body.append(polyline(steps, SAFE))
    for (x, y), point in zip(places, points, strict=True):
        own = Fraction(point.limit) == Fraction(limit)
        title = f"limit {exact_percent(point.limit)}: {percent(point.loss) if loss.share else measure(point.loss)} lost"
        if own:
            body.append(rect(x - 10, y - 10, 20, 20, "none", stroke=RISK))
        body.append(circle(x, y, 4.5, SAFE if own else CARD, stroke=SAFE, title=title))
    body.append(
        text(
            (LEFT + RIGHT) / 2,
            BOTTOM + 40,
            "share of the records that may be hidden (suppression limit)",
            fill=MUTED,
            anchor="middle",
        )
    )
    title = f"{loss.title} by suppression limit"
    desc = "; ".join(f"{exact_percent(point.limit)}: {point.loss:.6g}" for point in points)
    return picture(WIDTH, HEIGHT, title, desc, *body)
