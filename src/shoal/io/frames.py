"""Giving back the kind of data frame that came in.

No data frame library is imported here. A frame of a library can only have come in if that library is loaded already, so it is
looked up among the loaded modules.
"""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa

# pandas' own types would turn integers with missing values into floats, and true/false into objects
_NULLABLE = {
    "int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64",
    "uint8": "UInt8", "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64", "bool": "boolean",
}  # fmt: skip


def like(table: Any, original: Any) -> Any:
    """The table as the same kind of frame as `original`; a pyarrow.Table when the kind is not known.

    A Spark frame stays one: its rows may be anywhere, and are never brought here.
    """
    if not isinstance(table, pa.Table):
        return table
    if isinstance(original, pa.RecordBatchReader):
        return table.to_reader()
    if isinstance(original, pa.RecordBatch):
        return pa.RecordBatch.from_arrays(
            [pa.concat_arrays(c.chunks) if c.num_chunks else pa.array([], c.type) for c in table.columns],
            schema=table.schema,
        )
    if _is(original, "pandas", "DataFrame"):
        return _pandas(table, original)
    if _is(original, "polars", "DataFrame") or _is(original, "polars", "LazyFrame"):
        return sys.modules["polars"].DataFrame(table)
    if _is(original, "duckdb", "DuckDBPyRelation"):
        return sys.modules["duckdb"].from_arrow(table)
    return table


def _is(frame: Any, module: str, kind: str) -> bool:
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(frame, getattr(loaded, kind, ()))


def _pandas(table: pa.Table, original: Any) -> Any:
    pandas = sys.modules["pandas"]
    columns = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        dtype = original[field.name].dtype if field.name in original.columns else None
        same = dtype is not None and _arrow_type(original, field.name) == field.type
        if same and isinstance(dtype, pandas.api.extensions.ExtensionDtype) and hasattr(dtype, "__from_arrow__"):
            columns[field.name] = column.to_pandas(types_mapper=lambda _, dtype=dtype: dtype)
        elif column.null_count and str(field.type) in _NULLABLE:
            nullable = pandas.api.types.pandas_dtype(_NULLABLE[str(field.type)])
            columns[field.name] = column.to_pandas(types_mapper=lambda _, nullable=nullable: nullable)
        else:
            columns[field.name] = column.to_pandas()
    return pandas.DataFrame(columns, columns=table.column_names)


def _arrow_type(original: Any, name: str) -> pa.DataType | None:
    try:
        return pa.Schema.from_pandas(original[[name]], preserve_index=False).field(0).type
    except (pa.ArrowException, TypeError, ValueError):
        return None
