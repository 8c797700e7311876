"""From nested records to trees: each class's values, below the node they hang from, equal siblings once.

Classes come parents first. For each element of a class's list scope the node it makes is known by its place in the record, and an
element without a value passes on the node above; so what hangs below a missing value hangs below the one above it. No record and no
node is looked at in Python: 1 million records of 12 nodes take seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.codes import meant, type_of
from shoal.data.paths import FieldPath
from shoal.data.text import text_array, text_of
from shoal.data.trees import TREE, Forest, TreeShape
from shoal.errors import DataError
from shoal.io.trees.nested import Nested

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Schema

_TEXT = pa.large_string()
_WIDE = 1 << 62


@dataclass(frozen=True)
class TreeFold:
    """What the classes and the single values of a record are; it holds no data, and may travel."""

    shape: TreeShape
    paths: tuple[FieldPath, ...]  # of the classes, in the order of the shape
    scalars: tuple[tuple[str, FieldPath], ...] = ()
    missing: tuple[str, ...] = ()  # texts that mean: no value
    codes: tuple[tuple[str, tuple[str, ...]], ...] = ()  # by class or single value: what means that there too

    @classmethod
    def of_schema(cls, schema: Schema, missing: tuple[str, ...] = ()) -> TreeFold:
        places = {column.name: FieldPath.of(column.place) for column in schema if column.name in schema.published}
        shape = schema.shape
        return cls(
            shape,
            tuple(places[name] for name in shape.names),
            tuple((name, places[name]) for name in schema.scalars),
            tuple(missing),
            tuple((name, schema.codes(name)) for name in schema.published if schema.codes(name)),
        )

    def values(self, batch: pa.RecordBatch) -> dict[str, pa.Array]:
        """The distinct values of each class, in no order."""
        nested = Nested(batch)
        vocabularies = {}
        for name, path in zip(self.shape.names, self.paths, strict=True):
            leaf = nested.leaf(path)
            texts = _plain(text_array(leaf.unique()).unique().cast(_TEXT))
            vocabularies[name] = texts.filter(pc.invert(self._is_missing(texts, self._texts(name, leaf.type))))
        return vocabularies

    def packed(self, batch: pa.RecordBatch, vocabularies: Mapping[str, pa.Array]) -> pa.RecordBatch:
        """The single values, and the trees: label = first label of the class + place of the value in the class's vocabulary."""
        nested = Nested(batch)
        columns = {name: self._scalar(nested, name, path) for name, path in self.scalars}
        columns[TREE] = self._forest(nested, batch.num_rows, vocabularies).packed()
        return pa.RecordBatch.from_arrays(list(columns.values()), list(columns))

    def _forest(self, nested: Nested, records: int, vocabularies: Mapping[str, pa.Array]) -> Forest:
        sizes = np.zeros(records, np.int64)  # nodes of each record so far
        places: list[
            NDArray[np.int64]
        ] = []  # by class: of each element of its scope the place of its node, -1 is the root
        nodes: list[tuple[NDArray[np.int64], ...]] = []  # by class: record, place, parent's place, label
        first = 0
        for name, path, parent in zip(self.shape.names, self.paths, self.shape.parents, strict=True):
            labels = self._codes(nested, name, path, vocabularies[name])
            inside = nested.elements(path.scope).records
            if parent < 0:
                above = np.full(len(inside), -1, np.int64)
            else:
                above = places[parent][nested.upwards(path.scope, self.paths[parent].scope)]
            held = labels >= 0
            found, number = _distinct(inside[held], above[held], labels[held])
            place = sizes[found[0]] + _rank(found[0])
            nodes.append((found[0], place, found[1], found[2] + first))
            mine = above.copy()
            mine[held] = place[number]
            places.append(mine)
            sizes += np.bincount(found[0], minlength=records)
            first += len(vocabularies[name])
        return _gathered(sizes, nodes)

    def _codes(self, nested: Nested, name: str, path: FieldPath, vocabulary: pa.Array) -> NDArray[np.int64]:
        """(elements of the class's scope,) the place of each value in the vocabulary, -1 where there is none."""
        leaf = nested.leaf(path)
        encoded = _plain(text_array(leaf)).dictionary_encode()
        texts = encoded.dictionary.cast(_TEXT)
        known = pc.index_in(texts, vocabulary.cast(_TEXT))
        missing = self._is_missing(texts, self._texts(name, leaf.type))
        strange = pc.sum(pc.and_(pc.is_null(known), pc.invert(missing))).as_py()
        if strange:
            raise DataError(
                f"Class '{name}': {strange:,} values were not there when the data was first read; it has changed since."
            )
        codes = pc.if_else(missing, -1, known).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        numbers: NDArray[np.int64] = np.append(codes, -1)[
            encoded.indices.fill_null(len(codes)).to_numpy(zero_copy_only=False)
        ]
        return numbers

    def _texts(self, name: str, kind: pa.DataType) -> list[str]:
        """The texts of the values of a type that mean: no value."""
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        codes = (*self.missing, *dict(self.codes).get(name, ()))
        return [text for text in map(text_of, meant(codes, type_of(kind))) if text is not None]

    def _is_missing(self, texts: pa.Array, marked: Sequence[str]) -> pa.Array:
        return pc.or_(pc.is_null(texts), pc.is_in(texts, pa.array(["", *marked], texts.type)))

    def _scalar(self, nested: Nested, name: str, path: FieldPath) -> pa.Array:
        values = _ordinary(_plain(nested.leaf(path)))
        marked = self._texts(name, values.type)
        if not marked:
            return values
        is_code = pc.is_in(text_array(values).cast(_TEXT), pa.array(marked, _TEXT))
        return pc.if_else(is_code, pa.scalar(None, values.type), values)


def _plain(texts: pa.Array) -> pa.Array:
    return texts.cast(texts.type.value_type) if pa.types.is_dictionary(texts.type) else texts


def _ordinary(values: pa.Array) -> pa.Array:
    """Types that every engine computes with."""
    if pa.types.is_string_view(values.type):
        return values.cast(_TEXT)
    if pa.types.is_decimal(values.type):
        return values.cast(pa.decimal128(values.type.precision, values.type.scale))
    return values


def _distinct(
    records: NDArray[np.int64], above: NDArray[np.int64], labels: NDArray[np.int64]
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]:
    """The nodes of a class in their order: by record, place of the parent, label; and of each element which node it is."""
    if not len(records):
        return (records, above, labels), records
    places, values = int(above.max()) + 2, int(labels.max()) + 1
    if (int(records.max()) + 1) * places * values >= _WIDE:
        rows = np.stack([records, above, labels], axis=1)
        distinct, number = np.unique(rows, axis=0, return_inverse=True)
        return (distinct[:, 0], distinct[:, 1], distinct[:, 2]), number.reshape(-1).astype(np.int64)
    keys, number = np.unique((records * places + above + 1) * values + labels, return_inverse=True)
    rest, label = np.divmod(keys, values)
    record, place = np.divmod(rest, places)
    return (record, place - 1, label), number.astype(np.int64)


def _rank(ascending: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many equal numbers stand before each."""
    ranks: NDArray[np.int64] = np.arange(len(ascending)) - np.searchsorted(ascending, ascending)
    return ranks


def _gathered(sizes: NDArray[np.int64], nodes: list[tuple[NDArray[np.int64], ...]]) -> Forest:
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    labels, parents = np.zeros(offsets[-1], np.int32), np.zeros(offsets[-1], np.int32)
    for records, places, above, names in nodes:
        at = offsets[records] + places
        labels[at], parents[at] = names, above
    return Forest(offsets, labels, parents, np.ones(len(sizes), np.int64))
