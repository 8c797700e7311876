"""Open boxes where nobody pays much above the least possible.

Each tuple has a floor: the price of the cheapest box that k records share around it. A box that is opened for its k members
with the highest floors costs them, on average, an excess: its price less their floors. Boxes are opened in the order of their
excess; those members for whom the box is no dearer than their floor come along. A box's excess only grows while others take
its members, so a heap with late updates finds the least one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.signatures import number_classes, slots_for

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def open_boxes(
    members: NDArray[np.int32],
    ends: NDArray[np.int64],
    prices: NDArray[np.float64],
    counts: NDArray[np.int64],
    floors: NDArray[np.float64],
    k: int,
    groups: NDArray[np.int32],
) -> int:
    """Fill groups[tuple] (-1 throughout before); returns the number of groups. Tuples that no box can hold any more stay -1.

    members: the tuples of all boxes one after the other, in each box by descending floor; ends: (boxes + 1,) where each begins.
    """
    boxes = len(prices)
    excess = np.empty(boxes, np.float64)
    heap = np.empty(boxes, np.int64)
    waiting = 0
    for box in range(boxes):
        excess[box] = _excess(members, ends[box], ends[box + 1], prices[box], counts, floors, k, groups)
    order = np.argsort(excess)
    for i in range(boxes):
        if excess[order[i]] < np.inf:
            heap[waiting] = order[i]  # sorted, therefore a heap
            waiting += 1
    made = 0
    while waiting > 0:
        box = heap[0]
        now = _excess(members, ends[box], ends[box + 1], prices[box], counts, floors, k, groups)
        if now == np.inf:
            waiting -= 1
            heap[0] = heap[waiting]
            _sink(heap, excess, waiting)
            continue
        if now > excess[box] + 1e-12:
            excess[box] = now
            _sink(heap, excess, waiting)
            continue
        records = 0
        for j in range(ends[box], ends[box + 1]):
            i = members[j]
            if groups[i] >= 0:
                continue
            if records >= k and floors[i] < prices[box]:
                break
            groups[i] = made
            records += counts[i]
        made += 1
    return made


@kernel
def _excess(
    members: NDArray[np.int32],
    begin: int,
    end: int,
    price: float,
    counts: NDArray[np.int64],
    floors: NDArray[np.float64],
    k: int,
    groups: NDArray[np.int32],
) -> float:
    """What the first k records of a box that are still free pay above their floors, on average; inf when they are fewer."""
    records = 0
    paid = 0.0
    for j in range(begin, end):
        i = members[j]
        if groups[i] < 0:
            taken = min(counts[i], k - records)
            records += taken
            paid += taken * floors[i]
            if records == k:
                return float(price - paid / k)
    return np.inf


@kernel
def _sink(heap: NDArray[np.int64], excess: NDArray[np.float64], waiting: int) -> None:
    i = 0
    while True:
        child = 2 * i + 1
        if child >= waiting:
            return
        if child + 1 < waiting and excess[heap[child + 1]] < excess[heap[child]]:
            child += 1
        if excess[heap[i]] <= excess[heap[child]]:
            return
        heap[i], heap[child] = heap[child], heap[i]
        i = child


@kernel
def boxes_at(
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    nodes: NDArray[np.int64],
    spots: NDArray[np.int64],
    signs: NDArray[np.uint64],
    costs: NDArray[np.float64],
    k: int,
    members: NDArray[np.int32],
    ends: NDArray[np.int64],
    prices: NDArray[np.float64],
) -> int:
    """List the boxes of some lattice nodes that at least k records share; returns how many there are.

    Tuples come in the order of `codes` within a box. Arguments as in `kernels.peeling.peel`; `costs` lies beside `signs`.
    """
    tuples, columns = codes.shape
    slots = slots_for(tuples)
    signed = np.empty(tuples, np.uint64)
    class_of = np.empty(tuples, np.int32)
    records = np.empty(tuples, np.int64)
    many = np.empty(tuples, np.int64)
    paid = np.empty(tuples, np.float64)
    begin = np.empty(tuples, np.int64)
    boxes = 0
    end = 0
    ends[0] = 0
    for v in range(len(nodes)):
        for i in range(tuples):
            key = np.uint64(0)
            for c in range(columns):
                key += signs[spots[c, nodes[v, c]] + codes[i, c]]
            signed[i] = key
        found = number_classes(signed, slots, v + 1, class_of)
        records[:found] = 0
        many[:found] = 0
        for i in range(tuples):
            one = class_of[i]
            if many[one] == 0:
                paid[one] = 0.0
                for c in range(columns):
                    paid[one] += costs[spots[c, nodes[v, c]] + codes[i, c]]
            records[one] += counts[i]
            many[one] += 1
        for one in range(found):
            if records[one] < k:
                begin[one] = -1
                continue
            begin[one] = end
            end += many[one]
            prices[boxes] = paid[one]
            boxes += 1
            ends[boxes] = end
        for i in range(tuples):
            one = class_of[i]
            if begin[one] >= 0:
                members[begin[one]] = i
                begin[one] += 1
    return boxes
