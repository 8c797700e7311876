"""A minimum spanning tree of points whose distance is a sum of hierarchy levels, without looking at pairs.

Two points are equal once every column is blurred up to the lowest value that covers both, and their distance is the price of
that blur. So if blurs are tried from the cheapest up, points that become equal at a blur and are not connected yet are exactly as
far apart as the blur costs, and no pair closer to each other is left: this is Kruskal's algorithm, with one grouping for every
blur instead of all pairs in order.

Groups are made from the groups of a cheaper blur. Each remembers its first and its last point, and groups that become one are
linked the last of one to the first of the next: the tree grows in chains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Groups(NamedTuple):
    """Points that are equal at one blur."""

    keys: NDArray[np.uint64]  # (groups,): the values of all columns, packed into one word
    first: NDArray[np.int32]  # (groups,): the first point of each
    last: NDArray[np.int32]  # (groups,)


class Move(NamedTuple):
    """Fields of the keys to replace: maps[starts[j] + old value] is the new value of field j."""

    shifts: NDArray[np.uint64]
    masks: NDArray[np.uint64]  # not shifted
    starts: NDArray[np.int64]
    maps: NDArray[np.uint64]


class Links(NamedTuple):
    """The tree so far; the arrays are filled as it goes on."""

    component: NDArray[np.int32]  # (points,): a point in the same component, itself for one of them
    sizes: NDArray[np.int32]  # (points,): points of the component, at that one
    first: NDArray[np.int64]  # (points - 1,): ends of the edges
    second: NDArray[np.int64]  # (points - 1,)
    weights: NDArray[np.int64]  # (points - 1,)
    state: NDArray[np.int64]  # (2,): edges so far, points of the largest component

    @classmethod
    def none(cls, points: int) -> Links:
        edges = max(points - 1, 0)
        return cls(
            np.arange(points, dtype=np.int32),
            np.ones(points, np.int32),
            np.empty(edges, np.int64),
            np.empty(edges, np.int64),
            np.empty(edges, np.int64),
            np.array([0, 1], np.int64),
        )

    def components(self) -> NDArray[np.int32]:
        """(points,): the same number for all points of a component."""
        number = self.component
        while (number != number[number]).any():
            number = number[number]
        return number


class Blur:
    """Keeps its working memory from call to call: fresh pages cost as much as the grouping."""

    def __init__(self, points: int) -> None:
        self._slots = np.empty(1 << max(4, (2 * points - 1).bit_length()), np.int32)
        self._made = Groups(np.empty(points, np.uint64), np.empty(points, np.int32), np.empty(points, np.int32))

    def __call__(self, groups: Groups, move: Move, weight: int, links: Links) -> Groups:
        """Replace the fields of `move` in all keys, and link the groups that become one at this weight."""
        slots = self._slots[: 1 << max(4, (2 * len(groups.keys) - 1).bit_length())]
        slots.fill(-1)
        found = _blur(groups, *move, weight, slots, self._made, links)
        keys, first, last = self._made
        return Groups(keys[:found].copy(), first[:found].copy(), last[:found].copy())


@kernel
def _blur(
    groups: Groups,
    shifts: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    starts: NDArray[np.int64],
    maps: NDArray[np.uint64],
    weight: int,
    slots: NDArray[np.int32],
    made: Groups,
    links: Links,
) -> int:
    """slots: -1 throughout, a power of two of them, more than the groups. Returns the number of groups made."""
    last_slot = np.uint64(len(slots) - 1)
    edges = links.state[0]
    found = 0
    for i in range(len(groups.keys)):
        key = groups.keys[i]
        for j in range(len(shifts)):
            new = maps[starts[j] + np.int64((key >> shifts[j]) & masks[j])]
            key = (key & ~(masks[j] << shifts[j])) | (new << shifts[j])
        mixed = key * np.uint64(0x9E3779B97F4A7C15)
        slot = (mixed ^ (mixed >> np.uint64(32))) & last_slot
        while True:
            group = slots[slot]
            if group < 0:
                slots[slot] = found
                made.keys[found] = key
                made.first[found] = groups.first[i]
                made.last[found] = groups.last[i]
                found += 1
                break
            if made.keys[group] == key:
                one = _component(links.component, made.last[group])
                two = _component(links.component, groups.first[i])
                if one != two:
                    links.component[max(one, two)] = min(one, two)
                    links.sizes[min(one, two)] += links.sizes[max(one, two)]
                    links.state[1] = max(links.state[1], links.sizes[min(one, two)])
                    links.first[edges] = made.last[group]
                    links.second[edges] = groups.first[i]
                    links.weights[edges] = weight
                    edges += 1
                made.last[group] = groups.last[i]
                break
            slot = (slot + np.uint64(1)) & last_slot
    links.state[0] = edges
    return found


@kernel
def _component(component: NDArray[np.int32], point: int) -> int:
    while component[point] != point:
        component[point] = component[component[point]]  # halve the way for the next one
        point = component[point]
    return point
