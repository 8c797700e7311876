"""Sums of long runs, kept from run to run: a run can be stopped and gone on with, and the counts add up.

One file has the sums of several scripts, each under its name: counts by kind, which blocks of cases were done (a block is the seed
of its cases, so that none is counted twice), disagreements, and the runs that made them with the day, the version, the commit and a
mark of the verifier's source.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.lib.places import PROJECT
from shoal.version import __version__


def mark_of_verifier() -> str:
    """The same for the same source of the verifier, whatever the commit."""
    found = sha256()
    folder = PROJECT / "src/shoal/verifier"
    for path in sorted(folder.rglob("*.py")):
        found.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:12]


def commit() -> str:
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=PROJECT, capture_output=True, text=True, check=False)
    return told.stdout.strip()[:12]


def this_run(**more: Any) -> dict[str, Any]:
    """When and of what: what stands beside the counts of a run."""
    state = {"date": datetime.now(UTC).date().isoformat(), "version": __version__, "commit": commit()}
    return {**state, "verifier": mark_of_verifier(), **more}


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write(path: Path, sums: dict[str, Any]) -> None:
    """Whole or not at all: a run may be killed at any time."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(json.dumps(sums, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(path)


class Sums:
    """The sums of one script; `path` None: they are kept in memory alone."""

    def __init__(self, path: Path | None, name: str, run: dict[str, Any]) -> None:
        self.path, self.name = path, name
        mine = read(path).get(name, {}) if path else {}
        self.counts: Counter[tuple[str, str]] = Counter(
            {(kind, what): n for kind, told in mine.get("kinds", {}).items() for what, n in told.items()}
        )
        self.done = {part: _listed(ranges) for part, ranges in mine.get("blocks", {}).items()}
        self.disagreements: int = mine.get("disagreements", 0)
        self.runs: list[dict[str, Any]] = [*mine.get("runs", []), {**run, "cpu_seconds": 0}]
        self.cpu = 0.0

    def add(self, part: str, block: int, counts: Counter[tuple[str, str]], wrong: int, cpu: float) -> None:
        """A block that was done: it is kept at once."""
        self.counts.update(counts)
        self.done.setdefault(part, set()).add(block)
        self.disagreements += wrong
        self.cpu += cpu
        self.runs[-1]["cpu_seconds"] = round(self.cpu)
        if self.path is not None:  # another script may have written meanwhile
            write(self.path, {**read(self.path), self.name: self.told()})

    def least(self, what: str, kinds: Sequence[str]) -> int:
        """How much there is of every one of these kinds."""
        return min(self.counts[kind, what] for kind in kinds)

    def told(self) -> dict[str, Any]:
        kinds: dict[str, dict[str, int]] = {}
        for (kind, what), n in self.counts.items():
            kinds.setdefault(kind, {})[what] = n
        blocks = {part: _ranges(done) for part, done in self.done.items()}
        return {"kinds": kinds, "blocks": blocks, "disagreements": self.disagreements, "runs": self.runs}


def _listed(ranges: list[list[int]]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}


def _ranges(numbers: set[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found
