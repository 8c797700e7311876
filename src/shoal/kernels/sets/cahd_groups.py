"""Groups of l different labels around one record after the other, as CAHD forms them.

G. Ghinita, P. Kalnis, Y. Tao: Anonymous publication of sensitive transactional data (TKDE 2011), the rival of paper 003.
Records stand in their Gray order. The first that is left looks at the nearest α·l others on either side whose label differs
from its own, and takes the l − 1 of them that are most like it, as far as their labels differ from each other. The group stands
if what is then left can still be divided, no label having more than a share of 1 / l; otherwise the record is passed over.
Those passed over are the last group. There each record that holds one of a few sensitive items is grouped with others that hold
none; here every record has a label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.sets.hamming import hamming

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PATIENCE = 32  # records looked at for each candidate


@kernel
def cahd_groups(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    order: NDArray[np.int64],
    labels: NDArray[np.int32],
    l: int,  # noqa: E741
    alpha: int,
) -> NDArray[np.int64]:
    """(sets,): the group of each, numbered as they are formed; no label has more than a share of 1 / l.

    labels: (sets,) from 0 on.
    """
    count = len(order)
    groups = np.full(count, -1, np.int64)
    numbers = np.bincount(labels)
    having = np.bincount(numbers, minlength=count + 1)  # labels by how many records are left of them
    commonest = numbers.max()
    ahead, behind = np.arange(1, count + 1), np.arange(-1, count - 1)  # places of the order that are left
    width = alpha * l
    near = np.empty(2 * width, np.int64)
    apart = np.empty(2 * width, np.int64)
    chosen = np.empty(l, np.int64)
    left, group, place = count, 0, 0
    while place < count:
        following = ahead[place]
        here = order[place]
        found = 0
        for side in range(2):
            at, looked, end = (behind[place] if side == 0 else following), 0, found + width
            while 0 <= at < count and looked < _PATIENCE * width and found < end:
                if labels[order[at]] != labels[here]:
                    near[found] = at
                    apart[found] = hamming(offsets, items, here, order[at])
                    found += 1
                looked += 1
                at = behind[at] if side == 0 else ahead[at]
        chosen[0], size = place, 1
        # by likeness, then by how near in the order
        keys = apart[:found] * (2 * count) + np.abs(near[:found] - place)
        for candidate in near[np.argsort(keys, kind="mergesort")]:
            if size == l:
                break
            new = True
            for other in chosen[:size]:
                new = new and labels[order[other]] != labels[order[candidate]]
            if new:
                chosen[size] = candidate
                size += 1
        if size == l:
            for at in chosen:
                label = labels[order[at]]
                having[numbers[label]] -= 1
                numbers[label] -= 1
                having[numbers[label]] += 1
            before = commonest
            while commonest > 0 and having[commonest] == 0:
                commonest -= 1
            if commonest * l <= left - l:
                left -= l
                for at in chosen:
                    groups[order[at]] = group
                    if behind[at] >= 0:
                        ahead[behind[at]] = ahead[at]
                    if ahead[at] < count:
                        behind[ahead[at]] = behind[at]
                    if at == following:
                        following = ahead[at]
                # others of the group may have stood right behind: go on with what is left
                while following < count and groups[order[following]] >= 0:
                    following = ahead[following]
                group += 1
            else:
                commonest = before
                for at in chosen:
                    label = labels[order[at]]
                    having[numbers[label]] -= 1
                    numbers[label] += 1
                    having[numbers[label]] += 1
        place = following
    for one in range(count):
        if groups[one] < 0:
            groups[one] = group
    return groups
