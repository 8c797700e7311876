"""Opening Parquet files with care, and writing them so that the same rows give the same bytes.

`open_parquet` looks at the two ends of a file only (magic and footer), so that ten million rows never pass through Python; an
engine reads the rest by path. What a footer claims is not yet believed: sizes that no honest writer produces are refused.
"""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.errors import DataError
from shoal.io.columns import check_names, check_types
from shoal.io.footers.checking import check_footer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

ROW_GROUP = 131_072


@dataclass(frozen=True)
class ParquetFacts:
    """What the footer of a checked file says."""

    schema: pa.Schema
    rows: int

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.schema.names)


def open_parquet(path: Path, sets: Collection[str] | None = None, *, nested: bool = False) -> ParquetFacts:
    """Check a file and tell its columns and number of rows; the rows are not read.

    sets: the columns that hold sets of items, or None where it is not known. nested: records may be of any form.
    """
    with damage_is_data_error(path):
        rows = check_footer(path)
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
    check_names(schema.names, path.name)
    if not nested:
        check_types(schema, path.name, sets)
    return ParquetFacts(schema.remove_metadata(), rows)


def row_count(files: Iterable[Path]) -> int:
    """Of several files, as their footers have it."""
    return sum(open_parquet(file, nested=True).rows for file in files)


def read_parquet(path: Path, columns: tuple[str, ...] | None = None) -> pa.Table:
    """The whole table, or some of its columns, in memory."""
    open_parquet(path)
    with damage_is_data_error(path):
        table = pq.ParquetFile(path).read(columns=None if columns is None else list(columns))
        table.validate(full=True)  # also refuses text that is not UTF-8
    return table.replace_schema_metadata(None)


def read_batches(path: Path, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """Some columns, batch by batch."""
    open_parquet(path)
    with damage_is_data_error(path), pq.ParquetFile(path) as file:
        for batch in file.iter_batches(columns=list(columns)):
            batch.validate(full=True)
            yield batch


@contextlib.contextmanager
def damage_is_data_error(path: Path) -> Iterator[None]:
    """Turn Arrow's errors into ours. Their text is dropped: it may quote cells."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, OverflowError):
        raise DataError(f"{path.name} is a damaged Parquet file, or uses a feature that is not handled.") from None


def write_parquet(rows: pa.Table | pa.RecordBatchReader, path: Path) -> int:
    """Write rows and return how many. Equal rows give equal bytes, however they were cut into batches.

    No metadata of a host, a program or a data frame library goes into the file; only the name of the Parquet writer does.
    There are no column statistics either: they are bounds, and cost two thirds of the writing.
    """
    schema = _written_schema(rows.schema)
    count = 0
    with pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        compression_level=3,
        version="2.6",
        use_dictionary=True,
        write_statistics=False,
        store_schema=False,
        data_page_size=1 << 20,
    ) as writer:
        for table in _ahead(_canonical_groups(rows, schema)):
            writer.write_table(table, row_group_size=ROW_GROUP)
            count += table.num_rows
    return count


def _canonical_groups(rows: pa.Table | pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.Table]:
    for group in _row_groups(rows, schema):
        yield pa.Table.from_arrays([_canonical(column) for column in group.columns], schema=schema)


def _ahead(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """The same tables; the next one is made by a second thread while one is written."""
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(next, tables, None)
        while (table := waiting.result()) is not None:
            waiting = pool.submit(next, tables, None)
            yield table


def _written_schema(schema: pa.Schema) -> pa.Schema:
    """Without metadata. Text is handed over as a dictionary and read back as plain text."""
    fields = []
    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            kind = pa.dictionary(pa.int32(), pa.string())
        fields.append(pa.field(field.name, kind, nullable=True))
    return pa.schema(fields)


def _canonical(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A dictionary in the order of its values and with those that occur only: the order in which they were met says nothing."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not pa.types.is_dictionary(column.type):
        return column
    indices = column.indices
    missing = None if indices.null_count == 0 else indices.is_null().to_numpy(zero_copy_only=False)
    known = (indices if missing is None else indices.fill_null(0)).to_numpy(zero_copy_only=False)
    present = known if missing is None else known[~missing]
    occurs = np.bincount(present, minlength=len(column.dictionary)) > 0
    values = column.dictionary.to_pylist()
    order = sorted(np.flatnonzero(occurs).tolist(), key=lambda position: values[position])
    rank = np.zeros(len(values), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    renumbered = pa.array(rank[known] if len(rank) else known, pa.int32(), mask=missing)
    return pa.DictionaryArray.from_arrays(renumbered, pa.array([values[i] for i in order], pa.string()))


def _row_groups(rows: pa.Table | pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows in tables of exactly ROW_GROUP rows, the last one shorter, each column in one piece."""
    waiting: list[pa.Table] = []
    size = 0
    batches = rows.to_batches(max_chunksize=ROW_GROUP) if isinstance(rows, pa.Table) else rows
    for batch in batches:
        table = pa.Table.from_batches([batch]).cast(schema)
        while size + table.num_rows >= ROW_GROUP:
            take = ROW_GROUP - size
            yield pa.concat_tables([*waiting, table.slice(0, take)]).combine_chunks()
            table, waiting, size = table.slice(take), [], 0
        if table.num_rows:
            waiting.append(table)
            size += table.num_rows
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()
