"""The first records of data as they were read, and what was understood of how the data is written."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import is_list
from shoal.data.text import text_of, texts
from shoal.errors import DataError
from shoal.io.encodings import ENCODINGS
from shoal.io.parquet import read_batches
from shoal.io.source import SUFFIXES, kind_of
from shoal.io.trees.opening import NESTED
from shoal.release.looking.input import Looked
from shoal.release.looking.profile import reading_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from shoal.io.source import Source

MOST = 12  # records that are shown
_TREES = 3
_LONG = 200  # signs of a cell that are shown
_DELIMITERS = (",", ";", "\t", "|")
ENCODING_NAMES = tuple(ENCODINGS)
FORMATS = (*SUFFIXES, *NESTED)  # of files, by their suffix


@dataclass(frozen=True)
class FirstRows:
    """What a person sees of the data. Private: it shows cells."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]  # texts; of sets, items with commas between; None is missing
    records: tuple[str, ...]  # of trees: whole records, indented, in place of rows
    empty: int  # rows without any value
    form: str  # "csv", "office", "parquet", "database", "nested", …
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    header: int = 1
    labels: int = 0  # columns with value labels
    warnings: tuple[str, ...] = ()
    reading: str = ""  # see `reading_of`

    def to_json(self) -> dict[str, Any]:
        """For the private folder."""
        return asdict(self)

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> FirstRows:
        """As it was kept."""
        lists = ("columns", "records", "sheets", "warnings")
        return cls(
            **{
                **facts,
                **{key: tuple(facts[key]) for key in lists},
                "rows": tuple(tuple(row) for row in facts["rows"]),
            }
        )


def first_rows(recipe: Path) -> FirstRows:
    """Of the data of a recipe, which need not be sound yet."""
    looked = Looked.of(recipe)
    mark = reading_of(recipe)
    if looked.nested:
        return _trees(looked, mark)
    with looked.rows() as source:
        table = _head(source)
        form = "database" if looked.input.url else source.kind
        return FirstRows(
            tuple(table.column_names),
            tuple(zip(*map(_cells, table.columns), strict=True)) if table.num_columns else (),
            (),
            _empty(source.table) if source.table is not None else 0,
            form,
            source.notes.sheets,
            source.notes.sheet,
            source.notes.header,
            len(source.notes.labels),
            source.warnings,
            mark,
        )


def is_csv(recipe: Path) -> bool:
    """Whether the data is a text that an encoding and a delimiter say something of."""
    spec = Looked.of(recipe).input
    try:
        return bool(spec.path) and kind_of(recipe.parent / spec.path) == "csv"
    except DataError:
        return False


def delimiters(stated: str | None) -> tuple[str, ...]:
    """Those to choose from."""
    return _DELIMITERS if stated in (None, *_DELIMITERS) else (*_DELIMITERS, str(stated))


def _head(source: Source) -> pa.Table:
    if source.table is not None:
        return source.table.slice(0, MOST)
    batches = (batch for file in source.files for batch in read_batches(file, source.columns))
    first = next(batches, None)
    return pa.table({}) if first is None else pa.Table.from_batches([first.slice(0, MOST)])


def _cells(column: pa.ChunkedArray) -> list[str | None]:
    if is_list(column.type):
        lists = column.to_pylist()
        return [None if items is None else _cut(", ".join(text_of(item) or "" for item in items)) for items in lists]
    return [None if text is None else _cut(text) for text in texts(column)]


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else text[:_LONG] + "…"


def _empty(table: pa.Table) -> int:
    if not table.num_columns:
        return 0
    empty = pc.is_null(table.column(0))
    for column in table.columns[1:]:
        if not pc.any(empty).as_py():
            return 0
        empty = pc.and_(empty, pc.is_null(column))
    return int(pc.sum(empty).as_py() or 0)


def _trees(looked: Looked, mark: str) -> FirstRows:
    with looked.trees() as opened:
        batch = next(iter(opened.batches.read()), None)
        records = [] if batch is None else batch.slice(0, _TREES).to_pylist()
        warnings = opened.warnings
    form = "database" if looked.input.url else "nested"
    texts_of = tuple("\n".join(_lines(record, 0)) for record in records)
    return FirstRows((), (), texts_of, 0, form, warnings=warnings, reading=mark)


def _lines(value: Any, depth: int) -> Iterator[str]:
    """A record, a line for each value; lists are told by a dash."""
    pad = "  " * depth
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, dict | list):
                if not inner:
                    continue
                yield f"{pad}{name}"
                yield from _lines(inner, depth + 1)
            elif inner is not None:
                yield f"{pad}{name}: {_cut(text_of(inner) or '')}"
    elif isinstance(value, list):
        for inner in value[:MOST]:
            lines = list(_lines(inner, depth + 1))
            if lines:
                yield f"{pad}– {lines[0].lstrip()}"
                yield from lines[1:]
        if len(value) > MOST:
            yield f"{pad}… {len(value) - MOST} more"
    elif value is not None:
        yield f"{pad}{_cut(text_of(value) or '')}"
