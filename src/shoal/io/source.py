"""Where the records come from: a file, chosen by its suffix, or a data frame in memory."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.text import texts
from shoal.errors import DataError, did_you_mean
from shoal.io.columns import check_names, check_types
from shoal.io.csv import read_csv
from shoal.io.parquet import open_parquet, read_batches

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["csv", "parquet", "arrow"]

SUFFIXES: dict[str, Kind] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".csv.gz": "csv",
    ".tsv.gz": "csv",
    ".parquet": "parquet",
}


@dataclass(frozen=True, eq=False)
class Source:
    """Records to read. Parquet is left on disk for the engine to read by `path`; everything else is in `table`."""

    kind: Kind
    columns: tuple[str, ...]
    path: Path | None = None
    table: pa.Table | None = None
    missing: tuple[str, ...] = ()  # texts that still have to be read as no value; a table has them read already

    def __post_init__(self) -> None:
        if self.kind == "parquet" and (self.path is None or self.table is not None):
            raise ValueError("A parquet Source needs a `path` and no `table`.")
        if self.kind != "parquet" and self.table is None:
            raise ValueError(f"A Source of kind {self.kind!r} needs a `table`.")

    @property
    def name(self) -> str:
        """How messages call it."""
        return self.path.name if self.path is not None else "the data frame"


def kind_of(path: Path) -> Kind:
    """Which reader a file name asks for."""
    name = path.name.lower()
    for suffix, kind in SUFFIXES.items():
        if name.endswith(suffix) and len(name) > len(suffix):
            return kind
    raise DataError(f"{path.name} cannot be read: files are recognised by their suffix, one of {', '.join(SUFFIXES)}.")


def open_source(
    path: Path | str, *, delimiter: str | None = None, missing: tuple[str, ...] = (), multiline: bool = False
) -> Source:
    """Open a file. CSV is read and checked whole; of Parquet only the footer is."""
    path = Path(path)
    kind = kind_of(path)
    if kind == "parquet":
        return Source(kind, open_parquet(path).columns, path=path, missing=tuple(missing))
    table = read_csv(path, delimiter=delimiter, missing=missing, multiline=multiline)
    return Source(kind, tuple(table.column_names), path=path, table=table)


def from_frame(frame: Any) -> Source:
    """Records from any object with the Arrow stream protocol: pandas, Polars, DuckDB relations, pyarrow.

    The index of a pandas frame is not data: row numbers and an index without a name are left out. An index *with* a name was a
    column once, so it is neither dropped nor published in silence; the frame is refused until `reset_index()` decides.
    """
    if _is_pandas(frame):
        table = _from_pandas(frame)
    elif hasattr(frame, "__arrow_c_stream__"):
        try:
            table = pa.RecordBatchReader.from_stream(frame).read_all()
        except Exception as error:  # a lazy frame computes now, and its library's own message may quote cells
            raise DataError(
                f"The data frame could not be turned into an Arrow table: it raised {type(error).__name__}."
            ) from None
    else:
        raise DataError(
            f"An object of type {type(frame).__name__} is not a data frame: it lacks the Arrow stream protocol "
            "(pandas, Polars, DuckDB relations and pyarrow tables have it)."
        )
    check_names(table.column_names, "The data frame")
    check_types(table.schema, "The data frame")
    table = _ordinary(table.replace_schema_metadata(None))
    return Source("arrow", tuple(table.column_names), table=table)


def column_counts(source: Source, column: str) -> dict[str | None, int]:
    """How often each value of a column occurs, by its text form; None is missing."""
    if column not in source.columns:
        raise DataError(
            f"Column '{column}' is not in {source.name}. Columns: {', '.join(source.columns[:50])}."
            f"{did_you_mean(column, source.columns)}"
        )
    if source.table is not None:
        return _counts([source.table.column(column)])
    assert source.path is not None
    return _counts(batch.column(0) for batch in read_batches(source.path, (column,)))


def read_column_counts(
    path: Path | str,
    column: str,
    *,
    delimiter: str | None = None,
    missing: tuple[str, ...] = (),
    multiline: bool = False,
) -> dict[str | None, int]:
    """The same for a file."""
    return column_counts(open_source(path, delimiter=delimiter, missing=missing, multiline=multiline), column)


def _counts(arrays: Iterable[pa.Array | pa.ChunkedArray]) -> dict[str | None, int]:
    total: Counter[str | None] = Counter()
    for array in arrays:
        if pa.types.is_dictionary(array.type):  # chunks may have dictionaries of their own
            array = array.cast(array.type.value_type)
        counted = pc.value_counts(array)
        for text, count in zip(texts(counted.field(0)), counted.field(1).to_pylist(), strict=True):
            total[text] += count
    return dict(total)


def _ordinary(table: pa.Table) -> pa.Table:
    """Text views (Polars) and narrow decimals become types that every engine and every pyarrow in our range computes with."""
    fields = []
    for field in table.schema:
        if pa.types.is_string_view(field.type):
            field = field.with_type(pa.large_string())
        elif pa.types.is_decimal(field.type):
            field = field.with_type(pa.decimal128(field.type.precision, field.type.scale))
        fields.append(field)
    return table.cast(pa.schema(fields))


def _is_pandas(frame: Any) -> bool:
    pandas = sys.modules.get("pandas")  # a pandas frame cannot be there unless pandas is loaded
    return pandas is not None and isinstance(frame, pandas.DataFrame)


def _from_pandas(frame: Any) -> pa.Table:
    check_names(list(frame.columns), "The data frame")
    named = [str(name) for name in frame.index.names if name is not None]
    if named:
        raise DataError(
            f"The data frame has an index named {', '.join(repr(name) for name in named)}. Call reset_index() to make it a "
            "column, or reset_index(drop=True) to leave it out."
        )
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        mixed = [str(name) for name in frame.columns if not _converts(frame[name])]
        raise DataError(
            f"Columns of the data frame that mix types or hold objects: {', '.join(mixed) or 'unknown'}. "
            "Give each column one type."
        ) from None


def _converts(column: Any) -> bool:
    try:
        pa.Array.from_pandas(column)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True
