"""Original trees beside what each of them shows: what all losses of trees look at.

Of every original tree it is known what it shows, and of every original node the label it is shown as. A hierarchy's levels are
counted from its values, level 0, to its root; above the root stands one more level, that of values which are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError
from shoal.kernels.trees.kept_relations import depths, kept_relations
from shoal.recoding.trees.classes import taken
from shoal.recoding.trees.rules import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.data.trees import Forest, TreeShape
    from shoal.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class Comparison:
    """`shows` must name, for every node, a label that stands for it."""

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
        labels, start = [], 0
        for name in self.shape.names:
            hierarchy = self.hierarchies[name]
            rungs = np.minimum(np.arange(max(self.heights.tolist())), hierarchy.height)
            labels.append(hierarchy.levels[rungs] + start)
            start += len(hierarchy.labels)
        return np.concatenate(labels, axis=1).astype(np.int32)

    @cached_property
    def climbed(self) -> NDArray[np.int64]:
        """(original nodes,): the level at which each is shown, the height of its class where it is left out; -1 for nonsense."""
        return self.levels_of(self.originals.labels, self.shows)

    def levels_of(
        self, labels: NDArray[np.int32] | NDArray[np.int64], shows: NDArray[np.int32] | NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """(labels,): the same of original labels that are shown as others."""
        levels = np.where(shows == LEFT_OUT, self.heights[self.class_of[labels]], -1)
        for level in range(len(self.ladder) - 1, -1, -1):  # the lowest level counts, so it comes last
            levels[self.ladder[level, labels] == shows] = level
        return levels

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
        hierarchies = [self.hierarchies[name] for name in self.shape.names]
        size = np.zeros(max(self.heights.tolist()), np.int64)
        for hierarchy in hierarchies:
            for level in range(hierarchy.height + 1):
                size[level] += len(np.unique(hierarchy.levels[level]))
        sizes = []
        for hierarchy in hierarchies:
            lowest = np.zeros(len(hierarchy.labels), np.int64)
            for level in range(hierarchy.height, -1, -1):
                lowest[hierarchy.levels[level]] = level
            sizes.append(size[lowest])
        return np.concatenate(sizes)

    def part(self, step: int) -> Comparison:
        """Every so manieth tree, with its records."""
        trees = np.arange(0, len(self.originals), step)
        one, records = self.originals, self.originals.records[trees]
        chosen = np.zeros(len(one), np.bool_)
        chosen[trees] = True
        shows = self.shows[np.repeat(chosen, np.diff(one.offsets))]
        return Comparison(
            self.shape, self.hierarchies, taken(one, trees, records), taken(self.shown, trees, records), shows
        )
