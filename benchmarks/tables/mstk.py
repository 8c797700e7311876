"""What does method mstk cost on Adult, and how do its classes compare with those of incognito, as in paper 002, Fig. 6?

    python -m benchmarks.tables.mstk [--plot DIR] [--turns 9]

The whole of Adult with the six quasi-identifiers of the paper (`examples/adult/mstk`), k = 3, 6, … 21. Prints one JSON object.
Seconds are the least of nine runs, with everything compiled; `cpu_s` and `wall_s` are those of the whole decision, from the
distinct tuples to the recoding and its loss. The yardstick is one pass of the pairwise distance kernel over the distinct tuples,
every pair once; it takes turns with the method, so that both meet the same machine. `prim_cpu_s` is the spanning tree by Prim's
algorithm alone, which looks at the same pairs. `seconds` of both methods are those of deciding as a run does it, with
counting, in turns. `--plot` draws information loss, discernibility, average class size and these seconds against k.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import resource
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from benchmarks.lib.places import PROJECT
from shoal.data.frequency import FrequencySet
from shoal.engines.local import LocalEngine
from shoal.guarantees import KAnonymity
from shoal.kernels.tables.spanning import Rows, distances, read_row
from shoal.loss import DM, IL, CAvg
from shoal.methods.method import Decision
from shoal.methods.registry import METHODS
from shoal.methods.tables.ground import Ground
from shoal.methods.tables.level_distance import Space
from shoal.methods.tables.merging import merge_failing
from shoal.methods.tables.mstk import spanning_groups
from shoal.methods.tables.problem import TableProblem
from shoal.methods.tables.spanning import spanning_tree
from shoal.release.hierarchies import build_hierarchies
from shoal.release.make import problem_of
from shoal.release.plan import make_plan
from shoal.release.recipe.recipe import Recipe
from shoal.report.charts.svg import (
    CARD,
    FAINT,
    MUTED,
    RISK,
    RULE,
    SAFE,
    circle,
    legend,
    line,
    picture,
    polyline,
    text,
    ticks,
)  # fmt: skip

RECIPE = PROJECT / "examples/adult/mstk/recipe.toml"
KS = range(3, 22, 3)
TURNS = 9
FIGURES = {
    "il": ("Information loss (IL)", "Fig. 6a"),
    "dm": ("Discernibility (DM)", "Fig. 6b"),
    "c_avg": ("Average class size (C_avg)", "Fig. 6c"),
    "seconds": ("CPU seconds of deciding", "its text"),
}


@njit(nogil=True)
def one_pass(rows: Rows) -> int:
    """Every pairwise distance once; their sum, so that none is left out."""
    points = rows.codes.shape[1]
    near, part = np.empty(rows.starts[-1], np.int64), np.empty(1024, np.int64)
    total = 0
    for i in range(points):
        read_row(rows, rows.codes[:, i], near)
        for low in range(i + 1, points, 1024):
            size = min(points - low, 1024)
            distances(rows.codes, near, low, size, part)
            for j in range(size):
                total += part[j]
    return total


def quiet(_: Any) -> None:
    pass


def seconds(work) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


def decide(frequency: FrequencySet, problem: TableProblem) -> Decision:
    """What the method does with what an engine has counted."""
    ground = Ground.over(frequency, problem)
    return ground.decision(merge_failing(ground, spanning_groups(ground, quiet)))


def figures(decision: Decision, frequency: FrequencySet, k: int) -> dict[str, float]:
    recoded = decision.recoding.over(frequency)
    weights = (0,) * len(recoded.hierarchies)  # none of the three has weights
    return {loss.name: float(loss.of(recoded, weights)) for loss in (IL(), DM(), CAvg(k))} | {
        "classes": decision.classes,
        "smallest": int(recoded.class_sizes.min()),
        "records": int(recoded.class_sizes.sum()),
    }


def measure(turns: int) -> dict[str, Any]:
    plan = make_plan(Recipe.load(RECIPE))
    engine = LocalEngine()
    engine.load(plan.source, plan.schema)
    problem = problem_of(plan, build_hierarchies(plan, engine))
    frequency = engine.frequency_set(problem.hierarchies, problem.sensitive)
    ground = Ground.over(frequency, problem)
    space = Space.of(ground.priced, ground.hierarchies, ground.weights, frequency.codes, frequency.counts)
    rows = space.rows(tables=True)
    one_pass(rows), decide(frequency, problem)  # compiled from here on
    by_k = []
    for k in KS:
        asked = dataclasses.replace(problem, guarantees=(KAnonymity(k),))
        passes, runs = [], []
        for _ in range(turns):
            passes.append(seconds(lambda: one_pass(rows))[0])
            runs.append(seconds(lambda asked=asked: decide(frequency, asked)))
        cpu, wall = (min(column) for column in zip(*runs, strict=True))
        decision = METHODS["mstk"].decide(engine, asked, quiet)
        rival = METHODS["incognito"].decide(engine, asked, quiet)
        whole = {name: [] for name in ("mstk", "incognito")}
        for _ in range(turns):
            for name, spent in whole.items():
                spent.append(seconds(lambda name=name, asked=asked: METHODS[name].decide(engine, asked, quiet))[0])
        by_k.append(
            {
                "k": k,
                "cpu_s": round(cpu, 4),
                "wall_s": round(wall, 4),
                "one_pass_cpu_s": round(min(passes), 4),
                "ratio": round(cpu / min(passes), 3),
                "mstk": {**figures(decision, frequency, k), "seconds": round(min(whole["mstk"]), 4)},
                "incognito": {**figures(rival, frequency, k), "seconds": round(min(whole["incognito"]), 4)},
            }
        )
    prim = [seconds(lambda: spanning_tree(space, quiet, by_levels=False))[0] for _ in range(turns)]
    engine.close()
    process = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tracemalloc.start()
    decide(frequency, problem)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "records": frequency.rows,
        "distinct_tuples": len(frequency.counts),
        "pairs": math.comb(len(frequency.counts), 2),
        "one_pass_cpu_s": by_k[0]["one_pass_cpu_s"],
        "prim_cpu_s": round(min(prim), 4),
        "seconds": by_k[0]["wall_s"],
        "cpu_s": by_k[0]["cpu_s"],
        "ratio": by_k[0]["ratio"],
        "largest_ratio": max(found["ratio"] for found in by_k),
        "peak_mib": round(peak / 2**20, 1),  # of the decision for k = 3, above what stood before
        "process_peak_mib": round(process, 1),
        "by_k": by_k,
    }


# ---- drawing ---------------------------------------------------------------------------------------------------------

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 76, 612, 64, 300
_WIDE = 30  # when the largest figure is so many times the least, only a logarithmic scale shows both


def draw(result: dict[str, Any], figure: str) -> str:
    title, number = FIGURES[figure]
    series = {name: [(found["k"], found[name][figure]) for found in result["by_k"]] for name in ("mstk", "incognito")}
    values = [value for points in series.values() for _, value in points]
    logarithmic = max(values) > _WIDE * min(values)
    if logarithmic:
        marks = [10.0**e for e in range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)]
    else:
        marks = ticks(max(values))
    scale = math.log10 if logarithmic else float
    low, high = scale(marks[0]), scale(marks[-1])

    def y(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (scale(value) - low) / (high - low)

    def x(k: int) -> float:
        return LEFT + (RIGHT - LEFT) * (k - KS[0]) / (KS[-1] - KS[0])

    body = [text(16, 24, f"{title} on Adult", size=16, bold=True)]
    said = f"{result['records']:,} records, six columns, as in paper 002, {number}; less is better"
    said += "; logarithmic scale" if logarithmic else ""
    body.append(text(16, 44, said, fill=MUTED))
    for mark in marks:
        body.append(line(LEFT - 14, y(mark), RIGHT + 14, y(mark), RULE if mark == marks[0] else FAINT))
        body.append(text(LEFT - 22, y(mark) + 4, marked(mark), fill=MUTED, anchor="end"))
    body += [text(x(k), BOTTOM + 18, str(k), fill=MUTED, anchor="middle") for k in KS]
    for colour, points in zip((SAFE, RISK), series.values(), strict=True):
        body.append(polyline([(x(k), y(value)) for k, value in points], colour))
        body += [
            circle(x(k), y(value), 4.5, CARD, stroke=colour, title=f"k = {k}: {value:,.6g}") for k, value in points
        ]
    body.append(text((LEFT + RIGHT) / 2, BOTTOM + 36, "k", fill=MUTED, anchor="middle"))
    body.append(legend(LEFT, BOTTOM + 50, (SAFE, "mstk"), (RISK, "incognito")))
    desc = "; ".join(
        f"{name}: {', '.join(f'k {k} {value:.6g}' for k, value in points)}" for name, points in series.items()
    )
    return picture(WIDTH, HEIGHT, f"{title} against k", desc, *body)


def marked(value: float) -> str:
    for size, name in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:g}{name}"
    return f"{value:g}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--plot", type=Path, metavar="DIR", help="a folder for the pictures")
    options.add_argument("--turns", type=int, default=TURNS, help="how often each is timed")
    chosen = options.parse_args()
    result = measure(chosen.turns)
    if chosen.plot:
        chosen.plot.mkdir(parents=True, exist_ok=True)
        for figure in FIGURES:
            (chosen.plot / f"mstk-{figure.replace('_', '-')}.svg").write_text(draw(result, figure) + "\n")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
