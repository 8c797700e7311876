"""Bringing an order of labelled records into one that can be cut into blocks of pairwise different labels (003-4, 003-5).

Of R remaining records no label may have more than q = ⌊R / l⌋, or they cannot be divided into groups of at least l different
labels. So every group takes a record of each label that has exactly q, and otherwise the records that come next in the order,
as far as their labels are new. That keeps the rest divisible: with l taken, R falls by l and q by one; with more, all of them
had q records, hence R ≥ s·q and R − s ≥ l·(q − 1). It ends with fewer than 2l records, all different. A walk over the order
that met many records of labels it has already would make it slow: after a while the most frequent labels that are left are
taken instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PATIENCE = 32  # records looked at for each one that a group needs


@kernel
def label_sequence(
    labels: NDArray[np.int32],
    kinds: int,
    l: int,  # noqa: E741
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(groups + 1,) where groups begin in the sequence, and the end; (records,) the sequence, as places in the order.

    labels: (records,) below `kinds`, in the order; none has more than a share of 1 / l.
    """
    count = len(labels)
    numbers = np.zeros(kinds, np.int64)
    following = np.full(count, count, np.int64)  # the next record with the same label
    head = np.full(kinds, count, np.int64)  # the first record of a label that is left
    for i in range(count - 1, -1, -1):
        numbers[labels[i]] += 1
        following[i], head[labels[i]] = head[labels[i]], i
    # labels by how many records are left, ascending, and where each number begins
    ranked = np.argsort(numbers, kind="mergesort")
    rank = np.argsort(ranked)
    begins = np.searchsorted(numbers[ranked], np.arange(count + 2))
    ahead = np.arange(1, count + 2)  # the next record that is left, by place; the last is the end
    behind = np.arange(-1, count + 1)
    first = 0
    taken = np.full(kinds, -1, np.int64)  # the group that took a label last
    cuts = np.full(count + 1, -1, np.int64)
    sequence = np.empty(count, np.int64)
    done = group = 0
    while done < count:
        cuts[group] = done
        most = (count - done) // l
        start = done
        at = kinds - 1
        while at >= 0 and numbers[ranked[at]] == most:
            label = ranked[at]
            taken[label] = group
            sequence[done] = head[label]
            done += 1
            at -= 1
        i, looked = first, 0
        while done - start < l and i < count and looked < _PATIENCE * l:
            if taken[labels[i]] != group:
                taken[labels[i]] = group
                sequence[done] = i
                done += 1
            i = ahead[i]
            looked += 1
        at = kinds - 1
        while done - start < l:
            label = ranked[at]
            if taken[label] != group:
                taken[label] = group
                sequence[done] = head[label]
                done += 1
            at -= 1
        sequence[start:done] = np.sort(sequence[start:done])
        for i in sequence[start:done]:
            label = labels[i]
            if ahead[i] <= count:
                behind[ahead[i]] = behind[i]
            if behind[i] >= 0:
                ahead[behind[i]] = ahead[i]
            else:
                first = ahead[i]
            # the label moves to the beginning of those with as many records, which then belongs to those with one less
            swapped = begins[numbers[label]]
            other = ranked[swapped]
            ranked[rank[label]], ranked[swapped] = other, label
            rank[other], rank[label] = rank[label], swapped
            begins[numbers[label]] += 1
            numbers[label] -= 1
            head[label] = following[i]  # of each label the first that is left was taken, whichever way
        group += 1
    cuts[group] = count
    return cuts[: group + 1], sequence
