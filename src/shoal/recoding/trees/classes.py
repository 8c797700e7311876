"""Recoding of trees by classes: every different tree is in a class, and all records of a class show the same tree.

Of every original node it is known which node of the shown tree it became, or that it is left out. A shown node stands for at least
one node of every tree of its class, and hangs below what the nearest kept node above that became: so whatever a record shows is
true of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.trees import Forest, TreeShape
from shoal.errors import InternalError
from shoal.kernels.distinct import distinct
from shoal.recoding.trees.rules import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class TreeClassRecoding:
    """Every class of trees shows one tree."""

    shape: TreeShape
    hierarchies: Mapping[str, Hierarchy]  # by class of nodes
    forest: Forest  # the different original trees
    classes: NDArray[np.int64]  # (trees,): the class of each
    shown: Forest  # (classes,): what each shows, labels as `TreeRecoding` shows them; and its records
    places: NDArray[np.int32]  # (original nodes,): the place of what each became in the shown tree, or LEFT_OUT

    def __post_init__(self) -> None:
        if len(self.classes) != len(self.forest) or len(self.places) != len(self.forest.labels):
            raise InternalError("A recoding of trees by classes does not speak of every tree and node.")
        if not np.array_equal(np.bincount(self.classes, self.forest.records, len(self.shown)), self.shown.records):
            raise InternalError("Classes of trees have other records than their trees.")
        nodes = np.repeat(self.classes, np.diff(self.forest.offsets))
        kept = self.places != LEFT_OUT
        size = np.diff(self.shown.offsets)
        if (self.places[kept] >= size[nodes[kept]]).any():
            raise InternalError("A node would be shown in a place that is not there.")
        tree = np.repeat(np.arange(len(self.forest)), np.diff(self.forest.offsets))
        width = int(size.max(initial=0)) + 1
        met = distinct(tree[kept] * width + self.places[kept]) // width
        if not np.array_equal(np.bincount(met, minlength=len(self.forest)), size[self.classes]):
            raise InternalError("A record would show a node that it does not have.")
        if not (self._covers[kept] & self._hangs[kept]).all():
            raise InternalError("A record would show a value or a relation that it does not have.")

    @classmethod
    def of_seeds(
        cls,
        shape: TreeShape,
        hierarchies: Mapping[str, Hierarchy],
        forest: Forest,
        seeds: NDArray[np.int64],
        shown: Forest,
        places: NDArray[np.int32],
    ) -> TreeClassRecoding:
        """From clusters, each named by a tree that belongs to it. shown: (trees,) what the seeds show; of others nothing is read.

        Clusters that show the same are one class; their order is that of what they show.
        """
        keys = _keys(shown)
        chosen = sorted({keys[seed]: seed for seed in np.unique(seeds)[::-1].tolist()}.items())
        number = {key: place for place, (key, _) in enumerate(chosen)}
        classes = np.array([number[keys[seed]] for seed in seeds.tolist()], np.int64)
        counts = np.bincount(classes, forest.records, len(chosen)).astype(np.int64)
        kept = taken(shown, np.array([seed for _, seed in chosen], np.int64), counts)
        return cls(shape, hierarchies, forest, classes, kept, places)

    @cached_property
    def shows(self) -> NDArray[np.int32]:
        """(original nodes,): the label each is shown as, or LEFT_OUT."""
        at = self.shown.offsets[np.repeat(self.classes, np.diff(self.forest.offsets))] + self.places
        labels = np.full(len(self.places), LEFT_OUT, np.int32)
        kept = self.places != LEFT_OUT
        labels[kept] = self.shown.labels[at[kept]]
        return labels

    @property
    def _covers(self) -> NDArray[np.bool_]:
        """(original nodes,): whether the shown label stands for the value."""
        first = np.cumsum([0, *(self.hierarchies[name].leaf_count for name in self.shape.names)])
        trees = [self.hierarchies[name] for name in self.shape.names]
        lowest = np.concatenate([tree.first + start for tree, start in zip(trees, first[:-1], strict=True)])
        highest = np.concatenate([tree.last + start for tree, start in zip(trees, first[:-1], strict=True)])
        covers: NDArray[np.bool_] = (lowest[self.shows] <= self.forest.labels) & (
            self.forest.labels <= highest[self.shows]
        )
        return covers

    @property
    def _hangs(self) -> NDArray[np.bool_]:
        """(original nodes,): whether what it became hangs below what the nearest kept node above it became."""
        begin = np.repeat(self.forest.offsets[:-1], np.diff(self.forest.offsets))
        above = np.where(self.forest.parents < 0, -1, begin + self.forest.parents)
        nearest = above.copy()
        while (passing := (nearest >= 0) & (self.places[nearest] == LEFT_OUT)).any():
            nearest[passing] = above[nearest[passing]]
        expected = np.where(nearest < 0, -1, self.places[nearest])
        at = self.shown.offsets[np.repeat(self.classes, np.diff(self.forest.offsets))] + np.maximum(self.places, 0)
        at = np.minimum(at, max(len(self.shown.parents) - 1, 0))  # of a node that is left out nothing is asked
        hangs: NDArray[np.bool_] = self.places == LEFT_OUT
        if len(self.shown.parents):
            hangs = hangs | (self.shown.parents[at] == expected)
        return hangs

    @cached_property
    def _class_of_tree(self) -> dict[bytes, int]:
        return dict(zip(_keys(self.forest), self.classes.tolist(), strict=True))

    def classes_over(self, forest: Forest) -> NDArray[np.int64]:
        """(trees,): the class of each of these, which may be any of the original trees, in whatever order and number."""
        known = self._class_of_tree
        try:
            return np.array([known[key] for key in _keys(forest)], np.int64)
        except KeyError:
            raise InternalError("A tree is in no class.") from None

    def over(self, forest: Forest) -> Forest:
        """What these trees show. Labels are shown labels then."""
        return taken(self.shown, self.classes_over(forest), forest.records)

    def to_json(self) -> dict[str, Any]:
        """For manifest and codebook. Which record is in which class is nobody's business."""
        return {"kind": "tree-classes", "classes": len(self.shown)}


def _keys(forest: Forest) -> list[bytes]:
    """What tells each tree from all others."""
    packed = forest.packed().values.to_numpy(zero_copy_only=False).tobytes()
    ends = (8 * forest.offsets).tolist()
    return [packed[low:high] for low, high in pairwise(ends)]


def taken(forest: Forest, trees: NDArray[np.int64], records: NDArray[np.int64]) -> Forest:
    """Some of the trees, or one several times. records: of each of these."""
    sizes = np.diff(forest.offsets)[trees]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    at = np.arange(offsets[-1]) + np.repeat(forest.offsets[trees] - offsets[:-1], sizes)
    return Forest(offsets, forest.labels[at], forest.parents[at], records)
