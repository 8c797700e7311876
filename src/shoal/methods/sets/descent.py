"""From the root of a hierarchy of items downwards, to a cut that keeps a promise about combinations and cannot be lowered
anywhere.

In each round the nodes are tried that cost much: at least a sixteenth of what the most expensive one costs that was not tried
yet. Those that cost little wait; opened early, they would show rare labels that keep the expensive ones closed. Combinations of
1, then 2, … nodes that would break the promise are looked for: one that needs a single node opened rules that node out, one
that needs several forbids to open them all (a *conflict*). Larger sizes are counted for what smaller ones have left, as in
Apriori. Then nodes are opened in the order of their cost, divided by one more than the number of their conflicts, unless that
completes a conflict; ties by the number of the node.

Support never grows when nodes are opened: a node that is ruled out once, or loses a conflict, is ruled out for good. So each is
tried once, and when it ends, k^m-anonymity holds for a cut none of whose nodes can be opened.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.data.combinations import Units, packed

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy

_FINE = 20  # bits after the point of cost per conflict: whole numbers decide
_TOGETHER = 16  # nodes that cost at least this part of the most are tried together; more cost detail, fewer cost time


class Breaking(Protocol):
    """Which combinations would break the promise."""

    @property
    def sizes(self) -> int:
        """The largest that matters."""
        ...

    def __call__(self, units: Units, size: int) -> NDArray[np.int32]:
        """(n, size): of units; each with a child, none with a child and its parent."""
        ...


@dataclass(frozen=True, eq=False)
class ItemTree:
    """A hierarchy of items, and how many records hold a leaf below each node."""

    hierarchy: Hierarchy
    supports: NDArray[np.int64]  # (nodes,)

    @cached_property
    def costs(self) -> NDArray[np.int64]:
        """(nodes,): item NCP of showing a node, times the number of leaves: 0 for one item, else its size for every item hidden."""
        tree = self.hierarchy
        sizes = (tree.last - tree.first + 1).astype(np.int64)
        held = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.supports[: tree.leaf_count])])
        return np.where(sizes > 1, (held[tree.last + 1] - held[tree.first]) * sizes, 0)

    @cached_property
    def children(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Where the children of each node begin, and the children, in the order of their leaves."""
        parents = self.hierarchy.parents[:-1]
        order = np.lexsort((self.hierarchy.first[:-1], parents)).astype(np.int32)
        numbers = np.bincount(parents, minlength=len(self.hierarchy.parents))
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(numbers)]), order

    def below(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """The children of these nodes that occur, in order."""
        starts, children = self.children
        every = [children[starts[node] : starts[node + 1]] for node in nodes.tolist()]
        inside: NDArray[np.int32] = np.concatenate([np.empty(0, np.int32), *every])
        occurring: NDArray[np.int32] = inside[self.supports[inside] > 0]
        return occurring

    def loss(self, cut: NDArray[np.int32]) -> int:
        """Item NCP of all records together, times the number of leaves."""
        return int(self.costs[np.unique(cut)].sum())

    def units(self, cut: NDArray[np.int32], opened: NDArray[np.int32]) -> Units:
        children = self.below(opened)
        shown = np.unique(cut)
        shown = shown[self.supports[shown] > 0]
        nodes = np.concatenate([children, shown]).astype(np.int32)
        number = np.full(len(self.hierarchy.parents), -1, np.int32)
        number[shown] = np.arange(len(children), len(nodes), dtype=np.int32)
        return Units(
            number[cut],
            self._lowered(np.full(len(cut), -1, np.int32), children, np.arange(len(children), dtype=np.int32)),
            number[self.hierarchy.parents[children]],
            nodes,
        )

    def opened(self, cut: NDArray[np.int32], nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        starts, children = self.children
        every = np.concatenate([np.empty(0, np.int32), *(children[starts[v] : starts[v + 1]] for v in nodes.tolist())])
        return self._lowered(cut.copy(), every, every)

    def _lowered(
        self, values: NDArray[np.int32], nodes: NDArray[np.int32], new: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """values: (leaves,), changed to new[i] below nodes[i]."""
        first, last = self.hierarchy.first[nodes], self.hierarchy.last[nodes]
        for begin, end, value in zip(first.tolist(), last.tolist(), new.tolist(), strict=True):
            values[begin : end + 1] = value
        return values


def descend(tree: ItemTree, breaking: Breaking, report: Callable[[int, int], None]) -> NDArray[np.int32]:
    """(leaves,): the node that each is shown as. report: is called with the round and the size that is counted next."""
    leaves = tree.hierarchy.leaf_count
    cut = np.full(leaves, len(tree.hierarchy.parents) - 1, np.int32)
    waiting = np.unique(cut)
    rounds = 0
    while len(waiting := waiting[waiting >= leaves]):
        rounds += 1
        costs = tree.costs[waiting]
        now = costs >= -(-costs.max() // _TOGETHER)
        active, waiting = waiting[now], waiting[~now]
        conflicts: list[NDArray[np.int32]] = []
        for size in range(1, breaking.sizes + 1):
            if not len(active):
                break
            report(rounds, size)
            units = tree.units(cut, active)
            parents = _parents(units, breaking(units, size))
            alone = parents[(parents[:, 1:] < 0).all(axis=1), 0]
            active = active[~np.isin(active, alone)]
            conflicts.append(parents)
        opened = _choose(tree.costs, active, _between(conflicts, active, len(tree.hierarchy.parents)))
        cut = tree.opened(cut, opened)
        waiting = np.concatenate([waiting, tree.below(opened)])
    return cut


def _parents(units: Units, combinations: NDArray[np.int32]) -> NDArray[np.int32]:
    """(n, size): the nodes that have to be opened for each combination, first, distinct; then -1. No row twice."""
    children = len(units.parent)
    node_of = np.append(units.nodes[units.parent], np.int32(-1))
    parents = np.sort(node_of[np.minimum(combinations, children)], axis=1)[:, ::-1]
    if parents.shape[1] > 1:
        parents = parents.copy()
        parents[:, 1:][parents[:, 1:] == parents[:, :-1]] = -1  # equal ones stand side by side
        parents = np.sort(parents, axis=1)[:, ::-1]
    return _distinct(parents, len(units.nodes) and int(units.nodes.max()))


def _distinct(rows: NDArray[np.int32], largest: int) -> NDArray[np.int32]:
    """Each row once, in ascending order. Entries are from -1 to `largest`."""
    base, width = largest + 2, rows.shape[1]
    if base**width >= 1 << 63:
        return np.unique(rows, axis=0)
    keys = np.unique(packed(rows + np.int32(1), base))
    distinct_rows = np.empty((len(keys), width), np.int32)
    for place in range(width - 1, -1, -1):
        distinct_rows[:, place] = keys % base - 1
        keys = keys // base
    return distinct_rows


def _between(found: list[NDArray[np.int32]], active: NDArray[np.int32], nodes: int) -> NDArray[np.int32]:
    """(n, largest size): conflicts between nodes that may still be opened, each once."""
    width = max((rows.shape[1] for rows in found), default=1)
    padded = [np.pad(rows, ((0, 0), (0, width - rows.shape[1])), constant_values=-1) for rows in found]
    every = np.concatenate([np.empty((0, width), np.int32), *padded])
    inside = np.append(np.zeros(nodes, np.bool_), True)  # the last for -1
    inside[active] = True
    return _distinct(every[inside[every].all(axis=1)], nodes)


def _choose(costs: NDArray[np.int64], active: NDArray[np.int32], conflicts: NDArray[np.int32]) -> NDArray[np.int32]:
    """The nodes that are opened. conflicts: (n, any) nodes that must not all be, -1 for none."""
    rows, columns = np.nonzero(conflicts >= 0)
    members = conflicts[rows, columns]
    order = np.argsort(members, kind="stable")
    rows, members = rows[order], members[order]
    first, last = np.searchsorted(members, active, "left"), np.searchsorted(members, active, "right")
    left = np.bincount(rows, minlength=len(conflicts))  # of each conflict: members not opened, and their sum
    sums = np.where(conflicts >= 0, conflicts, 0).sum(axis=1, dtype=np.int64)
    worth = [(c << _FINE) // (1 + n) for c, n in zip(costs[active].tolist(), (last - first).tolist(), strict=True)]
    blocked: set[int] = set()
    opened = []
    for at in sorted(range(len(active)), key=lambda at: (-worth[at], active[at])):
        node = int(active[at])
        if node in blocked:
            continue
        opened.append(node)
        own = rows[first[at] : last[at]]
        left[own] -= 1
        sums[own] -= node
        blocked.update(sums[own[left[own] == 1]].tolist())
    return np.array(sorted(opened), np.int32)
