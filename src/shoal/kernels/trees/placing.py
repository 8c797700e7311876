"""Trees, what they show, and the placing of one tree's nodes in room that is used again for the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel, small_kernel
from shoal.kernels.trees.blurring import place_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Trees(NamedTuple):
    """Trees as they are; see `shoal.data.trees.Forest`."""

    offsets: NDArray[np.int64]
    labels: NDArray[np.int32]
    parents: NDArray[np.int32]
    records: NDArray[np.int64]
    values: NDArray[np.int64]  # (trees,) the number of the sensitive value; all 0 where there is none
    value_count: int  # values are below it; 1 where there is none


class Showing(NamedTuple):
    """What trees show. The labels shown are numbered densely, those in focus first."""

    shown_as: NDArray[np.int32]  # (labels,) what each is shown as, or -1
    apart: NDArray[np.uint8]  # (rows, labels shown) what is kept apart, see `apart_table`
    apart_row: NDArray[np.int32]  # (labels shown,) the row of a label, or -1


class Room(NamedTuple):
    """Of the nodes of one tree, after `placed`: what each shows, or -1, and the place of the node above, or -1."""

    shown: NDArray[np.int32]
    above: NDArray[np.int32]
    below: NDArray[np.int32]  # while nodes are placed


@kernel
def room_for(trees: Trees, chosen: NDArray[np.int64]) -> Room:
    """As much as the largest of these trees needs."""
    most = 0
    for tree in chosen:
        most = max(most, trees.offsets[tree + 1] - trees.offsets[tree])
    return Room(np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32))


@small_kernel  # a call costs as much as placing a small tree: every array is counted
def placed(trees: Trees, tree: int, showing: Showing, room: Room) -> int:
    """Place the nodes of one tree; returns their number."""
    return place_nodes(
        trees.offsets[tree],
        trees.offsets[tree + 1],
        trees.labels,
        trees.parents,
        showing.shown_as,
        showing.apart,
        showing.apart_row,
        room.shown,
        room.above,
        room.below,
    )


@kernel
def longer(array: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same with as much room again."""
    made = np.empty(2 * len(array), np.int64)
    for i in range(len(array)):
        made[i] = array[i]
    return made
