"""The figures of paper 004: what POkA finds beside the exact frontier, by loss, by depth and by the size of the lattice.

    python -m benchmarks.tables.poka FOLDER [--losses glm,dm,ce] [--depths 1,2,3,4,5,6] [--columns 2,3,4,5,6,7,8]

Adult with hierarchies of the lengths in the paper (`examples/adult/poka`), 1 % of the records (301) may be suppressed. Fig. 4: the
frontier and POkA's nodes at the average depth, for each loss; with CE the label is no quasi-identifier, as in the paper. Fig. 5 and
Table 3: GLM, by depth. Fig. 6: DM, by the number of columns, the first ones of the recipe, at their average depth. Points of k = 1
are left out, as POkA ends at k = 2. Draws into FOLDER, and prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.lib.places import SHARED
from benchmarks.tables.mstk import marked
from real.adult_frontier import LABEL, adult_looks
from shoal.loss import CE, DM, GLM
from shoal.methods.tables.frontier import points_of
from shoal.methods.tables.lattice.bounds import bounds_of
from shoal.methods.tables.lattice.pareto import Pareto
from shoal.methods.tables.poka import poka
from shoal.report.charts.svg import CARD, FAINT, MUTED, RISK, RULE, SAFE, circle, legend, line, picture, text, ticks

LIMIT = 301  # records, 1 %
LOSSES: dict[str, Any] = {"glm": GLM(), "dm": DM(), "ce": CE(LABEL)}
ALL, WITHOUT_LABEL = 8, 7  # columns
PAPER = {1: (502, 22), 2: (1945, 41), 3: (4033, 45), 4: (6544, 45), 5: (9205, 45), 6: (11751, 45)}  # Table 3
WIDTH, HEIGHT = 330, 280
LEFT, RIGHT, TOP, BOTTOM = 60, 312, 40, 224
HEAD, FOOT = 60, 12
Points = set[tuple[int, float]]


def frontier(loss: str, columns: int) -> Points:
    """All there are from k = 2 up, by exact search."""
    looks = adult_looks(SHARED, LOSSES[loss], LIMIT, columns)
    search = Pareto(looks, bounds_of(looks.nodes, looks.frequency, LOSSES[loss], LIMIT))
    search.run(lambda search: False)
    return {(p.k, float(p.loss)) for p in points_of(looks.seen.values(), search.least_loss) if p.k >= 2}


def searched(loss: str, columns: int, depth: int | None, true: Points) -> dict[str, Any]:
    """What POkA comes to. Without a depth: the average height of a hierarchy, as the paper advises."""
    looks = adult_looks(SHARED, LOSSES[loss], LIMIT, columns)
    heights = [tree.height for tree in looks.nodes.hierarchies]
    depth = depth or math.ceil(sum(heights) / len(heights))
    started = time.process_time()
    found = {(base.k, float(base.loss)) for base in poka(looks, depth).found if base.k >= 2}
    nodes = looks.nodes.lattice.size
    return {
        "loss": loss,
        "columns": columns,
        "depth": depth,
        "nodes": nodes,
        "evaluated": looks.nodes.evaluated,
        "share": round(looks.nodes.evaluated / nodes, 4),
        "found": len(found & true),
        "true": len(true),
        "dominated": len(found - true),
        "points": sorted(found),
        "frontier": sorted(true),
        "cpu_s": round(time.process_time() - started, 2),
    }


# ---- drawing ---------------------------------------------------------------------------------------------------------


def panel(x: float, name: str, run: dict[str, Any]) -> list[str]:
    """k from left to right and loss upwards, k on a logarithmic scale; the frontier as rings, POkA's nodes as dots."""
    true, found = run["frontier"], run["points"]
    most = math.log10(max(k for k, _ in true))
    marks = ticks(max(loss for _, loss in (*true, *found)), 4)

    def across(k: float) -> float:
        return x + LEFT + (RIGHT - LEFT) * math.log10(k) / most

    def up(loss: float) -> float:
        return HEAD + BOTTOM - (BOTTOM - TOP) * loss / marks[-1]

    body = [text(x + LEFT, HEAD + 22, name, bold=True, room=RIGHT - LEFT)]
    for mark in marks:
        body.append(line(x + LEFT - 6, up(mark), x + RIGHT, up(mark), FAINT if mark else RULE))
        body.append(text(x + LEFT - 10, up(mark) + 4, marked(mark), fill=MUTED, anchor="end", size=11))
    body += [
        text(across(10**power), HEAD + BOTTOM + 18, f"{10**power:,}", fill=MUTED, anchor="middle", size=11)
        for power in range(math.floor(most) + 1)
    ]
    body.append(text(x + (LEFT + RIGHT) / 2, HEAD + BOTTOM + 36, "k", fill=MUTED, anchor="middle", size=11))
    body += [circle(across(k), up(loss), 5, CARD, stroke=SAFE, title=f"k {k}: {loss:.6g}") for k, loss in true]
    body += [circle(across(k), up(loss), 2.2, RISK, title=f"POkA, k {k}: {loss:.6g}") for k, loss in found]
    return body


def draw(title: str, runs: dict[str, dict[str, Any]]) -> str:
    body = [text(16, 24, title, size=16, bold=True), legend(16, 48, (SAFE, "frontier, exact"), (RISK, "POkA"))]
    for place, (name, run) in enumerate(runs.items()):
        body += panel(place * WIDTH, name, run)
    said = "; ".join(f"{name}: POkA has {run['found']} of {run['true']} points" for name, run in runs.items())
    return picture(max(2, len(runs)) * WIDTH + 8, HEAD + HEIGHT + FOOT, title, said, *body)


def draw_sizes(runs: list[dict[str, Any]]) -> str:
    """Fig. 6."""
    marks = ticks(max(100 * run["share"] for run in runs), 5)

    def across(run: dict[str, Any]) -> float:
        low, high = (math.log10(one["nodes"]) for one in (runs[0], runs[-1]))
        return LEFT + 500 * (math.log10(run["nodes"]) - low) / (high - low)

    def up(percent: float) -> float:
        return HEAD + BOTTOM - (BOTTOM - TOP) * percent / marks[-1]

    title = "Nodes that POkA looks at, by the size of the lattice"
    body = [text(16, 24, title, size=16, bold=True), text(16, 46, "per cent of all nodes; DM, 1 %", fill=MUTED)]
    for mark in marks:
        body.append(line(LEFT - 6, up(mark), LEFT + 506, up(mark), FAINT if mark else RULE))
        body.append(text(LEFT - 10, up(mark) + 4, f"{mark:g}", fill=MUTED, anchor="end", size=11))
    for run in runs:
        at = across(run), up(100 * run["share"])
        body.append(circle(*at, 4.5, CARD, stroke=RISK, title=f"{run['columns']} columns: {100 * run['share']:.1f} %"))
        body.append(text(at[0], HEAD + BOTTOM + 18, f"{run['nodes']:,}", fill=MUTED, anchor="middle", size=11))
    said = "; ".join(f"{run['nodes']} nodes: {100 * run['share']:.1f} %" for run in runs)
    return picture(LEFT + 540, HEAD + HEIGHT + FOOT, title, said, *body)


def numbers(given: str) -> list[int]:
    return [int(one) for one in given.split(",") if one]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--losses", default="glm,dm,ce")
    options.add_argument("--depths", type=numbers, default=[1, 2, 3, 4, 5, 6])
    options.add_argument("--columns", type=numbers, default=[2, 3, 4, 5, 6, 7, 8])
    asked = options.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    width = {name: WITHOUT_LABEL if name == "ce" else ALL for name in LOSSES}
    by_loss: dict[str, Any] = {}
    for name in filter(None, asked.losses.split(",")):
        by_loss[name] = searched(name, width[name], None, frontier(name, width[name]))
        print(f"{name}: {by_loss[name]['cpu_s']} s", file=sys.stderr, flush=True)
    true = frontier("glm", ALL)
    by_depth = {f"depth {depth}": searched("glm", ALL, depth, true) for depth in asked.depths}
    by_size = [searched("dm", columns, None, frontier("dm", columns)) for columns in asked.columns]
    if by_loss:
        titled = {name.upper(): run for name, run in by_loss.items()}
        (asked.folder / "poka-by-loss.svg").write_text(
            draw("Frontier and POkA on Adult, 1 % suppressed", titled) + "\n"
        )
    shown = {name: run for name, run in by_depth.items() if run["depth"] <= 3}  # as in the paper
    if shown:
        (asked.folder / "poka-by-depth.svg").write_text(draw("POkA by depth, GLM, 1 % suppressed", shown) + "\n")
    if by_size:
        (asked.folder / "poka-by-size.svg").write_text(draw_sizes(by_size) + "\n")
    paper = {str(depth): {"evaluated": looked, "found": found} for depth, (looked, found) in PAPER.items()}
    print(json.dumps({"by_loss": by_loss, "by_depth": by_depth, "by_size": by_size, "paper": paper}))


if __name__ == "__main__":
    main()
