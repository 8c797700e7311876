"""Which relations of the original trees are not shown any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from shoal.kernels.tree_showing import longer, placed, room_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tree_showing import Showing, Trees


@njit(cache=True, nogil=True)
def lost_relations(trees: Trees, chosen: NDArray[np.int64], showing: Showing) -> float:
    """The mean over the records of these trees: how many of a record's different pairs of labels, one above the other, are lost.

    A pair is kept when what its labels are shown as stands one above the other in the same record. A record without pairs loses
    none.
    """
    room = room_for(trees, chosen)
    shown, above, _ = room
    place = np.full(len(showing.apart_row), -1, np.int32)
    related = np.zeros((len(shown), len(shown)), np.bool_)
    total = np.int64(len(showing.shown_as))
    found = np.empty(64, np.int64)
    lost, records = 0.0, 0.0
    for tree in chosen:
        start, stop = trees.offsets[tree], trees.offsets[tree + 1]
        placed(trees, tree, showing, room)
        number = 0
        for node in range(stop - start):
            if shown[node] >= 0 and place[shown[node]] < 0:
                place[shown[node]] = number
                related[number, :] = False
                number += 1
        pairs = 0
        for node in range(stop - start):
            up = above[node]
            while shown[node] >= 0 and up >= 0:
                related[place[shown[up]], place[shown[node]]] = True
                up = above[up]
            up = trees.parents[start + node]
            while up >= 0:
                if pairs == len(found):
                    found = longer(found)
                found[pairs] = np.int64(trees.labels[start + up]) * total + trees.labels[start + node]
                pairs += 1
                up = trees.parents[start + up]
        different, gone, last = 0, 0, np.int64(-1)
        for one in np.sort(found[:pairs]):
            if one == last:
                continue
            last = one
            upper, lower = showing.shown_as[one // total], showing.shown_as[one % total]
            different += 1
            if upper < 0 or lower < 0 or not related[place[upper], place[lower]]:
                gone += 1
        for node in range(stop - start):
            if shown[node] >= 0:
                place[shown[node]] = -1
        if different:
            lost += trees.records[tree] * gone / different
        records += trees.records[tree]
    return lost / max(records, 1.0)
