"""Trees, many at once, in the form that kernels take: numbers, one record after the other.

A record is a tree without order: below its root, which stands for the person, hang nodes, each with a value of a class. A class
has a parent class, or hangs below the root; a path from the root meets a class at most once. Nodes with the same value below the
same node are one node, so a tree is the set of its paths.

Inside, a class's values are numbered by the leaves of its hierarchy, and the classes one after the other: the *label* of a node is
`first[class] + leaf`. The nodes of a record stand in one order only: by class, then by the place of the parent, then by label. So
equal trees have equal numbers, and an engine can count trees as it counts anything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

TREE = "tree"  # the column that holds the trees, inside an engine
PACKED = pa.large_list(pa.int64())  # its type: for each node (place of its parent + 1) << 32 | label
HIDDEN = 0  # the number of a sensitive value that is missing, or not shown; those that are shown count from 1
_LABEL_BITS = 32


@dataclass(frozen=True)
class NodeClass:
    """A class of nodes, and the class its nodes hang below."""

    name: str
    parent: str | None = None  # None: below the root


@dataclass(frozen=True)
class TreeShape:
    """The classes, each after its parent."""

    classes: tuple[NodeClass, ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for one in self.classes:
            if one.name in seen or (one.parent is not None and one.parent not in seen):
                raise InternalError("A class of a tree comes twice, or before its parent.")
            seen.add(one.name)

    @classmethod
    def of(cls, parents: Mapping[str, str | None]) -> TreeShape:
        """From the parent of each class, in whatever order; a class stands as early as its parent allows."""
        order: list[NodeClass] = []
        left = dict(parents)
        while left:
            ready = [name for name, parent in left.items() if parent is None or parent not in left]
            if not ready:
                raise InternalError("The parents of classes go round in a circle.")
            order += [NodeClass(name, left.pop(name)) for name in ready]
        return cls(tuple(order))

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.classes)

    @cached_property
    def parents(self) -> NDArray[np.int32]:
        """(classes,): the number of the parent class, -1 below the root."""
        place = {name: number for number, name in enumerate(self.names)}
        return np.array([-1 if one.parent is None else place[one.parent] for one in self.classes], np.int32)

    @cached_property
    def below(self) -> NDArray[np.bool_]:
        """(classes, classes): whether a node of the second may stand somewhere below one of the first."""
        below = np.zeros((len(self.classes), len(self.classes)), np.bool_)
        for number, parent in enumerate(self.parents):
            if parent >= 0:
                below[:, number] = below[:, parent]
                below[parent, number] = True
        return below

    def under(self, name: str | None) -> tuple[str, ...]:
        """The classes whose nodes may hang directly below one of this class, when others between are taken away."""
        if name is None:
            return self.names
        row = self.below[self.names.index(name)]
        return tuple(other for number, other in enumerate(self.names) if row[number])


@dataclass(frozen=True, eq=False)
class Forest:
    """The nodes of tree i are offsets[i]:offsets[i + 1]; a parent is named by its place within the tree, -1 is the root."""

    offsets: NDArray[np.int64]  # (trees + 1,)
    labels: NDArray[np.int32]  # (nodes,)
    parents: NDArray[np.int32]  # (nodes,)
    records: NDArray[np.int64]  # (trees,) how many records have this tree
    # (trees,) of a sensitive column: the number of the value that these records have, HIDDEN where it is missing
    values: NDArray[np.int64] | None = None
    sampled_from: int | None = None  # records there are, where these are the trees of some of them; None: of all

    def __post_init__(self) -> None:
        if not len(self.offsets) or self.offsets[0] != 0 or self.offsets[-1] != len(self.labels):
            raise InternalError("The offsets of trees do not begin at 0, or do not end with the nodes.")
        if len(self.parents) != len(self.labels) or len(self.records) != len(self.offsets) - 1:
            raise InternalError("The arrays of trees do not belong together.")
        if self.values is not None and (
            len(self.values) != len(self.records) or self.values.min(initial=HIDDEN) < HIDDEN
        ):
            raise InternalError("Trees have sensitive values that do not belong to them.")
        places = np.arange(len(self.labels)) - np.repeat(self.offsets[:-1], np.diff(self.offsets))
        if (self.parents >= places).any() or (self.parents < -1).any():
            raise InternalError("A node stands before its parent.")

    def __len__(self) -> int:
        """The number of trees."""
        return len(self.offsets) - 1

    @classmethod
    def of_packed(
        cls,
        trees: pa.Array | pa.ChunkedArray,
        records: NDArray[np.int64] | None = None,
        values: NDArray[np.int64] | None = None,
    ) -> Forest:
        """From a column as an engine holds it."""
        if isinstance(trees, pa.ChunkedArray):
            trees = trees.combine_chunks() if trees.num_chunks else pa.array([], PACKED)
        trees = trees.cast(PACKED)
        offsets = trees.offsets.to_numpy().astype(np.int64)
        packed = trees.values.to_numpy(zero_copy_only=False)[offsets[0] : offsets[-1]]
        counts = np.ones(len(trees), np.int64) if records is None else records
        return cls(
            offsets - offsets[0],
            (packed & ((1 << _LABEL_BITS) - 1)).astype(np.int32),
            ((packed >> _LABEL_BITS) - 1).astype(np.int32),
            counts,
            values,
        )

    def packed(self) -> pa.Array:
        """As an engine holds it."""
        numbers = ((self.parents.astype(np.int64) + 1) << _LABEL_BITS) | self.labels.astype(np.int64)
        return pa.LargeListArray.from_arrays(pa.array(self.offsets), pa.array(numbers))

    @classmethod
    def of_paths(
        cls, records: Iterable[Iterable[tuple[int, ...]]], shape: TreeShape, first: NDArray[np.int64]
    ) -> Forest:
        """From paths of labels, record by record; for few records. first: (classes + 1,) the first label of each class."""
        offsets, labels, parents = [0], [], []
        for paths in records:
            prefixes = {path[: i + 1] for path in paths for i in range(len(path))}
            place: dict[tuple[int, ...], int] = {(): -1}
            for number in range(len(shape.classes)):
                mine = [p for p in prefixes if first[number] <= p[-1] < first[number + 1]]
                for prefix in sorted(mine, key=lambda p: (place[p[:-1]], p[-1])):
                    place[prefix] = len(place) - 1
                    labels.append(prefix[-1])
                    parents.append(place[prefix[:-1]])
            offsets.append(len(labels))
        return cls(
            np.array(offsets, np.int64),
            np.array(labels, np.int32),
            np.array(parents, np.int32),
            np.ones(len(offsets) - 1, np.int64),
        )

    def paths(self, tree: int) -> set[tuple[int, ...]]:
        """The paths from the root to every node of one tree, as labels."""
        paths: list[tuple[int, ...]] = []
        for node in range(int(self.offsets[tree]), int(self.offsets[tree + 1])):
            parent = int(self.parents[node])
            paths.append((*(paths[parent] if parent >= 0 else ()), int(self.labels[node])))
        return set(paths)
