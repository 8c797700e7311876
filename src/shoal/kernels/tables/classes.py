"""Classes of records under change: who is where, what each class shows, and what its records pay.

Members of a class are a linked list, so that a record can change its class without copying. A class that has lost all its
members is free and can be used again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, box_price, climb, join

if TYPE_CHECKING:
    from numpy.typing import NDArray


_FEW = 32  # members: a box around them is not worth a look on the way


class Classes(NamedTuple):
    codes: NDArray[np.int32]  # (records, columns) leaf codes
    class_of: NDArray[np.int32]  # (records,)
    head: NDArray[np.int32]  # (classes,) first member, -1 when there is none
    after: NDArray[np.int32]  # (records,) next member of the same class, -1 at the end
    before: NDArray[np.int32]  # (records,) -1 at the beginning
    boxes: NDArray[np.int32]  # (classes, columns) the smallest box around the members
    sizes: NDArray[np.int64]  # (classes,)
    prices: NDArray[np.float64]  # (classes,) what each member pays
    free: NDArray[np.int32]  # (classes,) a stack of classes without members
    free_count: NDArray[np.int64]  # (1,)


def make_classes(
    trees: Trees, codes: NDArray[np.int32], groups: NDArray[np.int32], k: int, records: int | None = None
) -> Classes:
    """groups: (records,) numbered from 0. There is room for as many classes as k allows, and for whole words of 64 bits.

    records: how many there are, when what is put into classes are several at a time.
    """
    count = int(groups.max()) + 1
    most = min(len(codes), (len(codes) if records is None else records) // k)
    room = (max(count, most) // 64 + 1) * 64
    made = Classes(
        codes,
        groups.astype(np.int32),
        np.full(room, -1, np.int32),
        np.full(len(codes), -1, np.int32),
        np.full(len(codes), -1, np.int32),
        np.zeros((room, codes.shape[1]), np.int32),
        np.zeros(room, np.int64),
        np.zeros(room, np.float64),
        np.zeros(room, np.int32),
        np.zeros(1, np.int64),
    )
    _fill(trees, made)
    return made


@kernel
def _fill(trees: Trees, classes: Classes) -> None:
    for record in range(len(classes.codes)):
        put(trees, classes, record, classes.class_of[record])
    for number in range(len(classes.sizes) - 1, -1, -1):
        if classes.sizes[number] == 0:
            release(classes, number)


@kernel
def release(classes: Classes, number: int) -> None:
    """A class without members can be used again."""
    classes.head[number] = -1
    classes.sizes[number] = 0
    classes.prices[number] = 0.0
    classes.free[classes.free_count[0]] = number
    classes.free_count[0] += 1


@kernel
def take_free(classes: Classes) -> int:
    classes.free_count[0] -= 1
    return int(classes.free[classes.free_count[0]])


@kernel
def put(trees: Trees, classes: Classes, record: int, number: int) -> None:
    """Add a record that is in no class, and widen the box."""
    head = classes.head[number]
    classes.after[record], classes.before[record] = head, -1
    if head >= 0:
        classes.before[head] = record
    classes.head[number] = record
    classes.class_of[record] = number
    box = classes.boxes[number]
    if classes.sizes[number] == 0:
        for c in range(len(box)):
            box[c] = classes.codes[record, c]
        classes.prices[number] = box_price(trees, box)
    else:
        join(trees, box, classes.codes[record])
        classes.prices[number] = box_price(trees, box)
    classes.sizes[number] += 1


@kernel
def take(trees: Trees, classes: Classes, record: int) -> None:
    """Take a record out of its class, and tighten the box. An empty class is not released here."""
    number = classes.class_of[record]
    before, after = classes.before[record], classes.after[record]
    if before >= 0:
        classes.after[before] = after
    else:
        classes.head[number] = after
    if after >= 0:
        classes.before[after] = before
    classes.sizes[number] -= 1
    if classes.sizes[number] > 0 and classes.prices[number] > 0.0:
        box = classes.boxes[number] if classes.sizes[number] <= _FEW else np.empty_like(classes.boxes[number])
        classes.prices[number] = box_without(trees, classes, number, -1, box)
        classes.boxes[number] = box


@kernel
def box_without(trees: Trees, classes: Classes, number: int, record: int, box: NDArray[np.int32]) -> float:
    """Fill `box` with the smallest box around a class without one record; returns its price.

    For a class of more than a few, `box` is not the one that the class has.
    """
    offsets, first, last, parents, prices = trees
    codes, after = classes.codes, classes.after
    begun = False
    many = 0
    member = classes.head[number]
    while member >= 0:
        if member != record:
            for c in range(len(box)):
                leaf = codes[member, c]
                box[c] = climb(first, last, parents, offsets[c], box[c], leaf, leaf) if begun else leaf
            begun = True
        many += 1
        if many % _FEW == 0 and many < classes.sizes[number]:  # a large class: some of them often span the whole box
            same = True
            for c in range(len(box)):
                same = same and box[c] == classes.boxes[number, c]
            if same:
                break
        member = after[member]
    price = 0.0
    for c in range(len(box)):
        price += prices[offsets[c] + box[c]]
    return price


@kernel
def cheapest(trees: Trees, classes: Classes, record: int, skip: int, limit: float) -> tuple[int, float]:
    """The class a record can join for least, and what it then costs more in all; -1 when none is below `limit`."""
    offsets, first, last, parents, prices = trees
    codes, boxes, sizes, paid = classes.codes, classes.boxes, classes.sizes, classes.prices
    columns = codes.shape[1]
    best = -1
    for number in range(len(sizes)):
        size = sizes[number]
        if number == skip or size == 0:
            continue
        extra = paid[number]  # what the record itself pays; the others pay more as the box grows
        for c in range(columns):
            if extra >= limit:
                break
            at, leaf, node = offsets[c], codes[record, c], boxes[number, c]
            if first[at + node] > leaf or last[at + node] < leaf:
                wider = climb(first, last, parents, at, parents[at + node], leaf, leaf)
                extra += (size + 1) * (prices[at + wider] - prices[at + node])
        if extra < limit:
            best, limit = number, extra
    return best, limit


@kernel
def total_price(classes: Classes) -> float:
    total = 0.0
    for number in range(len(classes.sizes)):
        total += classes.sizes[number] * classes.prices[number]
    return total
