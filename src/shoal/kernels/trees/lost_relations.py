"""Which relations of the original trees are not shown any more, and which values are not because of what stands above."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.trees.placing import longer, placed, room_for
from shoal.kernels.trees.sort_few import sort_few

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.trees.placing import Showing, Trees


class Relations(NamedTuple):
    """The different pairs of labels of some trees, one above the other, as they are."""

    offsets: NDArray[np.int64]  # (trees + 1,)
    upper: NDArray[np.int32]
    lower: NDArray[np.int32]


@kernel
def relations_in(trees: Trees, chosen: NDArray[np.int64]) -> Relations:
    """Found once: sorting them takes longer than looking which of them are lost."""
    total = np.int64(1)
    for label in trees.labels:
        total = max(total, np.int64(label) + 1)
    offsets = np.zeros(len(chosen) + 1, np.int64)
    made, end = np.empty(64, np.int64), 0
    found = np.empty(64, np.int64)
    for place, tree in enumerate(chosen):
        start, stop = trees.offsets[tree], trees.offsets[tree + 1]
        pairs = 0
        for node in range(start, stop):
            up = trees.parents[node]
            while up >= 0:
                if pairs == len(found):
                    found = longer(found)
                found[pairs] = np.int64(trees.labels[start + up]) * total + trees.labels[node]
                pairs += 1
                up = trees.parents[start + up]
        last = np.int64(-1)
        for one in sort_few(found, pairs):
            if one == last:
                continue
            last = one
            if end == len(made):
                made = longer(made)
            made[end] = one
            end += 1
        offsets[place + 1] = end
    upper, lower = np.empty(end, np.int32), np.empty(end, np.int32)
    for i in range(end):
        upper[i], lower[i] = made[i] // total, made[i] % total
    return Relations(offsets, upper, lower)


@kernel
def lost_relations(
    trees: Trees, chosen: NDArray[np.int64], relations: Relations, showing: Showing, levels: NDArray[np.float64]
) -> tuple[float, float]:
    """Two means over the records of these trees: which share of a record's relations are lost, and how much more its values lose
    that are left out below others. levels: (labels shown,) what a value loses that is shown as a label.

    A relation is kept when what its labels are shown as stands one above the other in the same record. A record without relations
    loses none.
    """
    room = room_for(trees, chosen)
    shown, above, _ = room
    place = np.full(len(showing.apart_row), -1, np.int32)
    related = np.zeros((len(shown), len(shown)), np.bool_)
    lost, vague, records = 0.0, 0.0, 0.0
    for number, tree in enumerate(chosen):
        first, last = relations.offsets[number], relations.offsets[number + 1]
        records += trees.records[tree]
        if first == last:
            continue
        nodes = placed(trees, tree, showing, room)
        labels = 0
        for node in range(nodes):
            if shown[node] >= 0 and place[shown[node]] < 0:
                place[shown[node]] = labels
                related[labels, :nodes] = False
                labels += 1
        for node in range(nodes):
            if shown[node] < 0:
                continue
            here, up = place[shown[node]], above[node]
            while up >= 0:
                related[place[shown[up]], here] = True
                up = above[up]
        gone = 0
        for one in range(first, last):
            upper, lower = showing.shown_as[relations.upper[one]], showing.shown_as[relations.lower[one]]
            if upper < 0 or lower < 0 or place[lower] < 0 or not related[place[upper], place[lower]]:
                gone += 1
        missing = 0.0
        for node in range(nodes):
            elsewhere = showing.shown_as[trees.labels[trees.offsets[tree] + node]]
            if shown[node] < 0 and elsewhere >= 0:
                missing += 1.0 - levels[elsewhere]
        vague += trees.records[tree] * missing / nodes
        for node in range(nodes):
            if shown[node] >= 0:
                place[shown[node]] = -1
        lost += trees.records[tree] * gone / (last - first)
    return lost / max(records, 1.0), vague / max(records, 1.0)
