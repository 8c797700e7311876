"""Which labels a tree shows, and which of these stand one above the other: all that its fragments are counted from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel, small_kernel
from shoal.kernels.trees.placing import placed, room_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.trees.placing import Room, Showing, Trees


class Held(NamedTuple):
    """Of one tree, after `hold`. The next one takes the same room: fresh memory costs more than what is done in it."""

    labels: NDArray[np.int32]  # those it shows, ascending, each once
    related: NDArray[np.int64]  # by places among them: 1 where one stands above the other
    room: Room
    place: NDArray[np.int32]  # while it is filled


@kernel
def room_to_hold(trees: Trees, chosen: NDArray[np.int64], showing: Showing) -> Held:
    room = room_for(trees, chosen)
    most = len(room.shown)
    place = np.full(len(showing.apart_row), -1, np.int32)
    return Held(np.empty(most, np.int32), np.zeros((most, most), np.int64), room, place)


@small_kernel  # as `placed`
def hold(trees: Trees, tree: int, showing: Showing, held: Held) -> int:
    """Fill it with one tree; returns the number of labels."""
    labels, related, room, place = held
    shown, above, _ = room
    nodes = placed(trees, tree, showing, room)
    number = 0
    for node in range(nodes):
        label = shown[node]
        if label >= 0 and place[label] < 0:
            place[label] = 0
            at = number
            while at > 0 and labels[at - 1] > label:
                labels[at] = labels[at - 1]
                at -= 1
            labels[at] = label
            number += 1
    for i in range(number):
        place[labels[i]] = i
        for j in range(number):
            related[i, j] = 0
    for node in range(nodes):
        if shown[node] < 0:
            continue
        here, up = place[shown[node]], above[node]
        while up >= 0:
            there = place[shown[up]]
            related[here, there] = 1  # a pair has one direction only, given by the classes
            related[there, here] = 1
            up = above[up]
    for i in range(number):
        place[labels[i]] = -1
    return number
