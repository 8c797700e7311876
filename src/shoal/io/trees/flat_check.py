"""Whether the tables of a release of trees say what the release says: it is put together from them again, and compared.

They are published beside the release, and the verifier reads the release only.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.errors import InternalError
from shoal.io.parquet import damage_is_data_error
from shoal.io.trees.flat import SCHEMA, file_name, release_batches
from shoal.io.trees.unfold import nested_type

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from shoal.data.trees import TreeShape


def check_tables(release: Path, shape: TreeShape, folder: Path) -> None:
    """Raises InternalError unless every node of the release is in them, in its place, and nothing else."""
    files = {name: folder / f"{file_name(name)}.parquet" for name in shape.names}
    records, nodes = 0, dict.fromkeys(shape.names, 0)
    for batch in release_batches(release, shape):
        until = records + batch.num_rows
        tables = {name: _rows(file, records, until) for name, file in files.items()}
        joined = _Joined(tables, shape)
        for name in shape.names:
            if not joined.below_records(name, records, until).equals(batch.column(name)):
                raise _differ(name)
            nodes[name] += tables[name].num_rows
        records = until
    for name, file in files.items():
        with damage_is_data_error(file):
            if pq.read_metadata(file).num_rows != nodes[name]:
                raise _differ(name)


def _differ(name: str) -> InternalError:
    return InternalError(f"The table of class '{name}' does not say what the release says; nothing was published.")


def _rows(file: Path, first: int, until: int) -> pa.Table:
    """The rows of some records. Rows are in the order of their records, so most of the file is not read."""
    with damage_is_data_error(file):
        rows = pq.read_table(
            file, filters=[("record", ">=", first), ("record", "<", until)], partitioning=None
        ).combine_chunks()
    if not rows.schema.equals(SCHEMA):
        raise InternalError(f"{file.name} has other columns than were written; nothing was published.")
    return rows


class _Joined:
    def __init__(self, tables: dict[str, pa.Table], shape: TreeShape) -> None:
        self.tables, self.shape = tables, shape
        self.nodes = cache(self._nodes)

    def below_records(self, name: str, first: int, until: int) -> pa.Array:
        numbers = np.arange(first, until)
        return self._lists(name, None, numbers, numbers)

    def _nodes(self, name: str) -> pa.Array:
        """The nodes of a class with all that hangs below them."""
        table = self.tables[name]
        numbers, records = _numbers(table["node"]), _numbers(table["record"])
        if (np.diff(numbers) <= 0).any():
            raise _differ(name)
        lists = [self._lists(child, name, numbers, records) for child in self.shape.under(name)]
        kind = nested_type(self.shape, name).value_type
        values = _one(table["value"])
        return pa.StructArray.from_arrays([values, *lists], fields=[kind.field(i) for i in range(kind.num_fields)])

    def _lists(self, name: str, parent: str | None, numbers: NDArray[np.int64], records: NDArray[np.int64]) -> pa.Array:
        """For each parent the nodes of a class that hang below it. numbers, records: of the parents, numbers ascending."""
        table = self.tables[name]
        is_parent = pc.is_null(table["parent_class"]) if parent is None else pc.equal(table["parent_class"], parent)
        mine = np.flatnonzero(pc.fill_null(is_parent, False).to_numpy())
        above = _numbers(table["record" if parent is None else "parent_node"])[mine]
        order = np.argsort(above, kind="stable")
        mine, above = mine[order], above[order]
        ends = np.searchsorted(above, numbers, "right")
        offsets = np.concatenate([[0], ends])
        place = np.minimum(np.searchsorted(numbers, above), max(len(numbers) - 1, 0))
        if len(above) and (
            not len(numbers)
            or (numbers[place] != above).any()
            or (records[place] != _numbers(table["record"])[mine]).any()
        ):
            raise _differ(name)
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), self.nodes(name).take(pa.array(mine)))


def _numbers(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """-1: there is none."""
    numbers: NDArray[np.int64] = _one(pc.fill_null(column, -1)).to_numpy(zero_copy_only=False)
    return numbers


def _one(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
