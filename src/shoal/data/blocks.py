"""Which block a record belongs to, where records are worked on block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import pyarrow as pa


class BlockOf(Protocol):
    """Which block a record belongs to."""

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """(rows,): int64, by nothing but the values of the row."""
        ...
