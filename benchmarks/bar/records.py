"""Long runs on record: when a command was run, and the least figure of its table; read from docs/evidence.

A record is a section `## DATE …` with the command in a code block, and often a table after it. What `benchmarks.trust --long` ran
is in docs/evidence/bar.json.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import date
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
    rows = [
        [cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    for at, row in enumerate(rows):
        if record.column in row:
            column, least = row.index(record.column), None
            for cells in rows[at + 2 :]:
                number = re.match(r"[\d,]+", cells[column]) if column < len(cells) else None
                if cells[0].startswith(record.row) and number:
                    value = int(number[0].replace(",", ""))
                    least = value if least is None else min(least, value)
            return least
    return None


def kept() -> dict[str, Any]:
    """Long runs by the number of their line: `date`, `figures`."""
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


def keep(number: int, day: date, figures: dict[str, int]) -> None:
    written = {**kept(), str(number): {"date": day.isoformat(), "figures": figures}}
    KEPT.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n", encoding="utf-8")
