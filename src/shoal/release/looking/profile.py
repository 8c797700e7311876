"""What the columns of data hold: how many different values, which, how often; for pages, and for whoever sets borders and groups.

It is private: it shows values. It is computed once, and kept beside the recipe until the input is read in another way.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.io.parquet import row_count
from shoal.io.source import set_columns
from shoal.io.tally import Tally, column_tally
from shoal.methods.method import Progress
from shoal.release.kinds.trees.init import count_leaves
from shoal.release.looking.bars import Bar, bars_of
from shoal.release.looking.input import Looked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.methods.method import Listener

_SAMPLE = 5


@dataclass(frozen=True)
class ColumnProfile:
    """One column. Of sets, values are items; of classes of nodes, records that hold each."""

    name: str
    distinct: int  # different values; missing is none
    missing: int  # records without a value
    records: int  # all there are
    numeric: bool
    low: float | None  # of numbers; of dates, days since 1970
    high: float | None
    bars: tuple[Bar, ...]
    values: tuple[tuple[str, int], ...]  # in order, with their records; see `complete`
    sample: tuple[str, ...]  # a few, of evenly spaced records
    dates: bool = False
    sets: bool = False
    complete: bool = (
        True  # whether `values` are all there are; if not, of numbers and dates each stands for those before it too
    )

    @property
    def nearly_unique(self) -> bool:
        """Nearly every record has a value of its own, of enough records for that to mean something."""
        known = self.records - self.missing
        return not self.sets and known >= 20 and self.distinct >= 0.9 * known


@dataclass(frozen=True)
class Profile:
    """All columns of the data of a recipe, in its order."""

    records: int
    columns: tuple[ColumnProfile, ...]
    reading: str = ""  # which way of reading it is of; see `reading_of`

    def find(self, name: str) -> ColumnProfile | None:
        """Of a column; None when the data has no such one."""
        return next((one for one in self.columns if one.name == name), None)

    def to_json(self) -> dict[str, Any]:
        """For the private folder."""
        return asdict(self)

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Profile:
        """As it was kept."""
        return cls(facts["records"], tuple(map(_column, facts["columns"])), facts.get("reading", ""))


def _column(facts: Mapping[str, Any]) -> ColumnProfile:
    return ColumnProfile(
        **{
            **facts,
            "bars": tuple(Bar(**bar) for bar in facts["bars"]),
            "values": tuple((text, records) for text, records in facts["values"]),
            "sample": tuple(facts["sample"]),
        }
    )


def reading_of(recipe: Path) -> str:
    """A mark of how the data is read: the same as long as a profile holds. Changes of the files count too."""
    return _mark(Looked.of(recipe))


def _mark(looked: Looked) -> str:
    keys = ("written", "missing", "kind", "path")
    columns = {name: {key: entry[key] for key in keys if key in entry} for name, entry in looked.columns.items()}
    # a form counts for what is published alone
    removed = [
        name for name, entry in looked.columns.items() if entry.get("written") and entry["role"] == "identifying"
    ]
    spec = looked.input
    tables = [*spec.tables.values()] if isinstance(spec.tables, dict) and not spec.url else []
    stamps = []
    for place in [spec.path, *tables]:
        try:
            facts = (looked.folder / place).stat()
            stamps.append((facts.st_mtime_ns, facts.st_size))
        except (OSError, ValueError):
            stamps.append((0, 0))
    text = json.dumps([spec.model_dump(), columns, removed, stamps], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def profile(
    recipe: Path, *, tallies: Mapping[str, Tally] | None = None, listener: Listener = lambda _: None
) -> Profile:
    """Look at all columns of the data of a recipe, which need not be sound yet.

    tallies: of columns as they were counted when the recipe was proposed; they are not counted again.
    """
    looked = Looked.of(recipe)
    mark = _mark(looked)
    if looked.nested:
        return Profile(*_of_trees(looked, listener), mark)
    same = {name: tally for name, tally in (tallies or {}).items() if not looked.reads_otherwise(name)}
    return Profile(*_of_rows(looked, same, listener), mark)


def _of_rows(looked: Looked, counted: Mapping[str, Tally], listener: Listener) -> tuple[int, tuple[ColumnProfile, ...]]:
    tallies = {name: tally.without(looked.codes(name)) for name, tally in counted.items()}
    lists = frozenset(name for name, entry in looked.columns.items() if entry.get("kind") == "set")
    there = tuple(looked.columns)
    rows = 0
    if not tallies.keys() >= looked.columns.keys():
        with looked.rows() as source:
            lists = set_columns(source)
            there = source.columns if source.table is None else tuple(source.table.column_names)
            rows = source.table.num_rows if source.table is not None else row_count(source.files)
            for position, name in enumerate(there):
                listener(Progress("count", f"looking at column {position + 1} of {len(there)}", position / len(there)))
                if name not in tallies:
                    tallies[name] = column_tally(source, name, looked.words(name, "missing"))
    records = max([rows, *(tallies[name].records + tallies[name].missing for name in there if name not in lists)])
    return records, tuple(_profile_of(name, tallies[name], records, sets=name in lists) for name in there)


def _of_trees(looked: Looked, listener: Listener) -> tuple[int, tuple[ColumnProfile, ...]]:
    with looked.trees() as opened:
        counts, missing, records = count_leaves(opened, listener)
    by_path = {str(path): (counts[path], missing[path]) for path in opened.leaves}
    none: tuple[Counter[str], int] = Counter(), 0
    columns = []
    for name, entry in looked.columns.items():
        values, empty = by_path.get(str(entry.get("path") or name), none)
        codes = {*looked.codes(name)}
        coded = sum(values[code] for code in codes if code in values)
        tally = Tally.of_counts({text: n for text, n in values.items() if text not in codes}, empty + coded)
        columns.append(_profile_of(name, tally, records, sets="[]" in str(entry.get("path", ""))))
    return records, tuple(columns)


def _profile_of(name: str, tally: Tally, records: int, *, sets: bool) -> ColumnProfile:
    numbers, days = tally.numbers, tally.days
    order = numbers if numbers is not None else days
    return ColumnProfile(
        name,
        tally.distinct,
        tally.missing,
        records,
        numbers is not None,
        None if order is None else float(order.min()),
        None if order is None else float(order.max()),
        bars_of(tally),
        tuple(tally.condensed().items()),
        tuple(tally.spread(_SAMPLE)),
        days is not None,
        sets,
        tally.complete,
    )
