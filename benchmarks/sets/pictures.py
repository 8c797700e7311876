"""Draw what `sets/matching.py` measured, like Figs. 6 and 7 of paper 003: a picture for each loss, a panel for each set of baskets.

python -m benchmarks.sets.matching > measured.json
python -m benchmarks.sets.pictures measured.json FOLDER
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.lib import usage
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
    text,
    ticks,
)

ACROSS, WIDTH, HEIGHT = 4, 250, 230
LEFT, RIGHT, TOP, BOTTOM = 52, 236, 34, 186
HEAD, FOOT = 64, 36
LOSSES = {"er": "Expected error rate (ER)", "qe_1": "Query error, type I", "qe_2": "Query error, type II"}
Series = dict[str, list[tuple[int, float]]]


@dataclass(frozen=True)
class Way:
    name: str
    colour: str
    path: tuple[str, ...]  # where its losses stand


MATCHED = (
    Way("Gray, blocks", MUTED, ("gray", "blocks")),
    Way("Gray-TSP, blocks", RISK_SOFT, ("gray-tsp", "blocks")),
    Way("Gray, ring (the paper's)", INK, ("gray", "ring")),
    Way("Gray-TSP, ring (the paper's)", RISK, ("gray-tsp", "ring")),
    Way("nonreciprocal, blocks", SAFE, ("nonreciprocal", "blocks")),
)
DIVERSE = (
    Way("Gray", MUTED, ("gray",)),
    Way("Gray-TSP", RISK_SOFT, ("gray-tsp",)),
    Way("nonreciprocal", SAFE, ("nonreciprocal",)),
    Way("cahd", INK, ("cahd",)),
)


def series(measured: dict[str, Any], ways: tuple[Way, ...], loss: str) -> Series:
    made: Series = {}
    for way in ways:
        points = []
        for number, found in measured.items():
            for step in way.path:
                found = found[step]
            if loss in found:
                points.append((int(number), found[loss]))
        made[way.name] = points
    return made


def panel(x: float, y: float, name: str, lines: Series, ways: tuple[Way, ...]) -> list[str]:
    numbers = sorted({number for points in lines.values() for number, _ in points})
    marks = ticks(max(value for points in lines.values() for _, value in points), 4)

    def across(number: int) -> float:
        return x + LEFT + (RIGHT - LEFT) * numbers.index(number) / max(1, len(numbers) - 1)

    def up(value: float) -> float:
        return y + BOTTOM - (BOTTOM - TOP) * value / marks[-1]

    body = [text(x + LEFT, y + 20, name, bold=True, room=RIGHT - LEFT)]
    for mark in marks:
        body.append(line(x + LEFT - 6, up(mark), x + RIGHT + 6, up(mark), FAINT if mark else RULE))
        body.append(text(x + LEFT - 10, up(mark) + 4, f"{mark:g}", fill=MUTED, anchor="end", size=11))
    body += [text(across(n), y + BOTTOM + 16, str(n), fill=MUTED, anchor="middle", size=11) for n in numbers]
    for way in ways:
        points = lines[way.name]
        body.append(polyline([(across(n), up(value)) for n, value in points], way.colour))
        body += [
            circle(across(n), up(v), 3, CARD, stroke=way.colour, title=f"{way.name}, {n}: {v:g}") for n, v in points
        ]
    return body


def draw(sets: dict[str, Any], promise: str, ways: tuple[Way, ...], loss: str) -> str | None:
    found = {name: series(one[promise], ways, loss) for name, one in sets.items() if one.get(promise)}
    found = {name: lines for name, lines in found.items() if any(lines.values())}
    if not found:
        return None
    letter = promise[0]
    title = f"{LOSSES[loss]} against {letter}, {promise}"
    rows = -(-len(found) // ACROSS)
    body = [text(16, 24, title, size=16, bold=True), legend(16, 48, *((way.colour, way.name) for way in ways))]
    for place, (name, lines) in enumerate(found.items()):
        body += panel(place % ACROSS * WIDTH, HEAD + place // ACROSS * HEIGHT, name, lines, ways)
    body.append(text(16, HEAD + rows * HEIGHT + 20, f"{letter} from left to right; less is better", fill=MUTED))
    desc = "; ".join(
        f"{name}: {', '.join(f'{way} {n}: {value:g}' for way, points in lines.items() for n, value in points)}"
        for name, lines in found.items()
    )
    return picture(ACROSS * WIDTH + 16, HEAD + rows * HEIGHT + FOOT, title, desc, *body)


def main() -> None:
    file, place = usage.given(__doc__, 2, 2)
    sets = json.loads(Path(file).read_text())["sets"]
    folder = Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    for promise, ways in (("k-matching", MATCHED), ("l-matching", DIVERSE)):
        for loss in LOSSES:
            made = draw(sets, promise, ways, loss)
            if made is not None:
                (folder / f"{promise}-{loss.replace('_', '-')}.svg").write_text(made + "\n")


if __name__ == "__main__":
    main()
