"""Draw what was measured of tables with item sets, like Figs. 4, 6 and 7 of paper 001.

    python -m benchmarks.mixed.verified --set informs > informs.json
    python -m benchmarks.mixed.order > order.json
    python -m benchmarks.mixed.pictures FOLDER informs.json order.json …

Any number of files of `mixed/verified.py` (over delta, size and k), `mixed/order.py` and `mixed/merges.py`. For each set of data,
size, k and l: the query errors (ARE) over delta, of both methods (Figs. 4 and 5); the largest class and UL over delta (Fig. 6). For
size and k, seconds of deciding; for the order of partners, seconds of merging, UL and NCP; UL after each merge (Fig. 7).
Only what was passed by the verifier is drawn.
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
    text_width,
    ticks,
)

ACROSS, WIDTH, HEIGHT = 4, 250, 230
LEFT, RIGHT, TOP, BOTTOM = 52, 236, 34, 186
HEAD, FOOT = 64, 36
COLOURS = {"r": MUTED, "t": RISK, "rt": SAFE, "rfirst": INK, "tfirst": RISK_SOFT}
NAMES = {"r": "merge r", "t": "merge t", "rt": "merge rt"}
ORDERS = {"t, btd": RISK_SOFT, "t, ul": RISK, "rt, btd": MUTED, "rt, ul": SAFE}  # merge, order
QUERIES = ("are_1_0", "are_0_2", "are_1_2", "are_2_1")
Series = dict[str, list[tuple[float, float]]]


@dataclass(frozen=True)
class Panel:
    name: str
    under: str  # what goes from left to right
    lines: Series
    level: dict[str, float]  # baselines, which have no place from left to right


def panel(x: float, y: float, made: Panel, colours: dict[str, str], *, spaced: bool) -> list[str]:
    """spaced: the numbers below stand where they belong; else at even steps."""
    numbers = sorted({number for points in made.lines.values() for number, _ in points})
    values = [value for points in made.lines.values() for _, value in points]
    marks = ticks(max([*values, *made.level.values()]), 4)

    def across(number: float) -> float:
        if spaced and len(numbers) > 1:
            share = (number - numbers[0]) / (numbers[-1] - numbers[0])
        else:
            share = numbers.index(number) / max(1, len(numbers) - 1)
        return x + LEFT + (RIGHT - LEFT) * share

    def up(value: float) -> float:
        return y + BOTTOM - (BOTTOM - TOP) * value / marks[-1]

    body = [text(x + LEFT, y + 20, made.name, bold=True, room=RIGHT - LEFT)]
    for mark in marks:
        body.append(line(x + LEFT - 6, up(mark), x + RIGHT + 6, up(mark), FAINT if mark else RULE))
        body.append(text(x + LEFT - 10, up(mark) + 4, f"{mark:g}", fill=MUTED, anchor="end", size=11))
    shown = numbers if len(numbers) <= 5 else [numbers[0], numbers[len(numbers) // 2], numbers[-1]]
    body += [text(across(n), y + BOTTOM + 16, _short(n), fill=MUTED, anchor="middle", size=11) for n in shown]
    body.append(text(x + (LEFT + RIGHT) / 2, y + BOTTOM + 32, made.under, fill=MUTED, anchor="middle", size=11))
    for name, value in made.level.items():
        body.append(line(x + LEFT, up(value), x + RIGHT, up(value), colours[name], width=1.5, dashed=True))
    for name, points in made.lines.items():
        body.append(polyline([(across(n), up(value)) for n, value in points], colours[name]))
        body += [
            circle(across(n), up(v), 3, CARD, stroke=colours[name], title=f"{NAMES.get(name, name)}, {n:g}: {v:g}")
            for n, v in points
        ]
    return body


def drawn(title: str, note: str, panels: list[Panel], colours: dict[str, str], *, spaced: bool = True) -> str | None:
    panels = [one for one in panels if any(len(points) > 1 for points in one.lines.values())]  # else there is no line
    if not panels:
        return None
    used = [n for n in colours if any(one.lines.get(n) or n in one.level for one in panels)]
    rows = -(-len(panels) // ACROSS)
    level = {n for one in panels for n in one.level}
    entries = [(colours[n], f"{NAMES.get(n, n)}{' (dashed)' if n in level else ''}") for n in used]
    body = [text(16, 24, title, size=16, bold=True), legend(16, 48, *entries)]
    for place, one in enumerate(panels):
        at = place % ACROSS * WIDTH, HEAD + place // ACROSS * HEIGHT
        body += panel(*at, one, colours, spaced=spaced)
    body.append(text(16, HEAD + rows * HEIGHT + 20, note, fill=MUTED))
    told = []
    for one in panels:
        figures = [f"{NAMES.get(n, n)} {x:g}: {v:g}" for n, points in one.lines.items() for x, v in points]
        figures += [f"{n}: {v:g}" for n, v in one.level.items()]
        told.append(f"{one.name}, over {one.under}: {', '.join(figures)}")
    across = min(ACROSS, len(panels))
    width = max(across * WIDTH, text_width(title, 16) * 1.2) + 16
    return picture(width, HEAD + rows * HEIGHT + FOOT, title, "; ".join(told), *body)


def _short(number: float) -> str:
    return f"{number / 1000:.1f}k".replace(".0k", "k") if number >= 5000 else f"{number:.2f}".rstrip("0").rstrip(".")


# ---- over delta ------------------------------------------------------------------------------------------------------


def over_delta(points: list[dict[str, Any]], method: str, key: str, name: str) -> Panel:
    lines: Series = {}
    level = {}
    for point in points:
        if point["method"] == method:
            lines.setdefault(point["merge"], []).append((point["delta"], point[key]))
        elif point["method"].endswith("first"):
            level[point["method"]] = point[key]
    made = {merge: sorted(lines[merge]) for merge in ("r", "t", "rt") if merge in lines}
    return Panel(f"{name}, {method}", "delta", made, level)


def errors(points: list[dict[str, Any]]) -> list[Panel]:
    return [
        over_delta(points, method, key, f"({', '.join(key.split('_')[1:])})")
        for method in ("rum-bound", "tum-bound")
        for key in QUERIES
    ]


def classes(points: list[dict[str, Any]]) -> list[Panel]:
    """Largest class without that of `tfirst`, which holds all records."""
    found = []
    for method in ("rum-bound", "tum-bound"):
        one = over_delta(points, method, "largest", "largest class")
        one.level.pop("tfirst", None)
        found += [one, over_delta(points, method, "ul", "UL")]
    return found


def of_sets(points: list[dict[str, Any]], folder: Path) -> None:
    groups: dict[tuple[str, int, int, int], list[dict[str, Any]]] = {}
    for point in points:
        groups.setdefault((point["set"], point["records"], point["k"], point.get("l", 0)), []).append(point)
    for (name, records, k, l), some in groups.items():  # noqa: E741
        tag = " (SYNTHETIC)" if some[0]["synthetic"] else ""
        what = f"{ {'informs': 'INFORMS', 'youtube': 'YouTube'}[name] }, {records:,} records{tag}, k = {k}, m = {some[0]['m']}"
        what += f", l = {l}" if l else ""
        stem = f"{name}-{records}-k{k}{f'-l{l}' if l else ''}"
        note = "100 queries of (x, y): x columns of single values, y items; less is better"
        _write(folder / f"mixed-are-{stem}.svg", drawn(f"ARE over delta: {what}", note, errors(some), COLOURS))
        note = "UL: loss of the items; delta bounds NCP of the single values (rum-bound) or UL (tum-bound)"
        title = f"Largest class and UL over delta: {what}"
        _write(folder / f"mixed-classes-{stem}.svg", drawn(title, note, classes(some), COLOURS))


# ---- seconds ---------------------------------------------------------------------------------------------------------


def seconds(points: list[dict[str, Any]], method: str, key: str) -> Panel:
    lines: Series = {}
    for point in points:
        if point["method"] in ("rfirst", method):
            lines.setdefault(point.get("merge", "rfirst"), []).append((point[key], point["cpu_s"]))
    lines = {} if set(lines) == {"rfirst"} else {n: sorted(some) for n, some in lines.items()}
    return Panel(f"against {'|D|' if key == 'records' else 'k'}, {method}", key, lines, {})


def of_orders(told: dict[str, Any]) -> list[Panel]:
    """Seconds, UL, and NCP where the bound is not on it."""
    keys = {"cpu_s": "CPU seconds of merging", "ul": "UL"}
    if told.get("method") == "tum-bound":
        keys["ncp"] = "NCP"
    panels = []
    for key, title in keys.items():
        lines: Series = {}
        for run in told["runs"]:
            for order in ("btd", "ul"):
                if order in run:
                    lines.setdefault(f"{run['merge']}, {order}", []).append((float(run["delta"]), run[order][key]))
        panels.append(Panel(title, "delta", {name: sorted(points) for name, points in lines.items()}, {}))
    return panels


def of_merges(told: dict[str, Any]) -> list[Panel]:
    return [
        Panel(
            method,
            "merges",
            {merge: [tuple(point) for point in told["ul"][f"{method}, {merge}"]] for merge in NAMES},
            {},
        )
        for method in ("rum-bound", "tum-bound")
    ]


def _write(path: Path, made: str | None) -> None:
    if made is not None:
        path.write_text(made + "\n")


def main() -> None:
    place, *files = usage.given(__doc__, 2)
    folder = Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    every: dict[str, list[dict[str, Any]]] = {"delta": [], "size": [], "k": []}
    for name in files:
        told = json.loads(Path(name).read_text())
        if "runs" in told:
            method = told.get("method", "rum-bound")
            title = f"Partners ordered by BTD and by UL: {told['records']:,} records, k = {told['k']}, {method}"
            note = "the mean of several first clusterings; less is better"
            stem = "mixed-order" if method == "rum-bound" else f"mixed-order-{method}"
            _write(folder / f"{stem}.svg", drawn(title, note, of_orders(told), ORDERS))
        elif "ul" in told:
            title = f"UL over the number of merges, delta = 1: {told['records']:,} records, k = {told['k']}"
            note = "each point is the state after so many merges"
            _write(folder / "mixed-merges.svg", drawn(title, note, of_merges(told), COLOURS))
        else:
            every[told["over"]] += [one for one in told["points"] if one.get("verdict") == "pass"]
    of_sets(every["delta"], folder)
    over = (("size", "records"), ("k", "k"))
    panels = [seconds(every[what], method, key) for method in ("rum-bound", "tum-bound") for what, key in over]
    title = "CPU seconds of deciding: INFORMS, m = 2"
    note = "less is better; against |D| with the same k, against k with the same records"
    _write(folder / "mixed-seconds.svg", drawn(title, note, panels, COLOURS))


if __name__ == "__main__":
    main()
