"""Made-up data of one kind, with a recipe."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable
from dataclasses import dataclass

_SEED = 4


@dataclass(frozen=True)
class Example:
    """Nobody in it exists."""

    name: str  # as `shoal example` calls it
    draw: Callable[[random.Random], dict[str, str]]  # file → text, the recipe last

    def files(self) -> dict[str, str]:
        """The same every time: file → text, the recipe last."""
        return self.draw(random.Random(_SEED))


def csv_text(header: list[str], rows: list[list[str]]) -> str:
    """A table as a CSV file has it."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return table.getvalue()
