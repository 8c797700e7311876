"""Published trees, read back to be counted: every class a column of nodes, as in the reference of formats."""

from __future__ import annotations

from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from shoal.data.itemsets import is_list
from shoal.data.trees import Forest
from shoal.errors import DataError
from shoal.io.folder import part_files
from shoal.io.location import is_uri
from shoal.io.parquet import open_parquet
from shoal.io.trees.unfold import VALUE
from shoal.kernels.distinct import distinct
from shoal.kernels.trees.blurring import shown_trees
from shoal.verifier.trees.reading import read_trees
from shoal.verifier.trees.shape import TreeShape
from shoal.verifier.trees.strict_jsonl import lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.schema import Schema

_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_LOOKED_AT = 1_000  # lines, for one that has a node: an empty list is not written
_NO_PAIRS = np.zeros((0, 2), np.int32)


def released_forest(data: Any, schema: Schema) -> Forest | None:
    """The different trees of published data, a path or an Arrow table; None where records lie as the recipe says, unpublished."""
    if any(column.place == f"{column.name}[].{VALUE}" for column in schema if column.kind == "node"):
        return None  # the original looks like this too, and then it is read as the recipe says
    if isinstance(data, str):
        if is_uri(data):
            return None
        data = Path(data)
    try:
        if not _is_published(data, schema):
            return None
    except DataError:  # what is wrong with it, the reader of originals tells
        return None
    shape = TreeShape.of({one.name: one.parent for one in schema.shape.classes})
    return _forest(read_trees("release", data, shape, ()))


def _is_published(data: Any, schema: Schema) -> bool:
    if isinstance(data, pa.Table):
        return _has_nodes(data.schema, schema)
    if not isinstance(data, Path) or not data.exists():
        return False
    if data.is_dir():
        return _has_nodes(open_parquet(part_files(data)[0], nested=True).schema, schema)
    if data.name.lower().endswith(".parquet"):
        return _has_nodes(open_parquet(data, nested=True).schema, schema)
    return data.name.lower().endswith(_LINES) and _lines_have_nodes(data, schema)


def _has_nodes(form: pa.Schema, schema: Schema) -> bool:
    def is_class(kind: pa.DataType) -> bool:
        return is_list(kind) and pa.types.is_struct(kind.value_type) and kind.value_type.get_field_index(VALUE) >= 0

    return all(name in form.names and is_class(form.field(name).type) for name in schema.shape.names)


def _lines_have_nodes(path: Path, schema: Schema) -> bool:
    for _, _, line in islice(lines(path), _LOOKED_AT):
        if any(name not in schema.published for name in line):
            return False
        held = [line[name] for name in schema.shape.names if name in line]
        if held:
            return all(_are_nodes(nodes) for nodes in held)
    return False


def _are_nodes(nodes: Any) -> bool:
    return isinstance(nodes, list) and bool(nodes) and all(isinstance(one, dict) and VALUE in one for one in nodes)


def _forest(trees: Any) -> Forest:
    """Equal trees together, each in the one order of its nodes."""
    classes = np.array([of for of, _ in trees.labels], np.int64)[trees.label]
    order = np.lexsort((classes, trees.record))  # a parent is of an earlier class
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    offsets = np.searchsorted(trees.record[order], np.arange(trees.records + 1))
    above = trees.parent[order]
    parents = np.where(above < 0, -1, place[above] - offsets[trees.record[order]])
    total = len(trees.labels)
    edges = np.searchsorted([of for of, _ in trees.labels], np.arange(len(trees.shape.names) + 1))
    made = Forest(
        *shown_trees(
            offsets.astype(np.int64),
            trees.label[order].astype(np.int32),
            parents.astype(np.int32),
            np.arange(total, dtype=np.int32),
            _NO_PAIRS,
            edges.astype(np.int64),
        ),
        np.ones(trees.records, np.int64),
    )
    return _distinct(made)


def _distinct(forest: Forest) -> Forest:
    number: dict[bytes, int] = {}
    packed, starts = forest.packed().values.to_numpy(), forest.offsets.tolist()
    of = [number.setdefault(packed[a:b].tobytes(), len(number)) for a, b in pairwise(starts)]
    nodes = [np.frombuffer(one, np.int64) for one in number]
    offsets = np.cumsum([0, *map(len, nodes)], dtype=np.int64)
    lists = pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(np.concatenate([np.zeros(0, np.int64), *nodes])))
    return Forest.of_packed(lists, np.bincount(of, minlength=len(number)).astype(np.int64))


def holders(forest: Forest) -> Mapping[int, int]:
    """By label that occurs, the number of records that hold it; in how many places does not matter."""
    trees = np.repeat(np.arange(len(forest)), np.diff(forest.offsets))
    labels = int(forest.labels.max(initial=-1)) + 1
    pairs = distinct(trees * np.int64(max(labels, 1)) + forest.labels)
    held = np.bincount(pairs % max(labels, 1), weights=forest.records[pairs // max(labels, 1)], minlength=labels)
    return {label: int(number) for label, number in enumerate(held.tolist()) if number}
