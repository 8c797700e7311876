"""Published files as rows, and what is asked of every release, whatever it promises."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from oracles.random_recipes.case import CANARY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from oracles.random_recipes.case import Rows


def rows_of(path: Path, delimiter: str = ",") -> Rows:
    if path.suffix == ".parquet":
        return rows_in(pq.read_table(path))
    text = path.read_bytes().decode("utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.split("\n")[:-1]]
    if path.suffix == ".dat":
        return [{"items": [item for item in line.split(" ") if item]} for line in text.split("\n")[:-1]]
    head, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    return [{name: cell or None for name, cell in zip(head, row, strict=True)} for row in rows]


def rows_in(table: pa.Table) -> Rows:
    return [{name: _plain(cell) for name, cell in row.items()} for row in table.to_pylist()]


def _plain(value: Any) -> Any:
    """Single values as texts; lists and nested records as they are."""
    if value is None or isinstance(value, str | list | dict):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else str(int(value)) if value.is_integer() else repr(value)
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def hidden(value: str | None) -> str | None:
    """A sensitive value as promises count it: what a reader takes for hidden is None."""
    return None if value is None or value.strip() in ("", "*") else value


def items_of(cell: str | list[str] | None, mark: str) -> frozenset[str]:
    """The items of a set, in a cell of a CSV file or in a list."""
    return frozenset(cell.split(mark) if isinstance(cell, str) else cell or ())


def changed(rows: Rows, originals: Sequence[Iterable[Any]], names: Sequence[str]) -> list[str]:
    """Whether columns that are published as they are hold something that the original does not."""
    before = Counter(tuple(map(_by_value, cells)) for cells in zip(*originals, strict=True))
    after = Counter(tuple(_by_value(row.get(name)) for name in names) for row in rows)
    return [f"columns {', '.join(names)} hold what the original does not"] if after - before else []


def _by_value(text: str | None) -> str | float | None:
    """A column of numbers is written as such: `2.0` may come back as `2`."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def leaks(folder: Path) -> list[str]:
    """Public files that hold a value of an identifying column."""
    public = [file for file in folder.rglob("*") if file.is_file() and ".private." not in file.name]
    return [f"{file.name} holds an identifier" for file in public if CANARY.encode() in file.read_bytes()]
