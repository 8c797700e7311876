"""Data frames as Arrow tables: pandas, and whatever has the Arrow stream protocol (Polars, DuckDB, pyarrow).

Frames of Spark are not for here: they stay where they are.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

_WHAT = "the data frame"


def arrow_table(frame: Any) -> pa.Table:
    """The values of a frame, in types that every engine counts with. The index of a pandas frame is not data."""
    import pyarrow as pa

    pandas = sys.modules.get("pandas")  # a frame of it cannot be there otherwise
    if isinstance(frame, Path):
        table = _stored(frame)
    elif isinstance(frame, pa.Table):
        table = frame
    elif pandas is not None and isinstance(frame, pandas.DataFrame):
        try:
            table = pa.Table.from_pandas(frame, preserve_index=False)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            raise DataError(f"{_WHAT}: a column mixes types or holds objects; give each column one type.") from None
    elif hasattr(frame, "__arrow_c_stream__"):
        table = _streamed(frame)
    else:
        raise DataError(f"{_WHAT}: an object of type {type(frame).__name__} has no Arrow stream; it is no data frame.")
    columns = [pa.chunked_array([plain(chunk) for chunk in _chunks(column)]) for column in table.columns]
    return pa.table(columns, names=table.column_names)


def _stored(path: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet

    try:
        return pa.parquet.read_table(path, partitioning=None)
    except (pa.ArrowException, OSError, ValueError):
        raise DataError(f"{_WHAT} could not be read from where its rows were put.") from None


def _streamed(frame: Any) -> pa.Table:
    import pyarrow as pa

    try:
        return pa.RecordBatchReader.from_stream(frame).read_all()
    except Exception as error:  # a lazy frame computes now, and what it says may quote cells
        raise DataError(f"{_WHAT} could not be read: it raised {type(error).__name__}.") from None


def _chunks(column: pa.ChunkedArray) -> list[pa.Array]:
    import pyarrow as pa

    return column.chunks or [pa.array([], column.type)]


def plain(array: pa.Array) -> pa.Array:
    """The same values without dictionaries, views and narrow decimals, at any depth."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, types = array.type, pa.types
    if types.is_dictionary(kind):
        return plain(array.dictionary).take(array.indices)
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == "arrow.uuid":
            return pa.array([None if one is None else str(one) for one in array.to_pylist()], pa.string())
        return plain(array.storage)
    if types.is_string_view(kind):
        return array.cast(pa.large_string())
    if types.is_decimal(kind) and kind.precision <= 38 and kind.bit_width != 128:
        return array.cast(pa.decimal128(kind.precision, kind.scale))
    if is_list(kind):
        lengths = pc.fill_null(pc.list_value_length(array), 0)
        offsets = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(lengths.cast(pa.int64()))])
        mask = array.is_null() if array.null_count else None
        return pa.LargeListArray.from_arrays(offsets, plain(array.flatten()), mask=mask)
    if types.is_struct(kind) and kind.num_fields:
        # `struct_field` has nulls where the struct itself is missing; `field` has what stands behind it
        fields = [plain(pc.struct_field(array, [number])) for number in range(kind.num_fields)]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(fields, [field.name for field in kind], mask=mask)
    return array


def is_list(kind: pa.DataType) -> bool:
    """A list in whichever of Arrow's forms; no map."""
    import pyarrow as pa

    forms = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(getattr(pa.types, form)(kind) for form in forms if hasattr(pa.types, form))
