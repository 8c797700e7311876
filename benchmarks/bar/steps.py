"""Commands that stand behind a line of the bar, and what they say: figures by name, and whether all went well.

Nothing here is believed because a command ended with 0: tests are counted from the file that pytest writes about each of them, and
scripts from the JSON object they print.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.lib.child import run
from benchmarks.lib.places import PROJECT

Figures = Mapping[str, int]


@dataclass(frozen=True)
class Outcome:
    """What came of a command. `fault`: why it does not stand behind its line, or nothing."""

    command: str
    figures: Figures
    fault: str
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Selection:
    """Some tests. Their number is a figure, and so is what they record as properties: the sum over tests of each of them."""

    selection: tuple[str, ...]
    counted: str  # what one test is, in the plural
    only: str = ""  # as for `pytest -k`
    surroundings: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        told = " ".join(f"{name}={value} " for name, value in self.surroundings.items())
        chosen = f" -k '{self.only}'" if self.only else ""
        return f"{told}pytest {' '.join(self.selection)}{chosen}"

    @property
    def arguments(self) -> list[str]:
        return [*self.selection, *(["-k", self.only] if self.only else [])]

    def run(self, limit: float) -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder) / "tests.xml"
            environment = [f"{name}={value}" for name, value in self.surroundings.items()]
            options = ["-q", "-p", "no:cacheprovider", "--hypothesis-profile=ci", f"--junitxml={told}"]
            pytest = [sys.executable, "-m", "pytest", *options, *self.arguments]
            ran = run(["env", *environment, *pytest], limit)
            figures, fault = (
                counted(told, self.counted) if told.exists() else ({}, "pytest wrote nothing about its tests")
            )
        if ran.code is None:
            fault = f"not finished after {limit:g} s"
        return Outcome(
            self.command, figures, fault or (f"exit code {ran.code}" if ran.code else ""), ran.wall_s, ran.cpu_s
        )


@dataclass(frozen=True)
class Script:
    """A module that prints one JSON object. read: its figures, and what is at fault."""

    arguments: tuple[str, ...]
    read: Callable[[dict], tuple[Figures, str]]

    @property
    def command(self) -> str:
        return f"python -m {' '.join(self.arguments)}"

    def run(self, limit: float) -> Outcome:
        ran = run([sys.executable, "-m", *self.arguments], limit)
        try:
            figures, fault = self.read(json.loads(ran.out))
        except (json.JSONDecodeError, LookupError, ValueError):
            figures, fault = {}, f"printed no figures: {ran.why[:200]}"
        if ran.code is None:
            fault = f"not finished after {limit:g} s"
        return Outcome(
            self.command, figures, fault or (f"exit code {ran.code}" if ran.code else ""), ran.wall_s, ran.cpu_s
        )


def counted(told: Path, name: str) -> tuple[Figures, str]:
    """Tests that passed, what they recorded, and what failed; from the file that pytest writes. A skipped test is no proof."""
    figures: Counter[str] = Counter()
    wrong: list[str] = []
    for case in ElementTree.parse(told).iter("testcase"):
        outcomes = {child.tag for child in case}
        if outcomes & {"failure", "error"}:
            wrong.append(str(case.get("name")))
            continue
        figures["skipped" if "skipped" in outcomes else name] += 1
        for one in case.iter("property"):
            if (value := one.get("value", "")).isdigit():
                figures[str(one.get("name"))] += int(value)
    if not wrong and not figures[name]:
        wrong.append("no test was run")
    return figures, "" if not wrong else f"{len(wrong)} failed: {', '.join(wrong[:3])}"


def in_project() -> None:
    """Commands are run where the project lies, with what tests share within reach."""
    os.chdir(PROJECT)
    places = [str(PROJECT), str(PROJECT / "src"), str(PROJECT / "tests"), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(place for place in places if place)
