"""The bar of the project as one table: what is claimed, what was run for it, the figure, and whether it holds.

    python -m benchmarks.trust [--long] [--only N,N…] [--json] [--limit SECONDS] [--jobs 2]

Without options: the short forms of all fourteen lines. `--long` runs the long ones, which takes hours, and keeps their figures in
docs/evidence/bar.json. Every figure comes from a command that ran, or from the record of a long run. A line holds when its commands
went well, the number the bar asks for was reached now or in a long run on record, and nothing is missing. When all lines were run,
the table is written to docs/evidence/bar.md; after a run of some lines or of long forms, their rows there. Exit code 1: a line does
not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime

from benchmarks.bar.lines import LINES, Line, Step
from benchmarks.bar.records import EVIDENCE, Found, keep, kept, look_up
from benchmarks.bar.steps import Outcome, in_project
from shoal.version import __version__

BAR = EVIDENCE / "bar.md"


@dataclass(frozen=True)
class Judged:
    """A line, what was run for it, and why it does not hold (nothing: it does)."""

    line: Line
    outcomes: tuple[Outcome, ...]
    figures: dict[str, int]
    recorded: tuple[Found, ...]
    reasons: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.reasons

    @property
    def run(self) -> str:
        days = sorted({found.day for found in self.recorded if found.day is not None})
        last = f"last long run {days[-1]}" if days else "no long run on record"
        return f"short; {last}" if self.line.long else "whole"


def judge(line: Line, outcomes: tuple[Outcome, ...]) -> Judged:
    """What the figures say. Of a figure that several commands have, the least counts."""
    figures: dict[str, int] = {}
    for outcome in outcomes:
        for name, value in outcome.figures.items():
            figures[name] = min(value, figures.get(name, value))
    reasons = [f"`{one.command}`: {one.fault}" for one in outcomes if one.fault]
    recorded: list[Found] = []
    for name, wanted in line.wanted.items():
        found = [look_up(record) for record in line.records.get(name, ())]
        if (mine := kept().get(str(line.number))) is not None:
            found = [Found("the whole line", datetime.fromisoformat(mine["date"]).date(), mine["figures"].get(name, 0))]
        recorded += found
        on_record = bool(found) and all(
            one.day is not None and (one.figure is None or one.figure >= wanted) for one in found
        )
        if figures.get(name, 0) < wanted and not on_record:
            told = "; ".join(f"{one.of}: {_words(one)}" for one in found) or "no long run on record"
            reasons.append(f"{name}: {figures.get(name, 0):,} of {wanted:,} ({told})")
    if line.missing:
        reasons.append(line.missing)
    return Judged(line, outcomes, figures, tuple(recorded), tuple(reasons))


def _words(found: Found) -> str:
    if found.day is None:
        return "none"
    return f"{found.day}" if found.figure is None else f"{found.figure:,} on {found.day}"


def run_all(lines: tuple[Line, ...], long: bool, limit: float, jobs: int) -> list[Judged]:
    """Each command once, also where two lines rest on it. jobs: commands at a time."""
    steps_of = {line.number: (line.long or line.short) if long else line.short for line in lines}
    steps = {step.command: step for steps in steps_of.values() for step in steps}

    def run(step: Step) -> Outcome:
        print(step.command, file=sys.stderr, flush=True)
        return step.run(limit)

    with ThreadPoolExecutor(jobs) as pool:
        done = dict(zip(steps, pool.map(run, steps.values()), strict=True))
    judged = []
    for line in lines:
        outcomes = tuple(done[step.command] for step in steps_of[line.number])
        one = judge(line, outcomes)
        if long and line.long and not any(outcome.fault for outcome in outcomes):
            keep(line.number, datetime.now(UTC).date(), one.figures)
            one = judge(line, outcomes)
        judged.append(one)
    return judged


def table(judged: list[Judged]) -> list[str]:
    rows = ["| line | claim | command | figure | run | holds |", "|---|---|---|---|---|---|"]
    for one in judged:
        commands = "<br>".join(f"`{outcome.command.strip()}`" for outcome in one.outcomes) or "–"
        figures = ", ".join(f"{value:,} {name}" for name, value in one.figures.items()) or "–"
        verdict = "holds" if one.holds else "does not hold: " + "; ".join(one.reasons)
        rows.append(f"| {one.line.number} | {one.line.claim} | {commands} | {figures} | {one.run} | {verdict} |")
    return rows


def closing(judged: list[Judged]) -> str:
    return f"{sum(one.holds for one in judged)} of {len(judged)} hold"


def page(judged: list[Judged], seconds: float) -> str:
    """docs/evidence/bar.md."""
    cpu = sum({outcome.command: outcome.cpu_seconds for one in judged for outcome in one.outcomes}.values())
    load, python = os.getloadavg()[0], f"Python {platform.python_version()}"
    return "\n".join(
        [
            "# The bar: fourteen claims, and whether each holds",
            "",
            "**Claim.** None of its own: this page is written by the command below, and says which claims hold. A line holds",
            "when its commands went well, the number the bar asks for was reached now or in a long run on record, and",
            "nothing is missing.",
            "",
            f"## {datetime.now(UTC).date()}, shoal {__version__}",
            "",
            f"Machine: {os.cpu_count()} cores, {platform.system()}; {python}; a load of {load:.1f} at the end.",
            "",
            "<!-- not run: takes a quarter of an hour -->",
            "```bash",
            "python -m benchmarks.trust",
            "```",
            "",
            *table(judged),
            "",
            f"{closing(judged)}. {seconds:,.0f} s on the clock, {cpu:,.0f} CPU seconds of all commands.",
            "",
        ]
    )


def renewed(text: str, judged: list[Judged]) -> str:
    """The page with the rows of some lines as they are now, each with its day, and with the number that hold counted anew."""
    day = datetime.now(UTC).date()
    rows = {f"| {one.line.number} |": row for one, row in zip(judged, table(judged)[2:], strict=True)}
    lines = text.splitlines()
    for at, line in enumerate(lines):
        for start, row in rows.items():
            if line.startswith(start):
                lines[at] = row.removesuffix(" |") + f" (run again on {day}) |"
    told = [line for line in lines if line.startswith("| ") and line[2].isdigit()]
    hold = sum(re.search(r"\| holds( \(run again on [\d-]+\))? \|$", line) is not None for line in told)
    return re.sub(r"^\d+ of \d+ hold\.", f"{hold} of {len(told)} hold.", "\n".join(lines) + "\n", flags=re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="the long forms, where there are any")
    parser.add_argument("--only", default="", help="numbers of lines, with commas")
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of the table")
    parser.add_argument("--limit", type=float, help="seconds for each command; 600, and no end with --long")
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time")
    chosen = parser.parse_args()
    numbers = {int(number) for number in chosen.only.split(",") if number}
    if unknown := numbers - {line.number for line in LINES}:
        parser.error(f"there are lines 1 to {len(LINES)}; not {', '.join(map(str, sorted(unknown)))}")
    lines = tuple(line for line in LINES if not numbers or line.number in numbers)
    in_project()
    started = time.monotonic()
    limit = chosen.limit or (float("inf") if chosen.long else 600.0)
    judged = run_all(lines, chosen.long, limit, chosen.jobs)
    seconds = time.monotonic() - started
    if not numbers and not chosen.long:
        BAR.write_text(page(judged, seconds), encoding="utf-8")
    elif BAR.exists():
        BAR.write_text(renewed(BAR.read_text(encoding="utf-8"), judged), encoding="utf-8")
    if chosen.json:
        print(
            json.dumps(
                {"lines": [_told(one) for one in judged], "hold": sum(one.holds for one in judged), "of": len(judged)}
            )
        )
    else:
        print("\n".join([*table(judged), "", closing(judged)]))
    return 0 if all(one.holds for one in judged) else 1


def _told(one: Judged) -> dict:
    return {
        "line": one.line.number,
        "claim": one.line.claim,
        "commands": [
            {
                "command": outcome.command,
                "figures": dict(outcome.figures),
                "fault": outcome.fault,
                "seconds": outcome.seconds,
            }
            for outcome in one.outcomes
        ],
        "figures": one.figures,
        "run": one.run,
        "holds": one.holds,
        "reasons": list(one.reasons),
    }


if __name__ == "__main__":
    sys.exit(main())
