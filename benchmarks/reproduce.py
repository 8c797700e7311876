"""The figures of the five papers, drawn from runs of ours, with a page that lists every figure: drawn, or left out and why.

    python -m benchmarks.reproduce [--paper 000,…,004] [--quick] [--output DIR]

`--quick` takes small sizes and a time limit for each step, and ends within ten minutes on two cores; without it the steps run at
the sizes of docs/evidence, which takes hours. Each step is a benchmark of its own, run as docs/evidence says; its JSON, pictures
and CPU seconds go to DIR. A step whose data is not here, or that runs out of time, is told as such on the page.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.lib.places import PROJECT

PAPERS = {
    "000": "Gkountouna, Terrovitis: Anonymizing Collections of Tree-Structured Data",
    "001": "Poulis and others: Anonymizing Data with Relational and Transaction Attributes",
    "002": "Venkata Ramana, Valli Kumari: Achieving k-anonymity using Minimum Spanning Tree based Partitioning",
    "003": "Xue and others: Anonymizing set-valued data by nonreciprocal recoding",
    "004": "Dewri and others: POkA",
}
EXAMPLE = "an illustration; its figures, where it has some, are worked examples in the tests"


@dataclass(frozen=True)
class Step:
    """Commands that measure and draw. `{to}`: the folder for pictures; `{json}`: what the command before it printed."""

    name: str
    paper: str
    quick: tuple[str, ...]
    full: tuple[str, ...]
    limit: int = 110  # seconds of all its commands together, when it has to be quick


@dataclass(frozen=True)
class Figure:
    """One figure or table of a paper. `step`: which one draws it; without one, `why` it is left out."""

    paper: str
    name: str
    shows: str
    step: str = ""
    why: str = ""


STEPS = (
    Step(
        "trees",
        "000",
        (
            "benchmarks.trees.sweep {to}/rows --records 500 --over k --scale 0.01 --siblings apart --until 60",
            "benchmarks.trees.pictures {to} {json}",
        ),
        (
            "benchmarks.trees.sweep {to}/rows --records 120000 --over k,m,n,g,size --siblings apart --until 20000",
            "benchmarks.trees.pictures {to} {json}",
        ),
    ),
    Step(
        "mixed",
        "001",
        (
            "benchmarks.mixed.verified --set informs --rows 3000 --k 25 --deltas 3 --merges r,t --limit 20 --until 70",
            "benchmarks.mixed.pictures {to} {json}",
        ),
        ("benchmarks.mixed.verified --set informs --until 3600", "benchmarks.mixed.pictures {to} {json}"),
    ),
    Step("mstk", "002", ("benchmarks.tables.mstk --plot {to}",), ("benchmarks.tables.mstk --plot {to}",)),
    Step(
        "matching",
        "003",
        ("benchmarks.sets.matching --sets chess --k 2,4,8 --l 2,4", "benchmarks.sets.pictures {json} {to}"),
        ("benchmarks.sets.matching --scale", "benchmarks.sets.pictures {json} {to}"),
    ),
    Step(
        "frontier",
        "004",
        ("shoal frontier examples/adult/poka/recipe.toml --plot {to}/frontier.svg --json",),
        (
            "shoal frontier examples/adult/poka/recipe.toml --plot {to}/frontier.svg --json",
            "benchmarks.tables.frontier",
        ),
    ),
)


def _figures() -> Iterable[Figure]:
    for number in range(1, 11):
        yield Figure("000", f"Fig. {number}", "the example, the model, the search", why=EXAMPLE)
    yield Figure("000", "Fig. 11", "effect of g", "trees", "only in the full run")
    for number, shows in ((12, "information loss, ACS and GCS"), (13, "time, ACS and GCS")):
        yield Figure(
            "000", f"Fig. {number}", shows, why="acs ends for small data only; one size is in docs/evidence/trees.md"
        )
    for number, shows in ((14, "RPD"), (15, "ML²"), (16, "dML²"), (17, "time")):
        yield Figure("000", f"Fig. {number}", f"{shows} over k; over m, n and |D| in the full run", "trees")
    yield Figure(
        "000",
        "Fig. 18",
        "negative knowledge",
        why="measured at one k by benchmarks/trees/attack.py; no sweep, no picture",
    )
    for number in (1, 2, 3):
        yield Figure("001", f"Fig. {number}", "the example, releases of it, hierarchies", why=EXAMPLE)
    yield Figure("001", "Table 1", "the data", why="docs/data.md; the whole INFORMS and YouTube are not to be had")
    yield Figure("001", "Fig. 4", "ARE over delta; YouTube in docs/evidence/mixed.md", "mixed")
    yield Figure("001", "Fig. 5", "ARE of (k, l^m)-diversity", why="no benchmark sweeps (k, l^m) yet")
    yield Figure("001", "Fig. 6", "largest class and UL over delta", "mixed")
    yield Figure(
        "001",
        "Fig. 7a–c, e",
        "time over |D| and k, BTD",
        why="docs/evidence/mixed.md; mixed.verified --over size and k, mixed.order",
    )
    yield Figure("001", "Fig. 7d, f", "BTD in Tum-Bound", why="mixed.order measures Rum-Bound only")
    yield Figure("001", "Fig. 7g, h", "UL over the number of merges", why="no benchmark stops after each merge")
    for name in (
        "Table 1",
        "Table 2",
        "Table 3",
        "Fig. 1",
        "Fig. 2",
        "Fig. 3",
        "Fig. 4",
        "Fig. 5",
        "Fig. 6 (clusters)",
        "Table 4",
    ):
        yield Figure("002", name, "the example, the definitions", why=EXAMPLE)
    yield Figure("002", "Table 5", "columns of Adult", why="examples/adult/mstk")
    for letter, shows in (("a", "information loss"), ("b", "discernibility"), ("c", "average class size")):
        yield Figure("002", f"Fig. 6({letter})", f"{shows}, MSTK and Incognito", "mstk")
    yield Figure(
        "002", "running times", "in its text", why="seconds of mstk are in its JSON; Incognito's were not taken"
    )
    for name in (
        "Table 1",
        "Table 2",
        "Table 3",
        "Table 4",
        "Fig. 1",
        "Fig. 2",
        "Table 5",
        "Fig. 3",
        "Fig. 4",
        "Fig. 5",
    ):
        yield Figure("003", name, "the example, the graph, the walk", why=EXAMPLE)
    yield Figure("003", "Table 6", "the data", why="docs/data.md; Pumsb is here in part")
    yield Figure(
        "003",
        "Fig. 6a–d",
        "error rate and query error over k; Gray-TSP ring and blocks, Gray blocks. The plain Gray ring is missing",
        "matching",
    )
    yield Figure(
        "003",
        "Fig. 6e–h",
        "the same over l: blocks, beside CAHD. The paper's own l-diversification is unsafe (003-4)",
        "matching",
    )
    yield Figure(
        "003",
        "Fig. 7",
        "time over k and size",
        why="seconds are in the JSON of the step; no picture, and 7c was not measured",
    )
    for name in ("Fig. 1", "Table 1", "Fig. 2", "Fig. 3"):
        yield Figure("004", name, "the example, the lattice, the searches", why=EXAMPLE)
    yield Figure(
        "004", "Table 2", "columns of Adult", why="examples/adult/poka, with the lengths that the paper prints"
    )
    yield Figure("004", "Fig. 4", "the frontier, by exact search; POkA's points in docs/methods/poka.md", "frontier")
    yield Figure("004", "Fig. 5", "depths 1, 2, 3", why="a table in docs/methods/poka.md, no picture")
    yield Figure(
        "004", "Table 3", "nodes evaluated by depth", why="depths 1 to 3 in docs/methods/poka.md; 4 to 6 were not run"
    )
    yield Figure("004", "Fig. 6", "nodes evaluated by size of the lattice", why="one lattice only")


FIGURES = tuple(_figures())


@dataclass(frozen=True)
class Outcome:
    """What became of a step."""

    step: Step
    trouble: str
    wall: float
    cpu: float
    pictures: tuple[str, ...]


def run(step: Step, folder: Path, quick: bool) -> Outcome:
    to = folder / step.paper
    to.mkdir(parents=True, exist_ok=True)
    start, before = time.perf_counter(), _cpu()
    printed, trouble = to / f"{step.name}.json", ""
    for command in step.quick if quick else step.full:
        words = [word.format(to=to, json=printed) for word in command.split()]
        words = [sys.executable, "-m", *words]
        # pictures and the next command read what the first one printed
        target = printed if "{json}" not in command else to / f"{step.name}.log"
        paths = os.pathsep.join([str(PROJECT / "src"), str(PROJECT), str(PROJECT / "tests")])
        try:
            with (
                target.open("w", encoding="utf-8") as out,
                (to / f"{step.name}.err").open("w", encoding="utf-8") as err,
            ):
                ended = subprocess.run(
                    words,
                    cwd=PROJECT,
                    env={**os.environ, "PYTHONPATH": paths},
                    stdout=out,
                    stderr=err,
                    timeout=max(1.0, step.limit - (time.perf_counter() - start)) if quick else None,
                    check=False,
                )
        except subprocess.TimeoutExpired:
            trouble = f"stopped after {step.limit} s"
            break
        if ended.returncode:
            said = (to / f"{step.name}.err").read_text(encoding="utf-8").strip().splitlines()
            trouble = said[-1] if said else f"ended with {ended.returncode}"
            break
    pictures = tuple(sorted(path.name for path in to.glob("*.svg")))
    return Outcome(step, trouble, time.perf_counter() - start, _cpu() - before, pictures)


def page(outcomes: Iterable[Outcome], quick: bool) -> str:
    """Markdown: what ran, what was drawn, and every figure of the papers."""
    by_name = {outcome.step.name: outcome for outcome in outcomes}
    lines = [
        "# The figures of the five papers, drawn again",
        "",
        f"Made by `python -m benchmarks.reproduce{' --quick' if quick else ''}`.",
        "Where we differ, and why: docs/evidence and docs/about/errata.md.",
        "",
        "| step | paper | pictures | CPU s | wall s | |",
        "|---|---|---|---|---|---|",
    ]
    for name, outcome in by_name.items():
        facts = f"{len(outcome.pictures)} | {outcome.cpu:.0f} | {outcome.wall:.0f} | {outcome.trouble or 'done'}"
        lines.append(f"| {name} | {outcome.step.paper} | {facts} |")
    for paper, title in PAPERS.items():
        lines += ["", f"## Paper {paper}", "", f"{title}.", "", "| figure | shows | |", "|---|---|---|"]
        for figure in (figure for figure in FIGURES if figure.paper == paper):
            drawn = by_name.get(figure.step)
            if not figure.step:
                fate = f"left out: {figure.why}"
            elif drawn is None:
                fate = "left out: its step was not asked for"
            elif drawn.trouble:
                fate = f"not drawn: {drawn.trouble}"
            else:
                fate = f"drawn{f', {figure.why}' if figure.why else ''}"
            lines.append(f"| {figure.name} | {figure.shows} | {fate} |")
        pictures = [
            f"{paper}/{picture}" for one in by_name.values() if one.step.paper == paper for picture in one.pictures
        ]
        lines += ["", *(f"![{Path(picture).stem}]({picture})" for picture in pictures)]
    return "\n".join(lines) + "\n"


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--paper", default=",".join(PAPERS))
    options.add_argument("--quick", action="store_true")
    options.add_argument("--output", type=Path, default=Path("reproduced"))
    given = options.parse_args()
    asked = given.paper.split(",")
    unknown = [paper for paper in asked if paper not in PAPERS]
    if unknown:
        options.error(f"There is no paper {', '.join(unknown)}. Papers: {', '.join(PAPERS)}.")
    folder = given.output.resolve()
    outcomes = []
    for step in STEPS:
        if step.paper in asked:
            outcomes.append(run(step, folder, given.quick))
            one = outcomes[-1]
            told = one.trouble or f"{len(one.pictures)} pictures"
            print(f"paper {step.paper}, {step.name}: {told}, {one.cpu:.0f} CPU s, {one.wall:.0f} s", file=sys.stderr)
    (folder / "README.md").write_text(page(outcomes, given.quick), encoding="utf-8")
    print(folder / "README.md")
    return int(any(outcome.trouble for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
