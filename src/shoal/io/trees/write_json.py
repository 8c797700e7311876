"""Trees as JSON lines: a record is a line, with the fields of the nested form. Empty lists are left out, missing values are null.

Lines are put together by array code, column by column: records are many, and Python would take them one by one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.text import text_array
from shoal.errors import DataError
from shoal.io.trees.unfold import VALUE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shoal.data.trees import TreeShape

_ROWS = 1 << 14  # whose lines are in memory at the same time


def write_json_lines(rows: pa.RecordBatchReader, shape: TreeShape, path: Path) -> int:
    """Write rows of the nested form and return how many."""
    count = 0
    with path.open("wb") as file:
        for batch in rows:
            for at in range(0, batch.num_rows, _ROWS):
                piece = batch.slice(at, _ROWS)
                for line in _lines(piece, shape).to_pylist():
                    file.write(line.encode() + b"\n")
                count += piece.num_rows
    return count


def tree_texts(columns: Sequence[pa.Array], shape: TreeShape) -> pa.Array:
    """The trees alone, each as a text of JSON. columns: of all classes, in the order of the shape."""
    return _lines(pa.RecordBatch.from_arrays(list(columns), list(shape.names)), shape)


def _lines(batch: pa.RecordBatch, shape: TreeShape) -> pa.Array:
    parts = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if name in shape.names:
            parts.append(_lists(column, name, shape))
        else:
            parts.append(_glued(_large(f",{_text(name)}:"), _scalars(column, name)))
    return _glued(_large("{"), pc.utf8_ltrim(_glued(*parts), ","), _large("}"))


def _lists(lists: pa.Array, name: str, shape: TreeShape) -> pa.Array:
    """`,"name":[…]` for each cell; nothing where the list is empty."""
    nodes = pc.list_flatten(lists)
    fields = dict(zip((field.name for field in nodes.type), nodes.flatten(), strict=True))
    below = (_lists(fields[child], child, shape) for child in shape.under(name))
    objects = _glued(_large(f"{{{_text(VALUE)}:"), _texts(fields[VALUE]), *below, _large("}"))
    lengths = pc.list_value_length(lists)
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(lengths.cast(pa.int64()))])
    joined = pc.binary_join(pa.LargeListArray.from_arrays(offsets, objects), _large(","))
    return pc.if_else(pc.equal(lengths, 0), _large(""), _glued(_large(f",{_text(name)}:["), joined, _large("]")))


def _scalars(column: pa.Array, name: str) -> pa.Array:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_floating(kind) and (endless := pc.sum(pc.is_inf(column.cast(pa.float64()))).as_py()):
        raise DataError(f"Column '{name}': {endless:,} values are infinite, and JSON has no number for that.")
    texts = text_array(column).cast(pa.large_string())
    plain = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean)
    values = texts if any(is_(kind) for is_ in plain) else _texts(texts)
    return pc.fill_null(values, _large("null"))


def _texts(texts: pa.Array) -> pa.Array:
    """Each in quotes; most occur often."""
    coded = texts if pa.types.is_dictionary(texts.type) else pc.dictionary_encode(texts)
    quoted = pa.array([_text(text) for text in coded.dictionary.to_pylist()], pa.large_string())
    return quoted.take(coded.indices)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _glued(*parts: pa.Array | pa.Scalar) -> pa.Array:
    return pc.binary_join_element_wise(*parts, _large(""))


def _large(text: str) -> pa.Scalar:
    return pa.scalar(text, pa.large_string())
