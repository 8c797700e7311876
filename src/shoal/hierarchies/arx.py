"""The ARX hierarchy table, which is also shoal's own form; with commas it is anjana's.

One row per value, no header, `;` between levels, the value first, more general to the right, the top last:

    1;0-4;0-9;0-19;*

A cell with `;` or a quote in it stands in quotes, a quote is doubled. A cell holds no line break, so one line is one
row and a forgotten quote cannot swallow the rest of the file. Rows may differ in length; then the tree is uneven. A
row without a value is the row of missing values: `;;*` keeps them missing up to the top, `;unknown;*` puts them in a
group.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError
from shoal.hierarchies.stated import MAX_CELL, MAX_CELLS, MAX_LEVELS, Faults, Format, Stated

if TYPE_CHECKING:
    from shoal.hierarchies.hierarchy import Hierarchy, Label

MAX_LINE = 1024 * 1024  # characters

_QUOTED = re.compile(r'"[^"]*"')
# possessive: a million quotes in a row must not become a million places to return to
_CELL = {d: re.compile(rf'"([^"]*+(?:""[^"]*+)*+)"(?={d}|$)|([^"{d}]*+)(?={d}|$)') for d in ";,"}


def parse(text: str) -> Stated:
    """One row for each value: the value and its levels."""
    lines = text.split("\n")
    while lines and not lines[-1]:
        lines.pop()
    faults = Faults()
    if not lines:
        faults.add("empty", "the file is empty")
        return Stated(Format.ARX, (), faults.all())
    for number, line in enumerate(lines, start=1):
        if len(line) > MAX_LINE:
            faults.add("long-line", f"a line of more than {MAX_LINE:,} characters", number)
    if faults:
        return Stated(Format.ARX, (), faults.all())
    delimiter = _delimiter(lines)
    form = Format.ARX if delimiter == ";" else Format.ANJANA
    if text.count(delimiter) + len(lines) > MAX_CELLS:
        faults.add("too-large", f"more than {MAX_CELLS:,} cells")
        return Stated(form, (), faults.all())
    rows: list[tuple[int, tuple[Label, ...]]] = []
    tails: dict[str, tuple[Label, ...]] = {}  # most rows end like one before: split and checked once, kept once
    for number, line in enumerate(lines, start=1):
        value, _, rest = line.partition(delimiter)
        tail = tails.get(rest)
        if tail is not None and value and '"' not in value and len(value) <= MAX_CELL:
            rows.append((number, (value, *tail)))
            continue
        cells = _cells(line, number, delimiter, faults)
        if cells is not None:
            path = tuple(cell or None for cell in cells)
            rows.append((number, path))
            if value and '"' not in value:
                tails[rest] = path[1:]
    widest = max((len(path) for _, path in rows), default=0)
    if widest * len(rows) > MAX_CELLS:
        faults.add("too-large", f"{len(rows):,} values × {widest:,} levels are more than {MAX_CELLS:,} cells")
    return Stated(form, tuple(rows), faults.all())


def _cells(line: str, number: int, delimiter: str, faults: Faults) -> list[str] | None:
    if not line:
        faults.add("blank-line", "a blank line between rows", number)
        return None
    if '"' in line:
        cells = _quoted(line, delimiter)
        if cells is None:
            message = (
                "a quote is opened and not closed on the line"
                if line.count('"') % 2
                else "a quote inside a cell; put the whole cell in quotes and double the quote"
            )
            faults.add("quote", message, number)
            return None
    else:
        cells = line.split(delimiter)
    if len(cells) == 1:
        faults.add("one-cell", f"only one cell; a row holds a value and its groups, separated by `{delimiter}`", number)
        return None
    if len(cells) > MAX_LEVELS:
        faults.add("too-deep", f"{len(cells):,} levels; at most {MAX_LEVELS} make sense", number)
        return None
    if len(line) > MAX_CELL and max(map(len, cells)) > MAX_CELL:
        faults.add("long-cell", f"a cell of more than {MAX_CELL:,} characters", number)
        return None
    if "" in cells:  # only the row of missing values may begin with empty cells
        filled = next((i for i, cell in enumerate(cells) if cell), 0)
        if "" in cells[filled:]:
            faults.add("empty-cell", f"cell {cells.index('', filled) + 1} is empty", number)
            return None
    return cells


def _quoted(line: str, delimiter: str) -> list[str] | None:
    cells = []
    at = 0
    while True:
        match = _CELL[delimiter].match(line, at)
        if match is None:
            return None
        cells.append(match[2] if match[1] is None else match[1].replace('""', '"'))
        at = match.end() + 1
        if at > len(line):
            return cells


def _delimiter(lines: list[str]) -> str:
    """`;` or `,`: the one that separates cells on every line. Labels such as `[1, 5[` hold the other one."""
    bare = [_QUOTED.sub("", line) if '"' in line else line for line in lines if line]
    votes = {delimiter: sum(delimiter in line for line in bare) for delimiter in ";,"}
    if votes[";"] == votes[","] == len(bare):
        # both on every line: the one that leaves the same top at the end of all, best of all a star
        tops = {delimiter: {line.rpartition(delimiter)[2] for line in bare} for delimiter in ";,"}
        return min(";,", key=lambda delimiter: (tops[delimiter] != {"*"}, len(tops[delimiter]) > 1))
    return "," if votes[","] > votes[";"] else ";"


def write(hierarchy: Hierarchy, delimiter: str = ";") -> str:
    """Every row with as many cells as there are levels: a value that has no group at some level is repeated."""
    if hierarchy.height == 0:
        raise HierarchyError("A table cannot hold a hierarchy of one value without a top.")
    cells = ["" if label is None else _cell(label, delimiter) for label in hierarchy.labels]
    rows = (delimiter.join([cells[node] for node in column]) for column in hierarchy.levels.T.tolist())
    return "\n".join(rows) + "\n"


def _cell(label: str, delimiter: str) -> str:
    if delimiter in label or ";" in label or '"' in label or label.startswith("\ufeff"):
        return '"' + label.replace('"', '""') + '"'
    return label
