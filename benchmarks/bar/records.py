"""Long runs on record: when a command was run, and the least figure of its table; read from docs/evidence.

A record is a section `## DATE …` with the command in a code block, and often a table after it. What `benchmarks.trust --long` ran
is in docs/evidence/bar.json.
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
class Found:
    of: str
    day: date | None  # None: there is no record
    figure: int | None  # None: a record without a figure


def look_up(record: Record) -> Found:
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
