"""The records as they came, in the form in which trees are published: what the verifier holds a release against.

They are read from the source once more, not from an engine, so that what an engine loses on the way is noticed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.trees import TREE, Forest
from shoal.io.parquet import write_parquet
from shoal.io.trees.fold import TreeFold
from shoal.io.trees.unfold import Wording, nested_fields, unfold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from shoal.data.schema import Schema
    from shoal.io.source import Source


def vocabularies_of(fold: TreeFold, batches: Iterable[pa.RecordBatch]) -> dict[str, pa.Array]:
    """By class, the values that records hold, sorted as texts."""
    vocabularies: dict[str, pa.Array] = {name: pa.array([], pa.large_string()) for name in fold.shape.names}
    for batch in batches:
        for name, values in fold.values(batch).items():
            vocabularies[name] = pc.unique(pa.concat_arrays([vocabularies[name], values]))
    # by code point, as Python sorts
    return {name: values.take(pc.sort_indices(values)) for name, values in vocabularies.items()}


def write_originals(source: Source, schema: Schema, path: Path) -> None:
    """As nested Parquet, batch by batch."""
    write_parquet(originals(source, schema), path)


def originals(source: Source, schema: Schema) -> pa.RecordBatchReader:
    """The records with their raw values, in the order of the source."""
    fold = TreeFold.of_schema(schema, source.missing)
    vocabularies = vocabularies_of(fold, source.batches())
    wording = Wording(fold.shape, tuple(vocabularies[name] for name in fold.shape.names))
    batches = _unfolded((fold.packed(batch, vocabularies) for batch in source.batches()), wording)
    first = next(batches, None)
    if first is None:
        empty = pa.schema([*(pa.field(name, pa.null()) for name in schema.scalars), *nested_fields(fold.shape)])
        return pa.RecordBatchReader.from_batches(empty, [])

    def every() -> Iterator[pa.RecordBatch]:
        yield first
        yield from batches

    return pa.RecordBatchReader.from_batches(first.schema, every())


def _unfolded(packed: Iterable[pa.RecordBatch], wording: Wording) -> Iterator[pa.RecordBatch]:
    fields = nested_fields(wording.shape)
    for batch in packed:
        others = [field for field in batch.schema if field.name != TREE]
        columns = [
            *(batch.column(field.name) for field in others),
            *unfold(Forest.of_packed(batch.column(TREE)), wording),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=pa.schema([*others, *fields]))
