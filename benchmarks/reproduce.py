"""The figures of the five papers, drawn from runs of ours, with a page that lists every figure: drawn, or left out and why.

    python -m benchmarks.reproduce [--paper 000,…,004] [--step S,…] [--quick] [--minutes 10] [--resume] [--output DIR] [--page FILE]

`--quick` takes small sizes and ends within ten minutes: steps share that time, and one that would take more than the others leave
it is stopped. On a machine that is busy with other things, `--minutes` gives it more. Without `--quick` the steps run at the
sizes of docs/evidence, which takes hours. Each step is a benchmark of its own; its JSON, pictures and CPU seconds go to DIR.
DIR/README.md has all figures: drawn or not, and whether what was measured is what the paper says; DIR/000.md and so on have one
paper each, with its pictures. A step whose data is not here, or that runs out of time, is told as such; with `--resume` steps
that were finished in DIR by the same command are not run again. `--step` runs these steps only; of the others the page has what was
finished in DIR, at whichever size, so that a long run can be made a step at a time and stand beside quick ones. `--page` writes the
list without pictures to a file as well, as it stands in docs/evidence/papers.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import shoal
from benchmarks.lib.places import PROJECT
from benchmarks.papers.figures import FIGURES, PAPERS, Figure
from benchmarks.papers.steps import STEPS, Step

MINUTES = 10.0  # of wall time for all steps together, when it has to be quick
ENDING = 20  # seconds of these that are kept for pages
LEAST = 25  # that each step to come is left


@dataclass(frozen=True)
class Outcome:
    """What became of a step."""

    step: Step
    trouble: str
    wall: float
    cpu: float
    pictures: tuple[str, ...]
    told: Mapping[str, Any]
    full: bool = False

    @property
    def size(self) -> str:
        """What it was run on, beside what the paper has."""
        quick, full, paper = self.step.sizes
        ours = full if self.full else quick
        return f"{'full' if self.full else 'quick'}: {ours}" + ("" if ours == paper else f"; the paper {paper}")

    def save(self, folder: Path, commands: tuple[str, ...]) -> None:
        facts = {"commands": commands, "wall": self.wall, "cpu": self.cpu, "pictures": self.pictures}
        (folder / self.step.paper / f"{self.step.name}.done.json").write_text(json.dumps(facts), encoding="utf-8")

    @classmethod
    def saved(cls, step: Step, folder: Path, commands: tuple[str, ...]) -> Outcome | None:
        """Of an earlier run of the same commands that had no trouble."""
        done = folder / step.paper / f"{step.name}.done.json"
        facts = json.loads(done.read_text(encoding="utf-8")) if done.exists() else {}
        if facts.get("commands") != list(commands):
            return None
        told = json.loads((folder / step.paper / f"{step.name}.json").read_text(encoding="utf-8"))
        return cls(step, "", facts["wall"], facts["cpu"], tuple(facts["pictures"]), told, commands == step.full)


def run(step: Step, folder: Path, quick: bool, seconds: float | None) -> Outcome:
    """seconds: after so many it is stopped."""
    to = folder / step.paper
    to.mkdir(parents=True, exist_ok=True)
    start, before = time.perf_counter(), _cpu()
    before_pictures = {path: path.stat().st_mtime_ns for path in to.glob("*.svg")}
    printed, trouble = to / f"{step.name}.json", ""
    for command in step.quick if quick else step.full:
        # pictures read what the first command printed
        target = printed if "{json}" not in command else to / f"{step.name}.log"
        left = None if seconds is None else max(1.0, seconds - (time.perf_counter() - start))
        trouble = _ran(command.format(to=to, json=printed), target, to / f"{step.name}.err", left)
        if trouble:
            break
    new = (path for path in to.glob("*.svg") if before_pictures.get(path) != path.stat().st_mtime_ns)
    pictures = tuple(sorted(path.name for path in new))
    told = {} if trouble else json.loads(printed.read_text(encoding="utf-8"))
    return Outcome(step, trouble, time.perf_counter() - start, _cpu() - before, pictures, told, not quick)


def _ran(command: str, target: Path, errors: Path, seconds: float | None) -> str:
    """What went wrong, or nothing."""
    paths = os.pathsep.join([str(PROJECT / "src"), str(PROJECT), str(PROJECT / "tests")])
    with target.open("w", encoding="utf-8") as out, errors.open("w", encoding="utf-8") as err:
        # in a session of its own: what it starts ends with it
        started = subprocess.Popen(
            [sys.executable, "-m", *command.split()],
            cwd=PROJECT,
            env={**os.environ, "PYTHONPATH": paths},
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            started.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, 9)
            started.wait()
            return f"stopped after {seconds:.0f} s"
    if not started.returncode:
        return ""
    said = errors.read_text(encoding="utf-8").strip().splitlines()
    return said[-1] if said else f"ended with {started.returncode}"


# ---- pages -----------------------------------------------------------------------------------------------------------


def fate(figure: Figure, outcomes: Mapping[str, Outcome]) -> tuple[str, str]:
    """Drawn or left out, and what was found."""
    if not figure.step:
        return "left out" if figure.measures else "nothing measured", figure.why
    outcome = outcomes.get(figure.step)
    if outcome is None:
        return "left out", "its step was not asked for"
    if outcome.trouble:
        return "not drawn", outcome.trouble
    assert figure.check is not None
    try:
        return "drawn", str(figure.check(outcome.told))
    except (KeyError, IndexError, ValueError) as missing:  # a run that was too short for it
        return "drawn", f"not judged: the run has too few points ({type(missing).__name__})"


def listed(paper: str, outcomes: Mapping[str, Outcome]) -> list[str]:
    """The figures of a paper as a table."""
    lines = ["| figure | the paper | | what we found, or why not | size |", "|---|---|---|---|---|"]
    for figure in (figure for figure in FIGURES if figure.paper == paper):
        drawn, found = fate(figure, outcomes)
        size = outcomes[figure.step].size if drawn == "drawn" else ""
        cells = (cell.replace("|", "\\|") for cell in (figure.name, figure.says, drawn, found, size))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def page(outcomes: Iterable[Outcome], quick: bool, resumed: bool = False) -> str:
    """Markdown: what ran, and every figure of the papers."""
    by_name = {outcome.step.name: outcome for outcome in outcomes}
    fates = [fate(figure, by_name) for figure in FIGURES]
    drawn = [found for kind, found in fates if kind == "drawn"]
    kinds = [kind for kind, _ in fates]
    cpu, wall = (sum(getattr(one, name) for one in by_name.values()) for name in ("cpu", "wall"))
    verdicts = [sum(found.startswith(word) for found in drawn) for word in ("agrees", "differs")]
    command = f"python -m benchmarks.reproduce{' --quick' if quick else ''}{' --resume' if resumed else ''}"
    goes = " Steps were run in several goes, and seconds are the sums of them." if resumed else ""
    lines = [
        "# The figures of the five papers, drawn again",
        "",
        f"Made by `{command}` on {datetime.now(UTC):%Y-%m-%d}, shoal {shoal.__version__}, Python {sys.version.split()[0]}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at its end.{goes}",
        "",
        f"{len(FIGURES)} figures and tables: {len(drawn)} drawn, of which {verdicts[0]} agree with the paper and "
        f"{verdicts[1]} differ; {kinds.count('not drawn')} not drawn because of trouble, {kinds.count('left out')} left out; in "
        f"{kinds.count('nothing measured')} nothing is measured: illustrations, and descriptions of the data. "
        f"{cpu:.0f} CPU seconds, {wall:.0f} on the clock.",
        "",
    ]
    if any(not outcome.full for outcome in by_name.values()):
        lines += [
            "Sizes of quick steps are far below the papers', and each finding is of this run alone; records at their sizes are in "
            "docs/evidence.",
            "",
        ]
    lines += ["| step | paper | size | pictures | CPU s | wall s | |", "|---|---|---|---|---|---|---|"]
    asked = []
    for name, outcome in by_name.items():
        facts = f"{len(outcome.pictures)} | {outcome.cpu:.0f} | {outcome.wall:.0f} | {outcome.trouble or 'done'}"
        lines.append(f"| {name} | {outcome.step.paper} | {outcome.size} | {facts} |")
        command = (outcome.step.full if outcome.full else outcome.step.quick)[0]
        asked.append(f"{name}: python -m {command.format(to='DIR', json='JSON')}")
    lines += ["", "```text", *asked, "```"]
    for paper, title in PAPERS.items():
        lines += ["", f"## Paper {paper}", "", f"{title}.", "", *listed(paper, by_name)]
    return "\n".join(lines) + "\n"


def paper_page(paper: str, outcomes: Iterable[Outcome]) -> str:
    """Markdown: one paper, with its pictures."""
    by_name = {outcome.step.name: outcome for outcome in outcomes}
    lines = [f"# Paper {paper}", "", f"{PAPERS[paper]}.", "", *listed(paper, by_name)]
    for one in by_name.values():
        if one.step.paper == paper:
            lines += ["", *(f"![{Path(name).stem}]({paper}/{name})" for name in one.pictures)]
    return "\n".join(lines) + "\n"


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--paper", default=",".join(PAPERS))
    options.add_argument("--step", help="only these, of: " + ", ".join(step.name for step in STEPS))
    options.add_argument("--quick", action="store_true")
    options.add_argument("--minutes", type=float, default=MINUTES, help="of a quick run, at most")
    options.add_argument("--resume", action="store_true", help="what was finished in DIR is not run again")
    options.add_argument("--output", type=Path, default=Path("reproduced"))
    options.add_argument("--page", type=Path, help="the list without pictures goes here as well")
    given = options.parse_args()
    asked = given.paper.split(",")
    unknown = [paper for paper in asked if paper not in PAPERS]
    if unknown:
        options.error(f"There is no paper {', '.join(unknown)}. Papers: {', '.join(PAPERS)}.")
    chosen = {step.name for step in STEPS} if given.step is None else set(given.step.split(","))
    if chosen - {step.name for step in STEPS}:
        options.error(f"There is no step {', '.join(sorted(chosen - {step.name for step in STEPS}))}.")
    folder, begun = given.output.resolve(), time.perf_counter()
    steps = [step for step in STEPS if step.paper in asked]
    outcomes: list[Outcome] = []
    for place, step in enumerate(steps):
        left = 60 * given.minutes - ENDING - (time.perf_counter() - begun) - LEAST * (len(steps) - place - 1)
        commands = step.quick if given.quick else step.full
        if step.name not in chosen:
            there = Outcome.saved(step, folder, step.full) or Outcome.saved(step, folder, step.quick)
            outcomes += [] if there is None else [there]
            continue
        kept = Outcome.saved(step, folder, commands) if given.resume else None
        one = kept or run(step, folder, given.quick, left if given.quick else None)
        if not one.trouble:
            one.save(folder, commands)
        outcomes.append(one)
        told = one.trouble or f"{len(one.pictures)} pictures"
        print(
            f"paper {step.paper}, {step.name}: {told}, {one.cpu:.0f} CPU s, {one.wall:.0f} s",
            file=sys.stderr,
            flush=True,
        )
    (folder / "README.md").write_text(page(outcomes, given.quick, given.resume), encoding="utf-8")
    for paper in asked:
        (folder / f"{paper}.md").write_text(paper_page(paper, outcomes), encoding="utf-8")
    if given.page:
        given.page.write_text(page(outcomes, given.quick, given.resume), encoding="utf-8")
    print(folder / "README.md")
    return int(any(outcome.trouble for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
