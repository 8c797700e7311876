"""How often each value of a column occurs in a source."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.codes import meant, type_of
from shoal.data.itemsets import is_list
from shoal.data.text import text_array, text_of, texts
from shoal.errors import DataError, did_you_mean
from shoal.io.parquet import read_batches
from shoal.io.reading import RowReading
from shoal.io.source import Source, open_source
from shoal.io.spark_frames import frame_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shoal.io.location import Location


def column_counts(source: Source, column: str, codes: Sequence[str] = ()) -> dict[str | None, int]:
    """How often each value of a column occurs, by its text form; None is missing. Of sets: how many records hold each item.

    codes: what stands for a missing value, besides what the source says.
    """
    if column not in source.columns:
        raise DataError(
            f"Column '{column}' is not in {source.name}. Columns: {', '.join(source.columns[:50])}."
            f"{did_you_mean(column, source.columns)}"
        )
    codes = (*source.missing, *codes)
    if source.table is not None:
        return _counts([source.table.column(column)], codes)
    if source.frame is not None:
        counted = frame_counts(source.frame, column)
        return _summed(_without(codes, counted.column(0), counted.column(1)))
    return _counts((batch.column(0) for file in source.files for batch in read_batches(file, (column,))), codes)


def read_column_counts(place: Location, column: str, reading: RowReading | None = None) -> dict[str | None, int]:
    """The same for a file. Sets of items are counted as such where the file says so, or the reading does."""
    return column_counts(open_source(place, reading or RowReading(sets=None)), column)


def _counts(arrays: Iterable[pa.Array | pa.ChunkedArray], codes: Sequence[str]) -> dict[str | None, int]:
    return _summed(pair for array in arrays for pair in _counted(array, codes))


def _without(
    codes: Sequence[str], values: pa.Array | pa.ChunkedArray, counts: pa.Array | pa.ChunkedArray
) -> Iterable[tuple[str | None, int]]:
    """The texts of values with their counts; those of codes are missing."""
    coded = {text_of(value) for value in meant(codes, type_of(values.type))}
    shown = (None if text in coded else text for text in texts(values))
    return zip(shown, counts.to_pylist(), strict=True)


def _counted(array: pa.Array | pa.ChunkedArray, codes: Sequence[str]) -> Iterable[tuple[str | None, int]]:
    if is_list(array.type):
        return _counted_items(array)
    if pa.types.is_dictionary(array.type):  # chunks may have dictionaries of their own
        array = array.cast(array.type.value_type)
    counted = pc.value_counts(array)
    return _without(codes, counted.field(0), counted.field(1))


def _counted_items(lists: pa.Array | pa.ChunkedArray) -> Iterable[tuple[str | None, int]]:
    """Each item with the number of records that hold it: twice in a record counts once."""
    for chunk in lists.chunks if isinstance(lists, pa.ChunkedArray) else [lists]:
        distinct = pa.table({"record": pc.list_parent_indices(chunk), "item": text_array(pc.list_flatten(chunk))})
        counted = distinct.group_by(["record", "item"]).aggregate([]).group_by("item").aggregate([([], "count_all")])
        yield from zip(counted.column("item").to_pylist(), counted.column("count_all").to_pylist(), strict=True)


def _summed(counted: Iterable[tuple[str | None, int]]) -> dict[str | None, int]:
    """Different values may have the same text."""
    total: Counter[str | None] = Counter()
    for text, count in counted:
        total[text] += count
    return dict(total)
