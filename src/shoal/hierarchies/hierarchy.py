"""The hierarchy: how the values of one column may be blurred, from leaf to top.

A hierarchy is a tree. Its leaves are the raw values; they may lie at different depths. Leaves are numbered in the
order in which a walk through the tree meets them, so every node covers an *interval* of leaf codes.

Full-domain recoding needs levels as well: level 0 is the raw value, the highest level is the root, and each level
only merges groups of the level below. A file in table form (ARX) states the levels, one per column. A tree without
stated levels is cut at equal depth: at level l every leaf is replaced by its ancestor at depth `height - l`, and a
leaf that lies higher than that stays as it is. Both are the same when all leaves lie at one depth.

A missing value is a leaf of its own (label `None`) directly below the root; it stays missing until the top level.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import HierarchyError, InternalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

Label = str | None


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A checked tree over the values of one column. Make one with `from_paths` or `shoal.hierarchies.build`."""

    labels: tuple[Label, ...]  # of nodes: leaves first, in walking order; then inner nodes; the root is last
    parents: NDArray[np.int32]  # (nodes,); the root has -1
    levels: NDArray[np.int32]  # (levels, leaves): the node a leaf is replaced by at that level
    first: NDArray[np.int32]  # (nodes,): first leaf code below the node
    last: NDArray[np.int32]  # (nodes,): last leaf code below the node, inclusive
    # (nodes, 2) lower and upper bound of what a node may stand for, when the values are numbers; else None
    bounds: NDArray[np.float64] | None = None
    _codes: dict[Label, int] = field(default_factory=dict, repr=False)

    @classmethod
    def from_paths(
        cls, paths: Iterable[Sequence[Label]], bounds: dict[Label, tuple[float, float]] | None = None
    ) -> Hierarchy:
        """Build from one path per leaf, leaf first, root last. The index in a path is the level.

        Paths may differ in length, and a label that repeats along a path is one node (``"?", "*", "*"``: the value
        goes to the top at level 1). When all paths have the same length their columns are the levels, as in an ARX
        file; otherwise the levels are the cuts at equal depth.
        """
        stated = [tuple(path) for path in paths]
        if not stated:
            raise HierarchyError("The hierarchy is empty; it needs at least one value.")
        parent_of = _parents(stated)
        (root,) = {path[-1] for path in stated}
        leaves, inner = _walk(root, parent_of, [path[0] for path in stated])
        labels = (*leaves, *inner) if inner else tuple(leaves)
        node = {label: code for code, label in enumerate(labels)}
        parents = np.full(len(labels), -1, np.int32)
        for child, parent in parent_of.items():
            parents[node[child]] = node[parent]
        first, last = _intervals(parents, len(leaves))
        same_length = len({len(path) for path in stated}) == 1
        levels = (
            np.array([[node[label] for label in path] for path in sorted(stated, key=lambda p: node[p[0]])], np.int32).T
            if same_length
            else depth_cuts(parents, len(leaves))
        )
        table = None
        if bounds is not None:
            table = np.array([bounds.get(label, (np.nan, np.nan)) for label in labels], np.float64)
        hierarchy = cls(labels, parents, np.ascontiguousarray(levels), first, last, table, node)
        hierarchy._check_nested()
        return hierarchy

    # ---- reading -----------------------------------------------------------------------------------------------------

    @property
    def leaf_count(self) -> int:
        return int(self.levels.shape[1])

    @property
    def height(self) -> int:
        """The highest level."""
        return int(self.levels.shape[0]) - 1

    @property
    def root(self) -> Label:
        return self.labels[-1]

    def code(self, label: Label) -> int | None:
        """The leaf code of a raw value, or None when the value is not a leaf."""
        node = self._codes.get(label)
        return node if node is not None and node < self.leaf_count else None

    def node(self, label: Label) -> int | None:
        """The node with this label: a leaf or an inner one."""
        return self._codes.get(label)

    def label(self, leaf: int, level: int) -> Label:
        return self.labels[int(self.levels[level, leaf])]

    def leaves_below(self, node: int) -> int:
        return int(self.last[node] - self.first[node]) + 1

    def path(self, leaf: int) -> tuple[Label, ...]:
        """The labels of a leaf at every level, as a row of an ARX file."""
        return tuple(self.labels[node] for node in self.levels[:, leaf])

    @cached_property
    def groups(self) -> NDArray[np.int32]:
        """(levels, leaves): dense group numbers, 0 … groups-1 at each level, in the order of their first leaves."""
        dense = np.empty_like(self.levels)
        for level, nodes in enumerate(self.levels):
            _, where, inverse = np.unique(nodes, return_index=True, return_inverse=True)
            rank = np.empty(len(where), np.int32)
            rank[np.argsort(where, kind="stable")] = np.arange(len(where), dtype=np.int32)
            dense[level] = rank[inverse]
        return dense

    def group_nodes(self, level: int) -> NDArray[np.int32]:
        """(groups,): the node of every dense group number of a level."""
        nodes = np.empty(int(self.groups[level].max()) + 1, np.int32)
        nodes[self.groups[level]] = self.levels[level]
        return nodes

    def children(self, node: int) -> list[int]:
        below: list[int] = np.flatnonzero(self.parents == node).tolist()
        return sorted(below, key=lambda child: int(self.first[child]))

    # ---- making a variant --------------------------------------------------------------------------------------------

    def with_missing(self) -> Hierarchy:
        """The same hierarchy with a leaf for missing values below the root, if it has none yet."""
        if None in self._codes:
            return self
        missing_path: tuple[Label, ...] = (*([None] * max(self.height, 1)), self.root)
        paths = [self.path(leaf) for leaf in range(self.leaf_count)]
        if len(self.labels) == 1:  # a single value that is its own root: give it a top to share with the missing
            top = "*" if self.root != "*" else "**"
            paths = [(self.root, top)]
            missing_path = (None, top)
        bounds = None
        if self.bounds is not None:
            bounds = {label: (float(lo), float(hi)) for label, (lo, hi) in zip(self.labels, self.bounds, strict=True)}
        return Hierarchy.from_paths([*paths, missing_path], bounds)

    # ---- checking ----------------------------------------------------------------------------------------------------

    def _check_nested(self) -> None:
        """Each level may only merge groups of the level below; otherwise a roll-up would be wrong."""
        for lower, upper in zip(self.groups, self.groups[1:], strict=False):
            seen = np.full(int(lower.max()) + 1, -1, np.int32)
            seen[lower] = upper
            if not np.array_equal(seen[lower], upper):
                raise HierarchyError("A level of the hierarchy splits a group of the level below it.")
        if len(set(self.levels[-1].tolist())) != 1:
            raise InternalError("The top level of a hierarchy has more than one group.")


def _parents(paths: Sequence[tuple[Label, ...]]) -> dict[Label, Label]:
    """child → parent, refusing everything that is not a tree. Faults name the row, counted from 1."""
    parent_of: dict[Label, Label] = {}
    where: dict[Label, int] = {}
    faults: list[str] = []
    leaf_rows: dict[Label, int] = {}
    roots: dict[Label, int] = {}
    sound: set[tuple[Label, ...]] = set()  # what follows the value in rows without a fault: most rows share it
    for row, path in enumerate(paths, start=1):
        if not path:
            faults.append(f"row {row}: empty")
            continue
        if path[0] in leaf_rows:
            faults.append(f"row {row}: the value of row {leaf_rows[path[0]]} again")
            continue
        leaf_rows[path[0]] = row
        above = path[1:]
        if above and above in sound and path[0] not in above:
            if parent_of.setdefault(path[0], above[0]) != above[0]:
                faults.append(f"row {row}: a label of this row has another parent in row {where[path[0]]}")
            where.setdefault(path[0], row)
            continue
        roots.setdefault(path[-1], row)
        nodes = [label for i, label in enumerate(path) if i == 0 or label != path[i - 1]]
        if len(set(nodes)) != len(nodes):
            faults.append(f"row {row}: a label comes back higher up in the same row (a cycle)")
            continue
        for child, parent in pairwise(nodes):
            known = parent_of.setdefault(child, parent)
            if known != parent:
                faults.append(f"row {row}: a label of this row has another parent in row {where[child]}")
                break
            where.setdefault(child, row)
        else:
            sound.add(above)
    inner = set(parent_of.values())
    for label, row in leaf_rows.items():
        if label in inner and len(paths) > 1:
            faults.append(f"row {row}: the value is also the label of a group")
    for label, row in roots.items():
        if label in parent_of:
            faults.append(f"row {row}: ends at a label that has a parent elsewhere")
    if len(roots) > 1:
        faults.append(
            f"the rows end in {len(roots)} different top labels (rows {', '.join(map(str, sorted(roots.values())[:5]))}"
            f"{', …' if len(roots) > 5 else ''}); they must end in one, for example *"
        )
    if faults:
        raise HierarchyError(*faults)
    return parent_of


def _walk(root: Label, parent_of: dict[Label, Label], stated_leaves: list[Label]) -> tuple[list[Label], list[Label]]:
    """Leaves in walking order (children in the order they were stated); inner nodes bottom-up, the root last."""
    children: dict[Label, dict[Label, None]] = {}
    for leaf in stated_leaves:
        child = leaf
        while child in parent_of:
            siblings = children.setdefault(parent_of[child], {})
            if child in siblings:
                break
            siblings[child] = None
            child = parent_of[child]
    leaves: list[Label] = []
    inner: list[Label] = []
    stack: list[Label] = [root]
    while stack:
        label = stack.pop()
        if label in children:
            inner.append(label)
            stack.extend(reversed(children[label]))
        else:
            leaves.append(label)
    inner.reverse()  # preorder reversed: every node comes after its descendants, the root last
    return leaves, inner


def _intervals(parents: NDArray[np.int32], leaves: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    first = [*range(leaves), *[leaves] * (len(parents) - leaves)]
    last = [*range(leaves), *[-1] * (len(parents) - leaves)]
    for node, parent in enumerate(parents.tolist()):  # nodes come before their parents
        if parent >= 0:
            first[parent] = min(first[parent], first[node])
            last[parent] = max(last[parent], last[node])
    return np.array(first, np.int32), np.array(last, np.int32)


def depth_cuts(parents: NDArray[np.int32], leaves: int) -> NDArray[np.int32]:
    """(levels, leaves): the node of each leaf at every level, where leaves lie at different depths."""
    depth = np.zeros(len(parents), np.int32)
    for node in range(len(parents) - 2, -1, -1):  # parents come after their children
        depth[node] = depth[parents[node]] + 1
    height = int(depth[:leaves].max())
    levels = np.empty((height + 1, leaves), np.int32)
    levels[0] = np.arange(leaves, dtype=np.int32)
    for level in range(1, height + 1):
        below = levels[level - 1]
        levels[level] = np.where(depth[below] > height - level, parents[below], below)
    return levels
