"""From numbers to the nested form in which trees are published: for every class a column of that name.

A cell is the list of the nodes of the class that hang below the root; a node is its value and, for each class that may stand below
its own, the list of the nodes of that class that hang below it. A class has a place below every class above it, not only below its
parent: nodes between the two may have been taken out. Lists are never missing; siblings are distinct and sorted by their texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.data.trees import Forest, TreeShape
    from shoal.hierarchies.hierarchy import Hierarchy

VALUE = "value"  # the field of a node that holds its value; the other fields are classes


@dataclass(frozen=True, eq=False)
class Wording:
    """What the labels of trees stand for."""

    shape: TreeShape
    texts: tuple[pa.Array, ...]  # by class: the texts of its labels; no two are equal, none is missing

    def __post_init__(self) -> None:
        if len(self.texts) != len(self.shape.classes):
            raise InternalError("The texts of some class of a tree are not known.")
        if any(texts.null_count for texts in self.texts):
            raise InternalError("A label of a tree has no text.")

    @classmethod
    def of_hierarchies(cls, shape: TreeShape, hierarchies: Mapping[str, Hierarchy]) -> Wording:
        """Of shown labels: a node of a hierarchy has a label, whether leaf or not."""
        # a hierarchy may know a leaf for missing values; no node of a tree has it
        return cls(
            shape,
            tuple(pa.array([label or "" for label in hierarchies[name].labels], pa.string()) for name in shape.names),
        )

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """(classes + 1,): the first label of each class."""
        return np.cumsum([0, *map(len, self.texts)], dtype=np.int64)

    @cached_property
    def all(self) -> pa.Array:
        return pa.concat_arrays([texts.cast(pa.string()) for texts in self.texts] or [pa.array([], pa.string())])

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """(labels,): the place of each among the texts of its class, in order."""
        ranks = np.zeros(int(self.first[-1]), np.int64)
        for start, texts in zip(self.first[:-1].tolist(), self.texts, strict=True):
            held = texts.to_pylist()
            order = sorted(range(len(held)), key=held.__getitem__)  # by code point, as every engine sorts
            ranks[start + np.array(order, np.int64)] = np.arange(len(held))
        return ranks


def nested_type(shape: TreeShape, name: str) -> pa.DataType:
    """Of the column of a class."""
    below = ((child, nested_type(shape, child)) for child in shape.under(name))
    return pa.list_(pa.struct([(VALUE, pa.string()), *below]))


def nested_fields(shape: TreeShape) -> list[pa.Field]:
    """The columns of all classes."""
    return [pa.field(name, nested_type(shape, name)) for name in shape.names]


def unfold(forest: Forest, wording: Wording) -> list[pa.Array]:
    """The column of each class, a cell for each tree."""
    return _Unfolding(forest, wording).columns()


class _Unfolding:
    def __init__(self, forest: Forest, wording: Wording) -> None:
        self.shape, self.wording, self.trees = wording.shape, wording, len(forest)
        sizes = np.diff(forest.offsets)
        starts = np.repeat(forest.offsets[:-1], sizes)
        self.labels = forest.labels
        self.rank = wording.ranks[forest.labels]
        self.tree = np.repeat(np.arange(self.trees), sizes)
        self.above = np.where(forest.parents >= 0, forest.parents + starts, -1)  # by place among the nodes of all trees
        self.number = np.searchsorted(wording.first, forest.labels, "right") - 1  # of the class
        above_number = np.where(self.above >= 0, self.number[self.above], -1)
        total = len(self.shape.classes)
        kinds = (above_number + 1) * total + self.number
        order = np.argsort(kinds, kind="stable")
        ends = np.searchsorted(kinds[order], np.arange((total + 1) * total + 1))
        # nodes by the class of their parent and their own
        self.nodes = {
            (kind // total - 1, kind % total): order[ends[kind] : ends[kind + 1]] for kind in range((total + 1) * total)
        }
        self.place = np.full(len(forest.labels), -1, np.int64)  # of a node that has been placed, among its like
        self.placed = 0

    def columns(self) -> list[pa.Array]:
        columns = []
        for number in range(len(self.shape.classes)):
            nodes = self.nodes[-1, number]
            columns.append(self._lists(nodes, self.tree[nodes], self.trees, number))
        if self.placed != len(self.labels):
            raise InternalError("A node of a tree hangs below one of a class that its own has no place below.")
        return columns

    def _lists(
        self, nodes: NDArray[np.int64], owners: NDArray[np.int64], number_of_owners: int, number: int
    ) -> pa.Array:
        """A list for each owner, of those of these nodes that it owns. number: of their class."""
        order = np.argsort(owners * int(self.wording.first[-1]) + self.rank[nodes], kind="stable")  # in order mostly
        nodes, owners = nodes[order], owners[order]
        self.placed += len(nodes)
        self.place[nodes] = np.arange(len(nodes))
        fields = [self.wording.all.take(pa.array(self.labels[nodes]))]
        name = self.shape.names[number]
        below = self.shape.under(name)
        for child in below:
            other = self.shape.names.index(child)
            candidates = self.nodes[number, other]
            owner = self.place[self.above[candidates]]
            fields.append(self._lists(candidates[owner >= 0], owner[owner >= 0], len(nodes), other))
        self.place[nodes] = -1  # nodes of the same class elsewhere are not owners of the same lists
        offsets = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=number_of_owners))])
        kind = nested_type(self.shape, name)
        structs = pa.StructArray.from_arrays(fields, fields=list(kind.value_type))
        return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), structs)
