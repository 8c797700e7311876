"""A data frame of another library as an Arrow table, with types that every engine computes with."""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa

from shoal.data.itemsets import TEXT_LISTS, is_list, text_lists
from shoal.errors import DataError
from shoal.io.columns import check_names


def arrow_table(frame: Any) -> pa.Table:
    """Of any object with the Arrow stream protocol: pandas, Polars, DuckDB relations, pyarrow."""
    if is_pandas(frame):
        return _from_pandas(frame)
    if not hasattr(frame, "__arrow_c_stream__") and not is_lazy(frame):
        raise DataError(
            f"An object of type {type(frame).__name__} is not a data frame: it lacks the Arrow stream protocol "
            "(pandas, Polars, DuckDB relations and pyarrow tables have it)."
        )
    try:
        return _computed(frame) if is_lazy(frame) else pa.RecordBatchReader.from_stream(frame).read_all()
    except Exception as error:  # a lazy frame computes now, and its library's own message may quote cells
        raise not_arrow(frame, error) from None


def not_arrow(frame: Any, error: Exception) -> DataError:
    """What is said of a frame that failed to give its rows."""
    return DataError(
        f"The data frame could not be turned into an Arrow table: it raised {type(error).__name__}.{_strange(frame)}"
    )


def is_lazy(frame: Any) -> bool:
    """Whether it computes its rows when it is asked, and has no stream before: of Polars, or files that pyarrow reads."""
    polars, datasets = sys.modules.get("polars"), sys.modules.get("pyarrow.dataset")
    if polars is not None and isinstance(frame, polars.LazyFrame):
        return True
    return datasets is not None and isinstance(frame, datasets.Dataset | datasets.Scanner)


def _computed(frame: Any) -> pa.Table:
    """In batches, by the library whose it is."""
    if hasattr(frame, "collect"):  # of Polars
        return pa.RecordBatchReader.from_stream(frame.collect(engine="streaming")).read_all()
    scanner = frame.scanner() if hasattr(frame, "scanner") else frame
    return scanner.to_reader().read_all()


def ordinary(table: pa.Table) -> pa.Table:
    """Text views (of Polars, also in categories), narrow decimals and lists become types that every engine and pyarrow in our range
    computes with."""
    fields = []
    for place, field in enumerate(table.schema):
        if is_list(field.type):
            lists = pa.chunked_array([_text_lists(chunk) for chunk in table.column(place).chunks], TEXT_LISTS)
            table, field = table.set_column(place, field.name, lists), field.with_type(TEXT_LISTS)
        elif pa.types.is_dictionary(field.type) and pa.types.is_string_view(field.type.value_type):
            named = pa.chunked_array(
                [
                    pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(pa.large_string()))
                    for chunk in table.column(place).chunks
                ],
                pa.dictionary(field.type.index_type, pa.large_string()),
            )
            table, field = table.set_column(place, field.name, named), field.with_type(named.type)
        elif pa.types.is_string_view(field.type):
            field = field.with_type(pa.large_string())
        elif pa.types.is_decimal(field.type):
            field = field.with_type(pa.decimal128(field.type.precision, field.type.scale))
        fields.append(field)
    return table.cast(pa.schema(fields))


def _strange(frame: Any) -> str:
    """Which columns of a Polars frame have types that Arrow does not know, and what to do."""
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(frame, polars.DataFrame):
        return ""
    strange = []
    for name, kind in frame.schema.items():
        try:
            pa.RecordBatchReader.from_stream(frame.select(name).clear()).read_all()
        except Exception:
            strange.append(f"'{name}' ({kind})")
    return f" Cast columns of these types to others: {', '.join(strange[:10])}." if strange else ""


def _text_lists(chunk: pa.Array) -> pa.Array:
    """As texts, and missing where the list is: that is no record where nothing else is published."""
    lists = text_lists(chunk)
    return (
        pa.LargeListArray.from_arrays(lists.offsets, lists.values, mask=chunk.is_null()) if chunk.null_count else lists
    )


def is_pandas(frame: Any) -> bool:
    """Whether it is a frame of pandas, which has an index beside its columns."""
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
