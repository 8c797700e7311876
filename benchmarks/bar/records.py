"""Long runs on record: when a command was run, and the least figure of its table; read from docs/evidence.

A record is a section `## DATE …` with the command in a code block, and often a table after it; or a file in which scripts keep
their sums. What `benchmarks.trust --long` ran is in docs/evidence/bar.json.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
from itertools import takewhile
from typing import Any

from benchmarks.lib.places import PROJECT

EVIDENCE = PROJECT / "docs" / "evidence"
KEPT = EVIDENCE / "bar.json"


@dataclass(frozen=True)
class Record:
    """Where a long run is written down.

    column: the head of the column whose least number is the figure; none: that it was run at all is what counts. row: only rows
    that begin so.
    """

    of: str  # what it covers
    file: str
    command: str
    column: str = ""
    row: str = ""


@dataclass(frozen=True)
class Summed:
    """A sum that a script keeps from run to run (`benchmarks/lib/sums.py`): the least of all kinds that have planted breaches."""

    of: str  # the name of the script
    what: str  # what is counted
    file: str = "verifier.json"


@dataclass(frozen=True)
class Mutants:
    """What `benchmarks.verifier.mutants` keeps of its parts: the share of mutants that were tried, or that died of those tried."""

    of: tuple[str, ...]  # all parts: one that is not there counts as not tried
    dead: bool = False
    file: str = "mutants.json"


@dataclass(frozen=True)
class Swept:
    """What `benchmarks.every_kind` keeps of its cases: how many of them are verified, or refused by their method."""

    cases: tuple[str, ...]
    of: str = "sets, mixed tables and trees"
    file: str = "real.json"


@dataclass(frozen=True)
class Found:
    of: str
    day: date | None  # None: there is no record
    figure: int | None  # None: a record without a figure


Kept = Record | Summed | Mutants | Swept


def look_up(record: Kept) -> Found:
    if isinstance(record, Summed):
        return _summed(record)
    if isinstance(record, Swept):
        return _swept(record)
    return _mutants(record) if isinstance(record, Mutants) else _section(record)


def _swept(record: Swept) -> Found:
    """Nothing where one failed."""
    every = _read(record.file).get("cases", {})
    rows = [every[name] for name in record.cases if name in every]
    if not rows:
        return Found(record.of, None, None)
    good = sum(row["outcome"] in ("verified", "refused") for row in rows)
    failed = any(row["outcome"] == "failure" for row in every.values())
    return Found(record.of, date.fromisoformat(max(row["date"] for row in rows)), 0 if failed else good)


def _summed(record: Summed) -> Found:
    """Nothing where a run disagreed with the definition."""
    mine = _read(record.file).get(record.of)
    if not mine:
        return Found(record.of, None, None)
    least = min((one.get(record.what, 0) for one in mine["kinds"].values() if "planted" in one), default=0)
    return Found(record.of, date.fromisoformat(mine["runs"][-1]["date"]), 0 if mine["disagreements"] else least)


def _mutants(record: Mutants) -> Found:
    parts = [one for name, one in _read(record.file).items() if name in record.of]
    of = f"{len(parts)} of {len(record.of)} parts"
    if not parts:
        return Found(of, None, None)
    tried, made = sum(one["tried"] for one in parts), sum(one["mutants"] for one in parts)
    alive = sum(len(one["survivors"]) + len(one["not_reached"]) for one in parts)
    share = (tried - alive, tried) if record.dead else (tried if len(parts) == len(record.of) else 0, made)
    day = max(run["date"] for one in parts for run in one["runs"])
    return Found(of, date.fromisoformat(day), 100 * share[0] // max(1, share[1]))


def _read(file: str) -> dict[str, Any]:
    path = EVIDENCE / file
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _section(record: Record) -> Found:
    """The newest section that has the command."""
    text = (EVIDENCE / record.file).read_text(encoding="utf-8")
    newest = Found(record.of, None, None)
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        dated = re.match(r"## (\d{4}-\d\d-\d\d)", section)
        place = section.find(record.command)
        if dated is None or place < 0:
            continue
        day = date.fromisoformat(dated[1])
        if newest.day is None or day > newest.day:
            newest = Found(record.of, day, _least(section[place:], record))
    return newest


def _least(text: str, record: Record) -> int | None:
    """The least number in a column of the first table that has it."""
    if not record.column:
        return None
    lines = text.splitlines()
    for at, line in enumerate(lines):
        head = _cells(line)
        if record.column not in head:
            continue
        table = map(_cells, takewhile(lambda one: one.startswith("|"), lines[at + 2 :]))
        cells = [row[head.index(record.column)] for row in table if row[0].startswith(record.row)]
        numbers = [found[0] for cell in cells if (found := re.match(r"[\d,]+", cell))]
        return min((int(number.replace(",", "")) for number in numbers), default=None)
    return None


def _cells(line: str) -> list[str]:
    return (
        [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")] if line.startswith("|") else []
    )


def kept() -> dict[str, Any]:
    """Long runs by the number of their line: `date`, `figures`."""
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


def keep(number: int, day: date, figures: dict[str, int]) -> None:
    written = {**kept(), str(number): {"date": day.isoformat(), "figures": figures}}
    KEPT.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n", encoding="utf-8")
