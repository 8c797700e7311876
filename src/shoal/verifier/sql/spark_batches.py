"""A frame of Spark, few records at a time: what was brought is let go before the next comes. Never the whole frame at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import DataError, ShoalError
from shoal.verifier.sql.spark import fault_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa


def batches_of(frame: Any) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The form of the frame, and its records, in the order in which Spark would collect them.

    Workers pack each batch of Arrow into bytes; the driver takes one part of the frame after the other.
    """
    try:
        schema = frame.limit(0).toArrow().schema
        packed = frame.mapInArrow(_packing(), "part binary")
    except Exception as error:
        raise fault_of(error) from None
    return schema, _unpacked(packed, schema)


def _unpacked(packed: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    try:
        for row in packed.toLocalIterator(prefetchPartitions=True):
            for batch in pa.ipc.open_stream(pa.py_buffer(bytes(row[0]))):
                if batch.schema.names != schema.names or batch.schema.types != schema.types:
                    raise DataError("A part of the data frame has another form than the frame says.")
                yield batch
    except ShoalError:
        raise
    except Exception as error:
        raise fault_of(error) from None


def _packing() -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:  # goes to the workers as it stands here
        import pyarrow as pa

        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            yield pa.record_batch([pa.array([sink.getvalue().to_pybytes()], pa.binary())], ["part"])

    return packed
