"""A release of trees, as losses look at it.

Of every original tree it is known what it shows, and of every original node the label it is shown as. A hierarchy's levels are
counted from its values, level 0, to its root; above the root stands one more level, that of values which are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from shoal.errors import InternalError
from shoal.kernels.tree_loss import depths, kept_relations
from shoal.recoding.tree_classes import taken
from shoal.recoding.trees import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.data.trees import Forest, TreeShape
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.loss.subtrees import Subtrees
    from shoal.recoding.tree_classes import TreeClassRecoding
    from shoal.recoding.trees import TreeRecoding


@dataclass(frozen=True, eq=False)
class TreeRelease:
    shape: TreeShape
    hierarchies: Mapping[str, Hierarchy]  # by class
    originals: Forest
    shown: Forest  # what each of them shows; labels are those of the hierarchies' nodes, one class after the other
    shows: NDArray[np.int32]  # (original nodes,): the label each is shown as, or LEFT_OUT

    def __post_init__(self) -> None:
        if len(self.shown) != len(self.originals) or len(self.shows) != len(self.originals.labels):
            raise InternalError("A release of trees does not say of every tree and node what it shows.")
        if self.climbed.min(initial=0) < 0:
            raise InternalError("A value would be shown as a label that does not stand for it.")

    @classmethod
    def of(cls, recoding: TreeRecoding, forest: Forest) -> TreeRelease:
        shows = recoding.shown_as[forest.labels]
        return cls(recoding.shape, recoding.hierarchies, forest, recoding.over(forest), shows)

    @classmethod
    def of_classes(cls, recoding: TreeClassRecoding) -> TreeRelease:
        return cls(
            recoding.shape, recoding.hierarchies, recoding.forest, recoding.over(recoding.forest), recoding.shows
        )

    @property
    def rows(self) -> int:
        return int(self.originals.records.sum())

    @cached_property
    def class_of(self) -> NDArray[np.int64]:
        """(labels,): the number of the class of an original label."""
        sizes = [self.hierarchies[name].leaf_count for name in self.shape.names]
        return np.repeat(np.arange(len(sizes)), sizes)

    @cached_property
    def heights(self) -> NDArray[np.int64]:
        """(classes,): the level of values that are left out."""
        return np.array([self.hierarchies[name].height + 1 for name in self.shape.names], np.int64)

    @cached_property
    def ladder(self) -> NDArray[np.int32]:
        """(levels, labels): what an original label is called at each level of the highest hierarchy; a root stays a root."""
        made, start = [], 0
        for name in self.shape.names:
            tree = self.hierarchies[name]
            rungs = np.minimum(np.arange(max(self.heights.tolist())), tree.height)
            made.append(tree.levels[rungs] + start)
            start += len(tree.labels)
        return np.concatenate(made, axis=1).astype(np.int32)

    @cached_property
    def climbed(self) -> NDArray[np.int64]:
        """(original nodes,): the level at which each is shown, the height of its class where it is left out; -1 for nonsense."""
        labels = self.originals.labels
        made = np.where(self.shows == LEFT_OUT, self.heights[self.class_of[labels]], -1)
        for level in range(len(self.ladder) - 1, -1, -1):  # the lowest level counts, so it comes last
            made[self.ladder[level, labels] == self.shows] = level
        return made

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(original nodes + 1,): where the relations of each node to those above it begin."""
        above = depths(self.originals.offsets, self.originals.parents) - 1
        return np.concatenate([[0], np.cumsum(above)]).astype(np.int64)

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """(relations,): of each node to those above it, the topmost first: whether the record still shows it."""
        one, two = self.originals, self.shown
        return kept_relations(one.offsets, one.parents, self.starts, self.shows, two.offsets, two.labels, two.parents)

    @cached_property
    def domains(self) -> NDArray[np.int64]:
        """(shown labels,): how many values of all classes stand at the same level: all-class counting (ERRATA 000-6)."""
        trees = [self.hierarchies[name] for name in self.shape.names]
        size = np.zeros(max(self.heights.tolist()), np.int64)
        for tree in trees:
            for level in range(tree.height + 1):
                size[level] += len(np.unique(tree.levels[level]))
        made = []
        for tree in trees:
            lowest = np.zeros(len(tree.labels), np.int64)
            for level in range(tree.height, -1, -1):
                lowest[tree.levels[level]] = level
            made.append(size[lowest])
        return np.concatenate(made)

    @cached_property
    def subtrees(self) -> Subtrees:
        """Frequent subtrees of the originals, by the share and the size that the figures use."""
        from shoal.loss.subtrees import TREES, Subtrees

        return Subtrees.of(self if len(self.originals) <= TREES else self.part(-(-len(self.originals) // TREES)))

    def part(self, step: int) -> TreeRelease:
        """Every so manieth tree, with its records."""
        trees = np.arange(0, len(self.originals), step)
        one, records = self.originals, self.originals.records[trees]
        chosen = np.zeros(len(one), np.bool_)
        chosen[trees] = True
        shows = self.shows[np.repeat(chosen, np.diff(one.offsets))]
        return TreeRelease(
            self.shape, self.hierarchies, taken(one, trees, records), taken(self.shown, trees, records), shows
        )


class TreeLoss(Protocol):
    name: ClassVar[str]
    kind: ClassVar[str]  # "trees"
    title: ClassVar[str]
    plain: ClassVar[str]
    formula: ClassVar[str]
    share: ClassVar[bool]

    def of(self, release: TreeRelease) -> Fraction: ...
