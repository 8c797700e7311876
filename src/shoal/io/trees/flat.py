"""Published trees as tables, one for each class: for those who would rather join than unnest.

A row is a node: the number of its record, which is the place of the record in the release, its own number within its class, the
class and number of the node it hangs below (none: the record itself), and its value. Nothing is in them that is not in the release.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.io.parquet import damage_is_data_error, write_parquet
from shoal.io.trees.unfold import VALUE, nested_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from shoal.data.trees import TreeShape

SCHEMA = pa.schema(
    [
        ("record", pa.int64()),
        ("node", pa.int64()),
        ("parent_class", pa.string()),
        ("parent_node", pa.int64()),
        ("value", pa.string()),
    ]
)
_ROWS = 1 << 16  # records at a time


def write_tables(release: Path, shape: TreeShape, folder: Path) -> None:
    """release: nested Parquet, a folder of such files, or JSON lines. folder: is made."""
    folder.mkdir()
    for name in shape.names:
        rows = pa.RecordBatchReader.from_batches(SCHEMA, _rows(release, shape, name))
        write_parquet(rows, folder / f"{file_name(name)}.parquet")


def file_name(name: str) -> str:
    """Of a class, whatever it is called. Names that begin with _ or . are no data to most readers."""
    quoted = quote(name, safe=" ")
    return f"%{ord(quoted[0]):02X}{quoted[1:]}" if quoted[0] in "_." else quoted


def _rows(release: Path, shape: TreeShape, name: str) -> Iterator[pa.RecordBatch]:
    records, before = 0, dict.fromkeys(shape.names, 0)
    for batch in release_batches(release, shape):
        numbered = _Numbered(batch, shape, records, before)
        yield numbered.table(name)
        records += batch.num_rows
        before = {one: number + numbered.counts[one] for one, number in before.items()}


class _Numbered:
    """The nodes of a batch. They are numbered by class in the order of the records, however records are cut into batches."""

    def __init__(self, batch: pa.RecordBatch, shape: TreeShape, records: int, before: dict[str, int]) -> None:
        self.shape, self.counts = shape, dict.fromkeys(shape.names, 0)
        numbers = np.arange(records, records + batch.num_rows, dtype=np.int64)
        nothing = np.full(batch.num_rows, -1, np.int64)
        # by class, the places where its nodes are found: their parents' class, record, number and lists
        self._places: dict[str, list[tuple[str | None, NDArray[np.int64], NDArray[np.int64], Any]]] = {
            name: [(None, numbers, nothing, batch.column(name))] for name in shape.names
        }
        self._made: dict[str, pa.RecordBatch] = {}
        for name in shape.names:
            self._number(name, before[name])

    def table(self, name: str) -> pa.RecordBatch:
        return self._made[name]

    def _number(self, name: str, first: int) -> None:
        records, parents, above, structs = [], [], [], []
        for parent, record, number, lists in self._places[name]:
            sizes = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
            records.append(np.repeat(record, sizes))
            parents.append(np.repeat(number, sizes))
            above += [parent] * int(sizes.sum())
            structs.append(lists.flatten())
        record, parent_node = np.concatenate(records), np.concatenate(parents)
        order = np.argsort(record, kind="stable")
        numbers = np.empty(len(order), np.int64)
        numbers[order] = np.arange(first, first + len(order))
        self.counts[name] = len(order)
        values = pa.concat_arrays([_field(struct, VALUE).cast(pa.string()) for struct in structs])
        parent_class = pa.array(above, pa.string())
        columns = [
            pa.array(record),
            pa.array(numbers),
            parent_class,
            pa.array(parent_node, mask=parent_node < 0),
            values,
        ]
        self._made[name] = pa.RecordBatch.from_arrays(columns, schema=SCHEMA).take(pa.array(order))
        start = 0
        for held, struct in zip(records, structs, strict=True):
            mine = numbers[start : start + len(held)]
            start += len(held)
            for child in self.shape.under(name):
                self._places[child].append((name, held, mine, _field(struct, child)))


def _field(struct: pa.Array, name: str) -> pa.Array:
    return pc.struct_field(struct, [struct.type.get_field_index(name)])


def release_batches(release: Path, shape: TreeShape) -> Iterator[pa.RecordBatch]:
    """The columns of the classes, as they are published."""
    schema = pa.schema(nested_fields(shape))
    if release.suffix == ".jsonl":
        yield from _lines(release, shape, schema)
        return
    for file in sorted(release.glob("*.parquet")) if release.is_dir() else [release]:
        with damage_is_data_error(file), pq.ParquetFile(file) as opened:
            for batch in opened.iter_batches(_ROWS, columns=list(shape.names)):
                yield batch.select(list(shape.names)).cast(schema)


def _lines(release: Path, shape: TreeShape, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    rows: list[dict[str, Any]] = []
    with release.open("rb") as file:
        for line in file:
            rows.append(_filled(json.loads(line), shape, shape.names))
            if len(rows) == _ROWS:
                yield from pa.Table.from_pylist(rows, schema).to_batches()
                rows = []
    if rows:
        yield from pa.Table.from_pylist(rows, schema).to_batches()


def _filled(node: dict[str, Any], shape: TreeShape, below: Sequence[str]) -> dict[str, Any]:
    """With the lists that are left out because they are empty."""
    lists = {name: [_filled(one, shape, shape.under(name)) for one in node.get(name, ())] for name in below}
    return {VALUE: node.get(VALUE), **lists}
