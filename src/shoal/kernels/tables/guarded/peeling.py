"""Starts for promises about sensitive values: peel a table so that what leaves keeps them; merge classes that break one.

At one lattice node after the other, cheap ones first, a class leaves when it keeps every promise. One that does not may leave in
part: the tuples that stand most in its way stay behind, as long as enough remain. Where all values have to come near those of the
whole table, that is what gets most classes off early.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, join, joint_price
from shoal.kernels.tables.guarded.moving import Units, add_row
from shoal.kernels.tables.guarded.promises import Promises, lack
from shoal.kernels.tables.guarded.recreating import worth
from shoal.kernels.tables.signatures import number_classes, slots_for

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def peel_kept(
    codes: NDArray[np.int32],
    units: Units,
    promises: Promises,
    nodes: NDArray[np.int64],
    spots: NDArray[np.int64],
    signs: NDArray[np.uint64],
    partly: bool,
    first: int,
    last: int,
    left: NDArray[np.int64],
    remaining: int,
    made: int,
    groups: NDArray[np.int32],
) -> tuple[int, int]:
    """As `peeling.peel`. partly: a class may leave in part."""
    tuples, columns = codes.shape
    slots = slots_for(tuples)
    signed = np.empty(tuples, np.uint64)
    class_of = np.empty(tuples, np.int32)
    total = np.empty(tuples, np.int64)
    begin = np.empty(tuples + 1, np.int64)
    members = np.empty(tuples, np.int64)
    bad = np.empty(tuples, np.float64)
    row = np.empty(len(promises.totals), np.int64)
    for v in range(first, last):
        if remaining == 0:
            break
        for j in range(remaining):
            key = np.uint64(0)
            for c in range(columns):
                key += signs[spots[c, nodes[v, c]] + codes[left[j], c]]
            signed[j] = key
        found = number_classes(signed[:remaining], slots, v + 1, class_of)
        total[:found] = 0
        begin[: found + 1] = 0
        for j in range(remaining):
            total[class_of[j]] += units.weights[left[j]]
            begin[class_of[j] + 1] += 1
        for one in range(found):
            begin[one + 1] += begin[one]
        for j in range(remaining):
            members[begin[class_of[j]]] = left[j]
            begin[class_of[j]] += 1
        start = 0
        for one in range(found):
            end = begin[one]
            if total[one] >= promises.k:
                row[:] = 0
                for j in range(start, end):
                    add_row(units, members[j], row, 1)
                size = total[one]
                wanting = lack(promises, row, size)
                stay = start
                if wanting > 0.0 and partly:
                    for j in range(start, end):
                        i = members[j]
                        add_row(units, i, row, -1)
                        bad[j] = (wanting - lack(promises, row, size - units.weights[i])) / units.weights[i]
                        add_row(units, i, row, 1)
                    order = np.argsort(-bad[start:end])
                    sorted_members = members[start:end][order]
                    members[start:end] = sorted_members
                    while wanting > 0.0 and size >= promises.k and stay < end:
                        add_row(units, members[stay], row, -1)
                        size -= units.weights[members[stay]]
                        wanting = lack(promises, row, size)
                        stay += 1
                if wanting == 0.0:
                    for j in range(stay, end):
                        groups[members[j]] = made
                    made += 1
            start = end
        kept = 0
        for j in range(remaining):
            if groups[left[j]] < 0:
                left[kept] = left[j]
                kept += 1
        remaining = kept
    return remaining, made


@kernel
def merge_lacking(
    trees: Trees,
    promises: Promises,
    boxes: NDArray[np.int32],
    sizes: NDArray[np.int64],
    hist: NDArray[np.int64],
    helpful: int,
) -> NDArray[np.int64]:
    """into[class]: the class it is part of now. Each that breaks a promise has been merged with the one that brings it nearest
    for least, again and again, until all keep them or one is left. Changes boxes, sizes and hist."""
    count = len(boxes)
    into = np.arange(count)
    prices = np.empty(count, np.float64)
    lacks = np.empty(count, np.float64)
    union = np.empty(hist.shape[1], np.int64)
    for i in range(count):
        prices[i] = joint_price(trees, boxes[i], boxes[i], np.inf)
        lacks[i] = lack(promises, hist[i], sizes[i])
    order = np.argsort(lacks)
    for place in range(count):
        one = order[place]
        while into[one] == one and lacks[one] > 0.0:
            best, least = -1, np.inf
            for two in range(count):
                if two == one or into[two] != two:
                    continue
                size = sizes[one] + sizes[two]
                paid = sizes[one] * prices[one] + sizes[two] * prices[two]
                most = lacks[one] + lacks[two]  # what a merge can gain at most
                bound = least * worth(most, helpful)
                more = size * joint_price(trees, boxes[one], boxes[two], (bound + paid) / size) - paid + 1e-6
                if more >= bound:
                    continue
                for i in range(len(union)):
                    union[i] = hist[one, i] + hist[two, i]
                score = more / worth(most - lack(promises, union, size), helpful)
                if score < least:
                    best, least = two, score
            if best < 0:
                break
            into[best] = one
            join(trees, boxes[one], boxes[best])
            prices[one] = joint_price(trees, boxes[one], boxes[one], np.inf)
            sizes[one] += sizes[best]
            for i in range(len(union)):
                hist[one, i] += hist[best, i]
            lacks[one] = lack(promises, hist[one], sizes[one])
    for i in range(count):
        root = i
        while into[root] != root:
            root = into[root]
        into[i] = root
    return into
