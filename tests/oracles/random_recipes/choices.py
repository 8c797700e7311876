"""Random values, hierarchies of every form, and files: what all kinds of recipes draw from."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence

Cell = str | None
# Texts that look like labels of a hierarchy, like numbers, like missing values, or that files have to quote.
WORDS = [
    "a",
    "b",
    "c",
    "é",
    "日本",
    "x y",
    "q'q",
    '"q"',
    "a,b",
    "=1",
    "<b>",
    "NA",
    "nan",
    "007",
    "7",
    "a;b",
    "10-20",
    "[1, 2[",
]
ITEMS = ["ale", "bread", "é", "日本", "x y", "q'q", '"q"', "a,b", "=1", "-2", "007", "7", "(a,b)", "<b>", "a;b", "0"]
NAMES = ["c{}", "C {}", "q.{}", "é{}", 'q"{}', "a'{}", "raw:{}", "c{};drop"]


def published(rng: random.Random, role: str) -> dict[str, Any]:
    """A column that is published as it is. In small data many people are alone with a value; most recipes accept it."""
    accepted = {"accept_unique": True, "reason": "made up"} if rng.random() < 0.8 else {}
    return {"role": role, **accepted}


def some(rng: random.Random, values: Sequence[str], number: int, missing: float, skew: float = 0) -> list[Cell]:
    """A column. skew: how often it is the first value, over and above its share."""
    return [
        None if rng.random() < missing else values[0] if rng.random() < skew else rng.choice(values)
        for _ in range(number)
    ]


# ---- hierarchies ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Quasi:
    cells: list[Cell]
    form: str
    spec: Any = None  # the hierarchy of the recipe
    files: Mapping[str, bytes] | None = None

    @property
    def column(self) -> dict[str, Any]:
        return {"role": "quasi"} | ({} if self.spec is None else {"hierarchy": self.spec})


def quasi(rng: random.Random, number: int, file: str) -> Quasi:
    """A column of single values, with a hierarchy of any form. file: what a hierarchy file is called."""
    form = rng.choice(["none", "file", "file", "intervals", "intervals", "mask", "dates", "groups", "order"])
    missing = rng.choice([0, 0, 0.05, 0.2])
    words = rng.sample(WORDS, rng.randint(1, 6))
    cells = some(rng, words, number, missing)
    if form == "none":
        return Quasi(cells, form)
    if form == "file":
        return Quasi(cells, form, file, {file: hierarchy_file(tree(rng, words))})
    if form == "groups":
        cut = rng.randint(0, len(words))
        groups = {name: part for name, part in (("G", words[:cut]), ("H", words[cut:])) if part}
        return Quasi(cells, form, {"groups": groups})
    if form == "order":
        return Quasi(cells, form, {"order": words, "sizes": rng.choice([[2], [2, 4], [3]])})
    if form == "intervals":
        low, high = rng.choice([(0, 100), (-20, 20), (10, 30)])
        near = rng.randint(low, high)
        numbers = [rng.randint(low - 5, high + 5) if rng.random() < 0.5 else near + rng.randint(-3, 3) for _ in cells]
        part = rng.choice(["", "", "", ".5"])
        cells = [None if rng.random() < missing else f"{one}{part if rng.random() < 0.3 else ''}" for one in numbers]
        unequal = {"borders": [[low + 3, low + 10, low + 11, high - 4], [low + 10]]}
        ranges = rng.choice([{"intervals": [5, 10]}, {"intervals": [2, 4, 8]}, unequal, {"intervals": [3, 9]}])
        return Quasi(cells, form, {**ranges, "from": low, "to": high} | ({"decimals": True} if part else {}))
    if form == "mask":
        codes = ["".join(rng.choices("01AB", k=rng.choice([3, 3, 3, 2]))) for _ in range(rng.randint(1, 8))]
        return Quasi(some(rng, codes, number, missing), form, {"mask": rng.choice(["right", "left"])})
    days = [dt.date(1980, 1, 1) + dt.timedelta(rng.choice([rng.randint(0, 3000), rng.randint(0, 40)])) for _ in cells]
    levels = rng.choice([["month", "year"], ["month", "quarter", "half-year", "year", "decade"], ["year"]])
    return Quasi([None if rng.random() < missing else day.isoformat() for day in days], form, {"dates": levels})


def tree(rng: random.Random, values: Sequence[str]) -> dict[str, list[str]]:
    """From each value to the root; some ways may be shorter than others."""
    paths = {value: [value] for value in values}
    blocks = [[value] for value in values]
    for level in range(rng.randint(0, 2)):
        joined, at = [], 0
        while at < len(blocks):
            width = rng.randint(1, 3)
            joined.append([value for block in blocks[at : at + width] for value in block])
            at += width
        for block in joined:
            for value in block:
                paths[value].append(f"{'LM'[level]}:{block[0]}")
        blocks = joined
    top = rng.choice(["*", "*", "any"])
    uneven = rng.random() < 0.2
    for path in paths.values():
        if uneven and len(path) > 2 and rng.random() < 0.3:
            del path[1]
        path.append(top)
    return paths


def hierarchy_file(paths: Mapping[str, Sequence[str]]) -> bytes:
    return csv_file(list(paths.values()), ";")


# ---- files ---------------------------------------------------------------------------------------------------------------


def csv_file(rows: Sequence[Sequence[Cell]], delimiter: str = ",") -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(
        [["" if cell is None else cell for cell in row] for row in rows]
    )
    return text.getvalue().encode()


def parquet_file(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def zipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def typed(rng: random.Random, cells: Sequence[Cell]) -> pa.Array:
    """As texts, or as the numbers or dates that they all are."""
    known = [cell for cell in cells if cell is not None]
    if known and rng.random() < 0.6:
        for read, kind in ((_whole, pa.int64()), (_day, pa.date32()), (_part, pa.float64())):
            try:
                made = {cell: read(cell) for cell in known}
            except ValueError:
                continue
            return pa.array([None if cell is None else made[cell] for cell in cells], kind)
    if rng.random() < 0.2:
        return pa.array(cells, pa.string()).dictionary_encode()
    return pa.array(cells, pa.string())


def _whole(text: str) -> int:
    if str(int(text)) != text:
        raise ValueError
    return int(text)


def _part(text: str) -> float:
    if str(float(text)) not in (text, f"{text}.0") or text == "nan":  # 007 is a code
        raise ValueError
    return float(text)


def _day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)
