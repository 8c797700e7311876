"""Trees on every engine: its own numbers of values become those of hierarchies, and shown trees become published columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.lookalikes import appearance
from shoal.data.text import text_array
from shoal.data.trees import HIDDEN, PACKED, TREE, Forest
from shoal.errors import DataError, InternalError
from shoal.io.trees.unfold import Wording, nested_fields, unfold
from shoal.io.trees.write_json import tree_texts
from shoal.kernels.trees.blurring import shown_trees
from shoal.recoding.trees.classes import TreeClassRecoding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.data.trees import TreeShape
    from shoal.engines.engine import Counter
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.recoding.trees.rules import TreeRecoding

_NO_PAIRS = np.zeros((0, 2), np.int32)


@dataclass(frozen=True, eq=False)
class Leaves:
    """The labels that methods and recodings count with: by class, the leaves of its hierarchy."""

    first: NDArray[np.int64]  # (classes + 1,)
    labels: NDArray[np.int32]  # (labels of the engine,): the label of each value

    @classmethod
    def of(cls, held: Wording, hierarchies: Mapping[str, Hierarchy]) -> Leaves:
        """held: the values that records have. All need a place in their hierarchy."""
        first = np.cumsum([0, *(hierarchies[name].leaf_count for name in held.shape.names)], dtype=np.int64)
        labels: list[int] = []
        for name, texts, start in zip(held.shape.names, held.texts, first.tolist(), strict=False):
            codes = [hierarchies[name].code(text) for text in texts.to_pylist()]
            if strangers := codes.count(None):
                raise DataError(
                    f"Column '{name}': {strangers:,} values are not in the column's hierarchy. "
                    f"`shoal hierarchy check FILE --data DATA --column {name}` lists what is missing."
                )
            labels += [start + code for code in codes if code is not None]
        return cls(first, np.array(labels, np.int32))

    def forest(self, forest: Forest) -> Forest:
        """The same trees, numbered by leaves."""
        numbers = (forest.offsets, forest.labels, forest.parents)
        made = shown_trees(*numbers, self.labels, _NO_PAIRS, self.first)
        return Forest(*made, forest.records, forest.values, forest.sampled_from)


@dataclass(frozen=True, eq=False)
class OverLeaves:
    """A counter that is handed the trees of the records as methods number them, whatever numbers the engine has."""

    counter: Counter
    leaves: Leaves

    @property
    def keys(self) -> pa.Schema:
        return self.counter.keys

    def partials(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Of batches whose one column holds the engine's trees."""

        def renumbered() -> Iterator[pa.RecordBatch]:
            for batch in batches:
                forest = self.leaves.forest(Forest.of_packed(batch.column(0)))
                yield pa.RecordBatch.from_arrays([forest.packed().cast(PACKED)], [TREE])

        return self.counter.partials(renumbered())


@dataclass(frozen=True, eq=False)
class ShownTrees:
    """What records show, from what they hold. Works on batches, in whatever process."""

    held: Wording  # of the engine's trees
    recoding: TreeRecoding | TreeClassRecoding

    @property
    def by_classes(self) -> bool:
        """Whether what a record shows follows from no rule about labels, so that an assignment has to tell it."""
        return isinstance(self.recoding, TreeClassRecoding)

    @property
    def shape(self) -> TreeShape:
        return self.recoding.shape

    @cached_property
    def leaves(self) -> Leaves:
        return Leaves.of(self.held, self.recoding.hierarchies)

    @cached_property
    def wording(self) -> Wording:
        """Of the labels that may be shown."""
        return Wording.of_hierarchies(self.shape, self.recoding.hierarchies)

    def over(self, trees: pa.Array) -> pa.Array:
        """The shown tree of each record. trees: as the engine holds them."""
        forest = Forest.of_packed(trees)
        shown = self.recoding.over(self.leaves.forest(forest))
        if len(shown) != len(trees):
            raise InternalError("A recoding of trees returned another number of records than it was given.")
        return shown.packed().cast(PACKED)

    def columns(self, shown: pa.Array) -> list[pa.Array]:
        """The published columns of the classes."""
        return unfold(Forest.of_packed(shown), self.wording)

    def texts(self, held: pa.Array, shown: pa.Array) -> tuple[pa.Array, pa.Array]:
        """Trees as the engine holds them and as they are shown, as texts of JSON: for the verifier."""
        sides = ((held, self.held), (shown, self.wording))
        first, second = (tree_texts(unfold(Forest.of_packed(trees), wording), self.shape) for trees, wording in sides)
        return first, second


def value_numbers(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """(rows,) of a sensitive column: equal texts have equal numbers, in the order of the texts; what a reader takes for hidden is
    HIDDEN."""
    held = pa.concat_arrays(column.chunks) if column.chunks else pa.array([], column.type)
    plain = held.cast(held.type.value_type) if pa.types.is_dictionary(held.type) else held
    encoded = pc.dictionary_encode(plain, "encode")
    looks = ["" if text is None else appearance(text) for text in text_array(encoded.dictionary).to_pylist()]
    number = {look: place for place, look in enumerate(sorted(set(looks) - {"", "*"}), HIDDEN + 1)}
    codes = np.array([number.get(look, HIDDEN) for look in looks], np.int64)
    numbers: NDArray[np.int64] = codes[encoded.indices.to_numpy()]
    return numbers


def published_schema(shape: TreeShape, others: Sequence[pa.Field]) -> pa.Schema:
    """The columns of a release: single values, then the classes."""
    return pa.schema([*others, *nested_fields(shape)])
