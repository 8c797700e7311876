"""A source without the records of some people.

The rows that are left are put aside as those of a data frame are: few of them in memory, others in a private file. Engine and
verifier both read them from there. So a release is held against the rows that are left, and not against the file they came from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.data.lookalikes import appearance
from shoal.data.text import text_array
from shoal.errors import DataError, InternalError
from shoal.io.csv import read_csv
from shoal.io.lazy_frames import OnDisk
from shoal.io.parquet import damage_is_data_error
from shoal.io.source import Source, from_frame
from shoal.io.trees.batches import Held
from shoal.io.trees.nested import Nested

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from shoal.data.paths import FieldPath
    from shoal.data.schema import Schema

_TEXT = pa.large_string()


@dataclass(frozen=True, eq=False)
class Removed:
    """People by their values of a column."""

    file: str  # its name
    column: str
    values: pa.Array  # texts, no two equal


def read_removed(path: Path) -> Removed:
    """From a CSV file with one column. A cell without a text names nobody, and is refused."""
    table = read_csv(path)
    if table.num_columns != 1:
        raise DataError(
            f"{path.name}: has {table.num_columns:,} columns. Give one, named like the identifying column of the data whose values "
            "it holds."
        )
    column = table.column(0)
    nobody = column.null_count + (pc.sum(pc.equal(column, "")).as_py() or 0)
    if nobody or not len(column):
        raise DataError(f"{path.name}: {f'{nobody:,} of its rows name nobody' if nobody else 'names nobody'}.")
    return Removed(path.name, table.column_names[0], _plain(column).unique())


def source_without(
    source: Source,
    removed: Removed,
    place: FieldPath | None,
    sets: Collection[str],
    trees: Schema | None,
    scratch: Path | None,
) -> tuple[Source, int]:
    """What is left, and how many records are left out. place: of the column, in nested records.

    A value that no record has is refused, and so are records whose value only looks like one of them: a slip of the pen would leave
    somebody in.
    """
    if source.missing:
        raise DataError(
            "People cannot be left out of a file whose missing values are named by `[input] missing`. Name them by column "
            "(`columns.*.missing`), or take the people out of the data first."
        )
    met, lookalikes = pa.array([], _TEXT), 0
    looks = frozenset(map(_look, removed.values.to_pylist()))
    before = after = 0

    def left(batch: pa.RecordBatch) -> pa.RecordBatch:
        nonlocal met, lookalikes, before, after
        values = Nested(batch).leaf(place) if place is not None else batch.column(removed.column)
        texts = _plain(text_array(values))
        out = pc.fill_null(pc.is_in(texts, value_set=removed.values), False)
        met = pa.concat_arrays([met, texts.filter(out)]).unique()
        stays = pc.invert(out)
        for one in pc.value_counts(texts.filter(stays)).to_pylist():
            lookalikes += one["counts"] if one["values"] is not None and _look(one["values"]) in looks else 0
        kept = batch.filter(stays)
        before, after = before + batch.num_rows, after + kept.num_rows
        return kept

    batches = _rows(source)
    first = next(batches, None)
    if first is None:
        raise DataError(f"There are no records in {source.name}; nobody can be left out.")
    schema = first.schema
    held = Held.of(schema, map(left, chain([first], batches)), scratch)
    if len(met) < len(removed.values):
        held.close()
        number = len(removed.values) - len(met)
        raise DataError(
            f"{removed.file}: {number:,} of its values {'is' if number == 1 else 'are'} in no record of {source.name}. Correct "
            f"{'it' if number == 1 else 'them'}, or take {'it' if number == 1 else 'them'} out of the list. Nothing was published."
        )
    if lookalikes:
        held.close()
        raise DataError(
            f"{removed.file}: {lookalikes:,} {'record' if lookalikes == 1 else 'records'} of {source.name} would stay whose "
            f"'{removed.column}' differs from one in the list by blanks, letter case or signs that nobody sees. Add this way of "
            "writing to the list, or correct the data. Nothing was published."
        )
    rows = OnDisk(held, schema) if held.files else pa.Table.from_batches(list(held.read()), schema)
    found = from_frame(rows, sets, trees=trees)
    return replace(found, label=source.name, kept=held), before - after


def _look(value: str) -> str:
    """Equal for values that a person would take for one. Read as a text: zeros in front of a number may tell people apart."""
    return appearance(f"a {value}").casefold()


def _rows(source: Source) -> Iterator[pa.RecordBatch]:
    if source.nested is not None:
        return source.batches()
    if source.table is not None:
        return iter(source.table.to_batches())
    if not source.files:
        raise InternalError("People are to be left out of records that are not here.")
    return _parquet(source.files)


def _parquet(files: tuple[Path, ...]) -> Iterator[pa.RecordBatch]:
    for file in files:
        with damage_is_data_error(file), pq.ParquetFile(file) as opened:
            yield from opened.iter_batches()


def _plain(texts: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(texts, pa.ChunkedArray):
        texts = pa.concat_arrays(texts.chunks or [pa.array([], texts.type)])
    texts = texts.cast(texts.type.value_type) if pa.types.is_dictionary(texts.type) else texts
    return texts.cast(_TEXT)
