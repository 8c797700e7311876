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
    text_width,
    ticks,
)
from shoal.report.words import exact_percent, measure, percent

if TYPE_CHECKING:
    from shoal.report.facts import LossFacts
    from shoal.report.tables.figures import TradeOff

WIDTH, HEIGHT = 440, 232
LEFT, RIGHT, TOP, BOTTOM = 72, 412, 20, 180


def trade_off(points: tuple[TradeOff, ...], limit: str, loss: LossFacts) -> str:
    """Points by limit, the recipe's own filled and boxed. Between two points the best known release is that of the left one."""
    unit = 100 if loss.share else 1
    limits = [float(Fraction(point.limit)) for point in points]
    across = (limits[-1] - limits[0]) or 1.0
    up = ticks(max(point.loss for point in points) * unit)
    places = [
        (LEFT + (RIGHT - LEFT) * (x - limits[0]) / across, BOTTOM - (BOTTOM - TOP) * point.loss * unit / up[-1])
        for x, point in zip(limits, points, strict=True)
    ]
    body = []
    for mark in up:
        y = BOTTOM - (BOTTOM - TOP) * mark / up[-1]
        body.append(line(LEFT - 14, y, RIGHT + 14, y, RULE if mark == 0 else FAINT))
        words = f"{mark:g} %" if loss.share else f"{mark:,.4g}"
        body.append(text(LEFT - 22, y + 4, words, fill=MUTED, anchor="end"))
    steps = [places[0]]
    for x, y in places[1:]:
        steps += [(x, steps[-1][1]), (x, y)]
    body.append(polyline(steps, SAFE))
    axis_free = loss_free = 0.0  # from where there is room for the next label
    labelled = None
    for (x, y), point in zip(places, points, strict=True):
        own = Fraction(point.limit) == Fraction(limit)
        lost = percent(point.loss) if loss.share else measure(point.loss)
        words = exact_percent(point.limit)
        if own:
            body.append(rect(x - 10, y - 10, 20, 20, "none", stroke=RISK))
        body.append(circle(x, y, 4.5, SAFE if own else CARD, stroke=SAFE, title=f"limit {words}: {lost}"))
        body.append(line(x, BOTTOM, x, BOTTOM + 4, RULE))
        if x - text_width(words, 12) / 2 >= axis_free:
            body.append(text(x, BOTTOM + 18, words, fill=MUTED, anchor="middle"))
            axis_free = x + text_width(words, 12) / 2 + 8
        # Below the point, where no step of the line runs; once for each loss.
        if point.loss != labelled and x - text_width(lost, 11) / 2 >= loss_free:
            body.append(text(x, y + 23, lost, size=11, anchor="middle"))
            labelled, loss_free = point.loss, x + text_width(lost, 11) / 2 + 4
    words = "share of the records that may be hidden (suppression limit)"
    body.append(text((LEFT + RIGHT) / 2, BOTTOM + 40, words, fill=MUTED, anchor="middle"))
    desc = "; ".join(f"{exact_percent(point.limit)}: {point.loss:.6g}" for point in points)
    return picture(WIDTH, HEIGHT, f"{loss.title} by suppression limit", desc, *body)
