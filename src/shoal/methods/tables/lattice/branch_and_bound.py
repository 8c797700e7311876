"""Branch and bound over intervals of the lattice: exact on any lattice, and useful long before it ends.

An interval is all nodes between a floor and a ceiling. If the ceiling is infeasible, so is the whole interval. A column's
floor is raised while the ceiling with that column at its floor is infeasible. The loss of the floor without suppression
bounds every release in the interval from below. The interval with the least bound is split where raising the floor costs
most. Since nothing is enumerated, a lattice of 5·10^13 nodes (24 columns) takes the same code as a small one; the least
bound of all open intervals is proved at every moment, so an answer cut short still says how far from the best it can be.

Where the loss adds up over columns, what an interval loses at least is known better: groups of few columns are decided first,
each exactly, and their minima between the floor and the ceiling add up (`column_groups`). And a walk looks for good releases
before (`walk`): they end intervals too.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from shoal.methods.tables.lattice.column_groups import bound_between, group_columns
from shoal.methods.tables.lattice.lattice import Node
from shoal.methods.tables.lattice.walk import walk

if TYPE_CHECKING:
    from shoal.methods.tables.lattice.search import Pause, Search


def branch_and_bound(search: Search, pause: Pause) -> bool:
    """True when the best release is proved optimal, False when `pause` ended the search."""
    lattice = search.nodes.lattice
    _dive(search, lattice.top)
    walk(search, pause)
    groups = group_columns(search, pause)
    walk(search, pause, 200)
    heap = [(_bound(search, lattice.bottom), lattice.bottom, lattice.top)]
    while heap:
        bound, floor, ceiling = heapq.heappop(heap)
        if search.beaten(bound):
            break
        search.bound = max(search.bound, bound)
        if pause(search):
            return False
        if search.prunes(ceiling):
            continue
        raised = _raise_floor(search, floor, ceiling)
        raised_bound = max(_bound(search, raised), bound_between(groups, raised, ceiling))
        if search.beaten(raised_bound):
            continue
        if heap and raised_bound > heap[0][0]:  # no longer the most promising
            heapq.heappush(heap, (raised_bound, raised, ceiling))
            continue
        if not search.prunes(raised):
            evaluation = search.look(raised)
            if evaluation.feasible and not evaluation.suppressed:
                continue  # its loss is the bound: nothing in the interval is better
        if raised == ceiling:
            continue
        column, step = _split(search, raised, ceiling)
        heapq.heappush(heap, (raised_bound, raised, (*ceiling[:column], raised[column], *ceiling[column + 1 :])))
        heapq.heappush(heap, (_bound(search, step), step, ceiling))
    search.finish()
    return True


def _bound(search: Search, node: Node) -> float:
    """The loss without suppression: no more general release loses less."""
    shares = search.nodes.bound_per_level()
    if shares is None:
        return search.look(node).unsuppressed
    return sum(share[level] for share, level in zip(shares, node, strict=True))


def _raise_floor(search: Search, floor: Node, ceiling: Node) -> Node:
    raised = list(floor)
    for column, top in enumerate(ceiling):
        while raised[column] < top and search.prunes((*ceiling[:column], raised[column], *ceiling[column + 1 :])):
            raised[column] += 1
    return tuple(raised)


def _split(search: Search, floor: Node, ceiling: Node) -> tuple[int, Node]:
    """The column whose next level costs most, and the floor with that column one level up."""
    steps = [
        (_bound(search, step), -column, step)
        for column, top in enumerate(ceiling)
        if floor[column] < top
        for step in [(*floor[:column], floor[column] + 1, *floor[column + 1 :])]
    ]
    _, column, step = max(steps)
    return -column, step


def _dive(search: Search, node: Node) -> None:
    """Go down from a feasible node, always to the feasible child with the least bound: a good release early."""
    if not search.look(node).feasible:
        return
    while True:
        below = [child for child in search.nodes.lattice.children(node) if not search.prunes(child)]
        feasible = [child for child in below if search.look(child).feasible]
        if not feasible:
            return
        node = min(feasible, key=lambda child: (_bound(search, child), child))
