"""People by a number, with the borders of ranges between the bars, and how many each range holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.svg import BLUR, FAINT, INK, MUTED, RULE, SAFE, line, picture, rect, text, text_width
from shoal.report.words import number

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, LEFT, RIGHT, TOP, BOTTOM, HEIGHT = 960, 12, 948, 8, 208, 262


def place(value: float, low: float, high: float) -> float:
    """Where a number stands across the picture."""
    return LEFT + (RIGHT - LEFT) * (value - low) / (high - low)


def ranges(
    low: float,
    high: float,
    width: float,
    bars: Sequence[int],
    borders: Sequence[float],
    people: Sequence[tuple[str, int]],
    title: str,
) -> str:
    """bars: people, each `width` wide from `low`. people: the ranges between the borders, by name, one more than there are."""
    edges = [place(value, low, high) for value in (low, *borders, high)]
    spans = list(zip(edges, edges[1:], people, strict=False))
    body = ['<g class="bands">']
    for at, (start, end, _) in enumerate(spans):
        body.append(rect(start, TOP, end - start, BOTTOM - TOP, BLUR if at % 2 else FAINT))
    body.append('</g><g class="bars">')
    tallest = max(bars, default=0) or 1
    for at, count in enumerate(bars):
        start = place(low + at * width, low, high)
        end = place(min(low + (at + 1) * width, high), low, high)
        gap = min(1.5, (end - start) * 0.15)
        tall = max((BOTTOM - TOP) * count / tallest, 1) if count else 0
        if tall:
            body.append(rect(start + gap, BOTTOM - tall, end - start - 2 * gap, tall, MUTED))
    body.append(f'</g>{line(LEFT, BOTTOM, RIGHT, BOTTOM, RULE)}<g class="borders">')
    body += [line(edge, TOP - 6, edge, BOTTOM + 6, SAFE, width=4) for edge in edges[1:-1]]
    body.append('</g><g class="labels">')
    body += _labels(spans, (low, *borders, high), edges)
    body.append("</g>")
    desc = "; ".join(f"{name}: {number(count)}" for name, count in people[:40])
    return picture(WIDTH, HEIGHT, title, f"People in each range. {desc}", *body)


def _labels(
    spans: Sequence[tuple[float, float, tuple[str, int]]], values: Sequence[float], edges: Sequence[float]
) -> list[str]:
    """People and name below each range; where one of them is too narrow, the borders alone, as many as have room."""
    if all(
        text_width(words, 14) <= end - start - 4
        for start, end, (name, count) in spans
        for words in (name, number(count))
    ):
        return [
            text((start + end) / 2, BOTTOM + 24 + 20 * row, words, size=14, fill=fill, anchor="middle")
            for start, end, (name, count) in spans
            for row, (words, fill) in enumerate(((number(count), INK), (name, MUTED)))
        ]
    ticks, free = [], 0.0
    for edge, value in zip(edges, values, strict=True):
        words = f"{value:.12g}"
        half = text_width(words, 13) / 2
        if edge - half >= free:
            middle = min(max(edge, half), WIDTH - half)
            ticks.append(text(middle, BOTTOM + 24, words, size=13, fill=MUTED, anchor="middle"))
            free = edge + half + 4
    return ticks
