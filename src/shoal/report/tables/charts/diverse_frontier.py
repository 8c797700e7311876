"""The frontier of k, l and loss: one line for each l, with what every k costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts.svg import INK, MUTED, RULE, SAFE, TINTS, circle, legend, line, picture, polyline, text
from shoal.report.tables.charts.frontier import BOTTOM, HEIGHT, TOP, WIDTH, Scale
from shoal.report.words import number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.report.tables.frontier import FrontierFacts

_MOST = 5  # lines that can be told apart


def diverse_frontier(facts: FrontierFacts, lines: Mapping[int, Sequence[tuple[int, float]]], asked: int) -> str:
    """lines: for each l the k and loss of the releases with at least so many values, both rising. asked: the l of the recipe."""
    scale = Scale(facts)
    shown = _chosen(list(lines), asked)
    colours = dict(zip([least for least in shown if least != asked], (RULE, MUTED, *TINTS[:2], INK), strict=False)) | {
        asked: SAFE
    }
    body = [
        text(16, 24, "What each k and l cost", size=16, bold=True),
        text(16, 44, f"{facts.loss_title}; {number(facts.records)} records", fill=MUTED),
        legend(
            16,
            66,
            *((colours[least], f"l = {number(least)}{' (recipe)' if least == asked else ''}") for least in shown),
        ),
        *scale.axes(facts),
        *scale.marks(facts),
    ]
    if facts.asked_k <= scale.last_k:
        body.append(line(scale.x(facts.asked_k), TOP - 4, scale.x(facts.asked_k), BOTTOM, INK, dashed=True))
    for least in shown:
        places = [scale.place(k, loss) for k, loss in lines[least]]
        steps = [places[0]]
        for x, y in places[1:]:
            steps += [(steps[-1][0], y), (x, y)]
        body.append(polyline(steps, colours[least], width=2 if least == asked else 1.5))
        for (x, y), (k, loss) in zip(places, lines[least], strict=True):
            words = f"k = {number(k)}, l = {number(least)} or more: {facts.lost_in_words(loss)} lost"
            body.append(circle(x, y, 3, colours[least], title=words))
    desc = "; ".join(
        f"l {least}: " + ", ".join(f"k {k} {facts.lost(loss)}" for k, loss in lines[least]) for least in shown
    )
    return picture(WIDTH, HEIGHT, f"{facts.loss_title} by k and l", desc, *body)


def _chosen(all_l: list[int], asked: int) -> list[int]:
    """Some of many: the recipe's, or the next above it, and others spread over the range."""
    if len(all_l) <= _MOST:
        return all_l
    near = next((least for least in all_l if least >= asked), all_l[-1])
    spread = {all_l[round(at * (len(all_l) - 1) / (_MOST - 2))] for at in range(_MOST - 1)}
    return sorted({near, *spread})
