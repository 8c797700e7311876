"""Which values a label stands for: a tree whose leaves are the values of a column.

A leaf is numbered by its place in a walk through the tree, so what lies below a node is a run of numbers. A missing value is the
leaf `None`. What is no tree, or could be read in two ways, is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from shoal.errors import HierarchyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Label = str | None
Row = tuple[Label, ...]  # a value, its groups from near to far, the top


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Nodes by number: first the leaves as a walk meets them, then the groups, the top last."""

    labels: tuple[Label, ...]
    parents: tuple[int, ...]  # by node; -1 of the top
    leaf_count: int
    first: tuple[int, ...]  # by node: the first leaf below it
    last: tuple[int, ...]  # by node: the last leaf below it
    numbers: Mapping[Label, int]

    @classmethod
    def of(cls, rows: Iterable[Sequence[Label]]) -> Hierarchy:
        """From one row per value. A label that repeats along a row is one node."""
        paths: list[Row] = [tuple(row) for row in rows]
        parent = _parents(paths)
        children: dict[Label, list[Label]] = {}
        for child, above in parent.items():
            children.setdefault(above, []).append(child)
        leaves, groups = _walk(paths[0][-1], children)
        if set(leaves) != {path[0] for path in paths} or len(leaves) + len(groups) != len({*parent, paths[0][-1]}):
            raise HierarchyError("The hierarchy is no tree over its values.")
        labels = (*leaves, *groups)
        numbers = {label: number for number, label in enumerate(labels)}
        parents = tuple(numbers[parent[label]] if label in parent else -1 for label in labels)
        first, last = list(range(len(labels))), list(range(len(labels)))
        for number in range(len(leaves), len(labels)):
            below = [numbers[child] for child in children[labels[number]]]  # children have lower numbers
            first[number] = min(first[child] for child in below)
            last[number] = max(last[child] for child in below)
        return cls(labels, parents, len(leaves), tuple(first), tuple(last), numbers)

    @property
    def root(self) -> Label:
        """The label of the top."""
        return self.labels[-1]

    def node(self, label: Label) -> int | None:
        """The number of a leaf or a group."""
        return self.numbers.get(label)

    def code(self, label: Label) -> int | None:
        """The number of a leaf."""
        number = self.numbers.get(label)
        return number if number is not None and number < self.leaf_count else None


def _parents(rows: Sequence[Row]) -> dict[Label, Label]:
    """The parent of every label but the top, in the order in which rows name them."""
    if not rows or not all(rows):
        raise HierarchyError("The hierarchy has no values.")
    parent: dict[Label, Label] = {}
    values: set[Label] = set()
    for number, row in enumerate(rows, start=1):
        if row[0] in values:
            raise HierarchyError(f"row {number}: the value of an earlier row again.")
        if row[-1] != rows[0][-1]:
            raise HierarchyError(f"row {number}: does not end at the top of the first row.")
        values.add(row[0])
        chain = [label for place, label in enumerate(row) if place == 0 or label != row[place - 1]]
        if len(set(chain)) < len(chain):
            raise HierarchyError(f"row {number}: a label comes back further up.")
        for child, above in pairwise(chain):
            if parent.setdefault(child, above) != above:
                raise HierarchyError(f"row {number}: a label has another parent than in an earlier row.")
    if rows[0][-1] in parent:
        raise HierarchyError("The top of the hierarchy has a parent.")
    if len(rows) > 1 and values & set(parent.values()):
        raise HierarchyError("A value of the hierarchy is also the label of a group.")
    return parent


def _walk(top: Label, children: Mapping[Label, Sequence[Label]]) -> tuple[list[Label], list[Label]]:
    """Leaves as they are met, children in the order they were named; groups so that each comes after what is below it."""
    leaves: list[Label] = []
    groups: list[Label] = []
    waiting: list[Label] = [top]
    while waiting:
        label = waiting.pop()
        if label in children:
            groups.append(label)
            waiting += reversed(children[label])
        else:
            leaves.append(label)
    return leaves, groups[::-1]
