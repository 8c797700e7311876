"""Recoding of trees: every value is shown as a label of its class's hierarchy, or left out, and pairs of labels are kept apart.

A node that is left out is taken out of its tree; what hangs below it hangs below its parent then. Two labels that are kept apart
never stand one above the other: where the second stood below the first, it becomes the first's sibling, and what hung below it
hangs below its former parent (Definition 2 of the paper). The pairs are a set. Nodes are placed from the root downwards, each
beside the topmost one that it is to be kept apart from; another order of parting could lose relations that this one keeps.

Where labels are left out *in place*, nothing moves: below one label another is shown for nobody. What a node shows follows from its
own value and the labels shown above it, so its place tells nothing (ERRATA 000-11). That is for classes without children. A
recoding has pairs of one of these two sorts, not of both.

Nodes that become equal below the same node are one node.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.data.trees import Forest, TreeShape
from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy

LEFT_OUT = -1  # the node of a value that is not shown


@dataclass(frozen=True, eq=False)
class TreeRecoding:
    """Every label is shown as another or left out, and some pairs are shown apart."""

    shape: TreeShape
    hierarchies: Mapping[str, Hierarchy]  # by class
    nodes: tuple[NDArray[np.int32], ...]  # by class, (leaves,): the hierarchy node each value is shown as, or LEFT_OUT
    apart: tuple[tuple[int, int], ...] = ()  # pairs of shown labels, the upper one first; ascending
    out: tuple[tuple[int, int], ...] = ()  # likewise: below the upper one the lower one is left out

    def __post_init__(self) -> None:
        if len(self.nodes) != len(self.shape.classes):
            raise InternalError("A recoding of trees does not speak of every class.")
        for name, nodes in zip(self.shape.names, self.nodes, strict=True):
            tree = self.hierarchies[name]
            leaves = np.arange(tree.leaf_count)
            shown = np.where(nodes == LEFT_OUT, leaves, nodes)
            if len(nodes) != tree.leaf_count or ((tree.first[shown] > leaves) | (tree.last[shown] < leaves)).any():
                raise InternalError("A value would be shown as a label that does not stand for it.")
        if any(list(pairs) != sorted(set(pairs)) for pairs in (self.apart, self.out)):
            raise InternalError("Pairs of labels to be kept apart are not ascending and distinct.")
        if self.apart and self.out:
            raise InternalError("A recoding of trees moves nodes, or leaves them out in place, and does not do both.")
        below = self.shape.below
        for upper, lower in (*self.apart, *self.out):
            if not below[self.class_of(upper), self.class_of(lower)]:
                raise InternalError("Labels are to be kept apart that never stand one above the other.")
        if any(below[self.class_of(lower)].any() for _, lower in self.out):
            raise InternalError("A label of a class with children is to be left out in place.")

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """(classes + 1,): the first label of each class, before."""
        return np.cumsum([0, *(self.hierarchies[name].leaf_count for name in self.shape.names)], dtype=np.int64)

    @cached_property
    def first_shown(self) -> NDArray[np.int64]:
        """(classes + 1,): the first label of each class, as shown: a hierarchy node has a label, whether leaf or not."""
        return np.cumsum([0, *(len(self.hierarchies[name].labels) for name in self.shape.names)], dtype=np.int64)

    @cached_property
    def shown_as(self) -> NDArray[np.int32]:
        """(labels before,): the label each is shown as, or LEFT_OUT."""
        labels = [
            np.where(nodes == LEFT_OUT, LEFT_OUT, nodes + start)
            for nodes, start in zip(self.nodes, self.first_shown[:-1], strict=True)
        ]
        return np.concatenate(labels).astype(np.int32)

    def class_of(self, shown: int) -> int:
        """The number of the class of a shown label."""
        return int(np.searchsorted(self.first_shown, shown, "right")) - 1

    def name_of(self, shown: int) -> tuple[str, str]:
        """The class and the text of a shown label."""
        number = self.class_of(shown)
        name = self.shape.names[number]
        return name, str(self.hierarchies[name].labels[shown - int(self.first_shown[number])])

    def over(self, forest: Forest) -> Forest:
        """What these trees show. Labels are shown labels then."""
        from shoal.kernels.trees.blurring import MOVED, OUT, shown_trees

        offsets, labels, parents = shown_trees(
            forest.offsets,
            forest.labels,
            forest.parents,
            self.shown_as,
            np.array(self.apart or self.out, np.int32).reshape(-1, 2),
            self.first_shown,
            OUT if self.out else MOVED,
        )
        return Forest(offsets, labels, parents, forest.records, forest.values)

    def shows(self, forest: Forest) -> NDArray[np.int32]:
        """(nodes,): the label that each node of these trees is shown as, or LEFT_OUT."""
        from shoal.kernels.trees.blurring import OUT, apart_table, shown_nodes

        if not self.out:
            return self.shown_as[forest.labels]
        table = apart_table(np.array(self.out, np.int32), int(self.first_shown[-1]), OUT)
        return shown_nodes(forest.offsets, forest.labels, forest.parents, self.shown_as, *table)

    def to_json(self) -> dict[str, Any]:
        """For manifest and codebook: enough to apply the same recoding again. Values shown as they are do not stand here."""
        shown = {}
        for name, nodes in zip(self.shape.names, self.nodes, strict=True):
            labels = self.hierarchies[name].labels
            shown[name] = {
                str(labels[leaf]): None if node == LEFT_OUT else labels[node]
                for leaf, node in enumerate(nodes.tolist())
                if node != leaf
            }
        rules: dict[str, Any] = {"kind": "trees", "shown": shown, "apart": self._named(self.apart)}
        return {**rules, "out": self._named(self.out)} if self.out else rules

    def _named(self, pairs: tuple[tuple[int, int], ...]) -> list[list[list[str]]]:
        return [[list(self.name_of(upper)), list(self.name_of(lower))] for upper, lower in pairs]
