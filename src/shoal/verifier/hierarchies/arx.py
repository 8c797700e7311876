"""The hierarchy table of shoal, ARX and anjana: a row for each value, more general to the right, the top last."""

from __future__ import annotations

import csv

from shoal.errors import HierarchyError
from shoal.verifier.hierarchies.hierarchy import Row


def table_rows(text: str) -> list[Row]:
    """The rows of a file. What separates cells, `;` or `,`, is told by which of them gives all rows the same top."""
    lines = text.rstrip("\n").split("\n")
    readings = [rows for rows in (_split(lines, ";"), _split(lines, ",")) if rows is not None]
    if not readings:
        raise HierarchyError("a row has one cell, a cell that is empty, or a quote that is not closed.")
    # labels such as `[1, 5[` hold the other sign; rather the one by which all rows end alike, best of all in a star
    return min(readings, key=lambda rows: (len({row[-1] for row in rows}) > 1, {row[-1] for row in rows} != {"*"}))


def _split(lines: list[str], separator: str) -> list[Row] | None:
    rows: list[Row] = []
    for line in lines:
        try:
            (cells,) = csv.reader([line], delimiter=separator, strict=True)
        except (csv.Error, ValueError):
            return None
        # only a row of missing values begins with empty cells
        filled = next((place for place, cell in enumerate(cells) if cell), 0)
        if len(cells) < 2 or "" in cells[filled:]:
            return None
        rows.append(tuple(cell or None for cell in cells))
    return rows
