"""What a person should know before confirming a column. Equal advice is given once, with the columns it concerns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shoal.release.suggest.summary import Advice, Suggestion

_RUN = 3  # numbered columns in a row that are written as one: q1 to q3
_NUMBERED = re.compile(r"(.*?)(\d{1,9})")


def grouped(suggestions: Iterable[Suggestion]) -> list[tuple[Advice, list[str]]]:
    """Every advice with the names of its columns; doubts first."""
    columns: dict[Advice, list[str]] = {}
    for one in suggestions:
        for advice in one.advice:
            columns.setdefault(advice, []).append(one.name)
    return sorted(columns.items(), key=lambda item: not item[0].doubt)


def columns_in_words(names: Sequence[str], most: int | None = None) -> str:
    """`age, q1 to q40, sex`; after `most` of these only how many more columns there are."""
    runs = _runs(names)
    shown, rest = (runs, []) if most is None or len(runs) <= most else (runs[:most], runs[most:])
    words = [one[0] if len(one) == 1 else f"{one[0]} to {one[-1]}" for one in shown]
    return ", ".join(words) + (f" and {sum(map(len, rest)):,} more" if rest else "")


def _runs(names: Sequence[str]) -> list[list[str]]:
    """Neighbours that count up, as q1, q2, q3, in one list; every other name in a list of its own."""
    runs: list[list[str]] = []
    for name in names:
        if runs and _follows(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return [part for run in runs for part in ([run] if len(run) >= _RUN else [[name] for name in run])]


def _follows(before: str, after: str) -> bool:
    one, other = _NUMBERED.fullmatch(before), _NUMBERED.fullmatch(after)
    return bool(one and other and one[1] == other[1] and int(one[2]) + 1 == int(other[2]))
