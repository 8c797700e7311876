"""Frames that compute their rows when they are asked: read once, in batches, and never all in memory unless they are small.

While they are few the rows become a table. More go to a Parquet file in a private folder, from which the engine and the verifier
read as from any file; it is removed when the call is over, however it ends, and at the latest with the process.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import pyarrow as pa

from shoal.data.itemsets import is_list
from shoal.errors import ShoalError
from shoal.io.arrow_frames import is_lazy, is_pandas, not_arrow, ordinary
from shoal.io.columns import unfit, unfit_list
from shoal.io.spark_frames import is_spark_frame
from shoal.io.trees.batches import Held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

_IN_MEMORY = 64 << 20  # bytes of rows
_ROWS = 1 << 16  # of a batch that is asked for, and of a row group at least
_P = ParamSpec("_P")
_T = TypeVar("_T")


class OnDisk:
    """The rows of a frame, put aside. It can be read any number of times, also by whatever reads Arrow streams."""

    def __init__(self, held: Held, schema: pa.Schema) -> None:
        """schema: of the frame, with the types that it had."""
        self._held, self.schema = held, schema

    @property
    def path(self) -> Path:
        return self._held.files[0]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader = pa.RecordBatchReader.from_batches(self._held.schema, self._held.read())
        return reader.__arrow_c_stream__(requested_schema)


@contextmanager
def put_aside(frame: Any) -> Iterator[Any]:
    """Rows that can be read more than once: the frame itself, unless it is lazy; then a table, or `OnDisk` while this lasts."""
    if not _is_stream(frame):
        yield frame
        return
    try:
        held, schema = _held(frame)
    except ShoalError:
        raise
    except Exception as error:  # it computes now, and its library's own message may quote cells
        raise not_arrow(frame, error) from None
    try:
        yield OnDisk(held, schema) if held.files else pa.Table.from_batches(held.read(), held.schema)
    finally:
        held.close()


def takes_lazy_frames(call: Callable[_P, _T]) -> Callable[_P, _T]:
    """A function whose arguments may be lazy frames, and are put aside while it runs."""

    @wraps(call)
    def calling(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with ExitStack() as stack:
            rows = [stack.enter_context(put_aside(value)) for value in args]
            named = {name: stack.enter_context(put_aside(value)) for name, value in kwargs.items()}
            return call(*rows, **named)

    return calling


def _is_stream(frame: Any) -> bool:
    """Whether its rows are not known to be in memory. Spark's frames stay where they are, though they would give a stream."""
    if is_lazy(frame):
        return True
    if is_spark_frame(frame):
        return False
    polars = sys.modules.get("polars")
    known = isinstance(frame, pa.Table | pa.RecordBatch | OnDisk) or is_pandas(frame)
    return (
        hasattr(frame, "__arrow_c_stream__")
        and not known
        and not (polars is not None and isinstance(frame, polars.DataFrame | polars.Series))
    )


def _held(frame: Any) -> tuple[Held, pa.Schema]:
    schema, batches = _batches(frame)
    flat = all(_is_flat(field.type) for field in schema)
    if not all(_is_storable(field.type) for field in schema):  # rare: such rows stay in memory
        held = Held(schema, limit=1 << 62)
        for batch in batches:
            held.add(batch)
        return held, schema
    stored = ordinary(schema.empty_table()).schema if flat else schema
    written = (ordinary(table) if flat else table for table in _groups(batches, schema))
    return Held.of(stored, (b for t in written for b in t.combine_chunks().to_batches()), limit=_IN_MEMORY), schema


def _batches(frame: Any) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:
    """By the library whose it is."""
    if hasattr(frame, "collect_schema"):  # of Polars
        return _of_polars(frame)
    if not hasattr(frame, "__arrow_c_stream__"):  # of pyarrow
        scanner = frame.scanner(**_sparingly(frame)) if hasattr(frame, "scanner") else frame
        reader = scanner.to_reader()
    else:
        reader = pa.RecordBatchReader.from_stream(frame)
    return reader.schema.remove_metadata(), reader


def _sparingly(dataset: Any) -> dict[str, Any]:
    """How a data set is read that does not decode far more than was asked for, as pyarrow does by itself."""
    options: dict[str, Any] = {
        "batch_size": _ROWS,
        "batch_readahead": 0,
        "fragment_readahead": 0,
        "use_threads": False,
    }
    datasets = sys.modules["pyarrow.dataset"]
    if isinstance(getattr(dataset, "format", None), datasets.ParquetFileFormat):
        parquet = datasets.ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True)
        options["fragment_scan_options"] = parquet
    return options


def _of_polars(frame: Any) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:
    polars = sys.modules["polars"]
    oldest = polars.CompatLevel.oldest()  # no views of texts
    if hasattr(frame, "collect_batches"):
        frames = frame.collect_batches(chunk_size=_ROWS, maintain_order=True)
    else:  # before 1.34 there is no other way
        frames = iter([frame.collect(engine="streaming")])
    first = next(frames, None)
    first = (polars.DataFrame(schema=frame.collect_schema()) if first is None else first).to_arrow(compat_level=oldest)

    def batches() -> Iterator[pa.RecordBatch]:
        yield from first.to_batches()
        for one in frames:
            yield from one.to_arrow(compat_level=oldest).cast(first.schema).to_batches()

    return first.schema, batches()


def _groups(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Tables of so many rows that each makes a row group worth its place in a footer."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= _ROWS:
            yield pa.Table.from_batches(waiting, waiting[0].schema).cast(schema)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting, waiting[0].schema).cast(schema)


def _is_flat(kind: pa.DataType) -> bool:
    return (unfit_list(kind) if is_list(kind) else unfit(kind)) is None


def _is_storable(kind: pa.DataType) -> bool:
    """Whether Parquet gives back the same values of the same type to whoever reads them with SQL."""
    types = pa.types
    if types.is_dictionary(kind):
        return _is_text(kind.value_type)
    if types.is_struct(kind):
        return kind.num_fields > 0 and all(_is_storable(field.type) for field in kind)
    if is_list(kind):
        return (types.is_list(kind) or types.is_large_list(kind)) and _is_storable(kind.value_type)
    if types.is_timestamp(kind):
        return bool(kind.unit == "us")
    tests = (types.is_boolean, types.is_integer, types.is_float32, types.is_float64, types.is_date32, types.is_decimal)
    return _is_text(kind) or any(fits(kind) for fits in tests)


def _is_text(kind: pa.DataType) -> bool:
    return any(fits(kind) for fits in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))
