"""Improve a grouping where it is worst: take a class that pays much, the classes nearest to it, and divide their records anew.

To find the classes near a record without looking at all of them, there is a set of bits for every hierarchy node: the classes
that show it. The classes that cover a record in one column are the union over the nodes above its value; over all columns
these unions are counted for 64 classes at a time, and only classes that miss the record in two columns at most are looked at
one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import Trees, climb, joint_price
from shoal.kernels.tables.classes import Classes, put, release, take_free
from shoal.kernels.tables.repartition import ABSORBED, repartition

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def draw(state: NDArray[np.uint64]) -> float:
    """A number in [0, 1): xorshift. No privacy depends on it; the same seed gives the same grouping everywhere."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return float(x >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def shown_bits(trees: Trees, classes: Classes) -> NDArray[np.uint64]:
    """(nodes, words): bit `number` of a node is set when that class shows it."""
    made = np.zeros((len(trees.first), (len(classes.sizes) + 63) // 64), np.uint64)
    for number in range(len(classes.sizes)):
        if classes.sizes[number] > 0:
            mark(trees.offsets, classes.boxes, made, number)
    return made


@kernel
def mark(offsets: NDArray[np.int64], boxes: NDArray[np.int32], bits: NDArray[np.uint64], number: int) -> None:
    """Set the bits of a class, or clear them when they are set."""
    bit = _ONE << np.uint64(number & 63)
    for c in range(boxes.shape[1]):
        bits[offsets[c] + boxes[number, c], number >> 6] ^= bit


@kernel
def improve(
    trees: Trees,
    classes: Classes,
    floors: NDArray[np.float64],
    failures: NDArray[np.int64],
    bits: NDArray[np.uint64],
    k: int,
    most: int,
    near: int,
    steps: int,
    rounds: int,
    state: NDArray[np.uint64],
) -> int:
    """Divide neighbourhoods anew so many times; returns how often it helped.

    floors: (records,) what each record pays at least, wherever it is; those who pay much more are looked at more often. failures:
    (classes,) how often a class was looked at in vain, which makes it less likely to be looked at again. bits: `shown_bits`,
    kept up to date. most: records in one
    neighbourhood; near: classes considered for it; steps: of each exact search.
    """
    excess = np.empty(len(floors), np.float64)  # running sum of what each record pays above its floor
    above = 0.0
    for record in range(len(floors)):
        number = classes.class_of[record]
        above += max(0.0, classes.prices[number] - 0.9 * floors[record]) * 0.7 ** failures[number]
        excess[record] = above
    if above <= 0.0:
        return 0
    records, columns = classes.codes.shape
    members = np.empty(most, np.int64)
    chosen = np.empty(most, np.int64)
    values = np.empty(near, np.float64)
    nearest = np.empty(near, np.int64)
    codes = np.empty((most, columns), np.int32)
    floor = np.empty(most, np.float64)
    absorbed = np.empty(most, np.float64)
    absorber = np.empty(most, np.int64)
    parts = np.empty(most, np.int64)
    misses = np.empty((3, bits.shape[1]), np.uint64)
    new = np.empty(most, np.int64)
    paid = np.empty(most, np.float64)
    values_of = np.empty(most, np.float64)
    helped = 0
    for _ in range(rounds):
        record = np.searchsorted(excess, draw(state) * excess[records - 1])
        if record >= records:
            continue
        number = classes.class_of[record]
        if classes.sizes[number] > most:
            continue
        count_misses(trees, bits, classes.codes[record], misses)
        found = nearest_classes(trees, classes, record, most, misses, values, nearest, state)
        count = 0
        picked = 0
        for i in range(-1, found):
            other = number if i < 0 else nearest[i]
            if count + classes.sizes[other] > most:
                continue
            chosen[picked] = other
            picked += 1
            member = classes.head[other]
            while member >= 0:
                members[count] = member
                count += 1
                member = classes.after[member]
        before = 0.0
        for i in range(picked):
            before += classes.sizes[chosen[i]] * classes.prices[chosen[i]]
        order = np.argsort(-floors[members[:count]])
        for i in range(count):
            codes[i] = classes.codes[members[order[i]]]
            paid[i] = classes.prices[classes.class_of[members[order[i]]]]
        _local_floors(trees, codes[:count], k, values_of, floor)
        _absorbers(trees, classes, bits, codes[:count], paid[:count], chosen[:picked], misses, absorbed, absorber)
        after = repartition(
            trees, codes[:count], floor[:count], absorbed[:count], k, before - 1e-9, steps, parts[:count]
        )
        if after >= before - 1e-9:
            failures[number] += 1
            continue
        helped += 1
        for i in range(picked):
            mark(trees.offsets, classes.boxes, bits, chosen[i])
            release(classes, chosen[i])
        new[:count] = -1
        for i in range(count):
            if parts[i] == ABSORBED:
                put(trees, classes, members[order[i]], absorber[i])
            else:
                if new[parts[i]] < 0:
                    new[parts[i]] = take_free(classes)
                    failures[new[parts[i]]] = 0
                put(trees, classes, members[order[i]], new[parts[i]])
        for i in range(count):
            if new[i] >= 0:
                mark(trees.offsets, classes.boxes, bits, new[i])
    return helped


@kernel
def count_misses(trees: Trees, bits: NDArray[np.uint64], codes: NDArray[np.int32], misses: NDArray[np.uint64]) -> None:
    """misses[m]: the classes that cover a record in all columns but m (m = 0, 1, 2)."""
    offsets, parents = trees.offsets, trees.parents
    words = bits.shape[1]
    ones = np.zeros(words, np.uint64)  # a two-digit count for each class …
    twos = np.zeros(words, np.uint64)
    more = np.zeros(words, np.uint64)  # … that stays at three
    covered = np.empty(words, np.uint64)
    for c in range(len(codes)):
        node = offsets[c] + codes[c]
        for w in range(words):
            covered[w] = bits[node, w]
        node = parents[node]
        while node >= 0:
            for w in range(words):
                covered[w] |= bits[offsets[c] + node, w]
            node = parents[offsets[c] + node]
        for w in range(words):
            missed = ~covered[w]
            carry = ones[w] & missed
            ones[w] ^= missed
            more[w] |= twos[w] & carry
            twos[w] ^= carry
    for w in range(words):
        few = _ALL ^ more[w]
        misses[0, w] = few & ~ones[w] & ~twos[w]
        misses[1, w] = few & ones[w] & ~twos[w]
        misses[2, w] = few & ~ones[w] & twos[w]


@kernel
def nearest_classes(
    trees: Trees,
    classes: Classes,
    record: int,
    most: int,
    misses: NDArray[np.uint64],
    values: NDArray[np.float64],
    nearest: NDArray[np.int64],
    state: NDArray[np.uint64],
) -> int:
    """Classes a record could join for little, with some chance in the order; returns how many were found."""
    offsets, first, last, parents, prices = trees
    codes, boxes, sizes, paid = classes.codes, classes.boxes, classes.sizes, classes.prices
    own = classes.class_of[record]
    found = 0
    worst = (
        classes.sizes[own] * classes.prices[own]
    )  # joining a class for more than all of the own one pays helps nobody
    for word in range(misses.shape[1]):
        near = misses[0, word] | misses[1, word] | misses[2, word]
        while near != 0:
            number = 64 * word + _lowest(near)
            near &= near - _ONE
            size = sizes[number]
            if number == own or size == 0 or size > most // 2:
                continue
            extra = paid[number]
            limit = 3.0 * worst
            for c in range(codes.shape[1]):
                at, leaf, node = offsets[c], codes[record, c], boxes[number, c]
                if first[at + node] > leaf or last[at + node] < leaf:
                    wider = climb(first, last, parents, at, parents[at + node], leaf, leaf)
                    extra += (size + 1) * (prices[at + wider] - prices[at + node])
                    if extra >= limit:
                        break
            if extra >= limit:
                continue
            extra *= 0.3 + 0.7 * draw(state)
            if extra >= worst:
                continue
            i = found if found < len(values) else found - 1
            while i > 0 and values[i - 1] > extra:
                values[i], nearest[i] = values[i - 1], nearest[i - 1]
                i -= 1
            values[i], nearest[i] = extra, number
            if found < len(values):
                found += 1
            if found == len(values):
                worst = values[found - 1]
    return found


@kernel
def _lowest(word: np.uint64) -> int:
    """The number of the lowest bit that is set."""
    number = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word & ((_ONE << np.uint64(step)) - _ONE) == 0:
            word >>= np.uint64(step)
            number += step
    return number


@kernel
def _absorbers(
    trees: Trees,
    classes: Classes,
    bits: NDArray[np.uint64],
    codes: NDArray[np.int32],
    paid: NDArray[np.float64],
    chosen: NDArray[np.int64],
    covered: NDArray[np.uint64],
    absorbed: NDArray[np.float64],
    absorber: NDArray[np.int64],
) -> None:
    """For each record the cheapest class outside whose box covers it already: joining it changes nothing for the others.

    covered: room for three rows of bits."""
    offsets, parents, prices = trees.offsets, trees.parents, classes.prices
    words = bits.shape[1]
    every, column = covered[0], covered[1]
    for i in range(len(codes)):
        every[:] = _ALL
        for c in range(codes.shape[1]):
            node = codes[i, c]
            column[:] = 0
            while node >= 0:
                for w in range(words):
                    column[w] |= bits[offsets[c] + node, w]
                node = parents[offsets[c] + node]
            for w in range(words):
                every[w] &= column[w]
        for j in range(len(chosen)):
            every[chosen[j] >> 6] &= ~(_ONE << np.uint64(chosen[j] & 63))
        absorber[i] = -1
        absorbed[i] = paid[i]  # nobody gains by paying more than now
        for w in range(words):
            word = every[w]
            while word != 0:
                number = 64 * w + _lowest(word)
                word &= word - _ONE
                if prices[number] < absorbed[i]:
                    absorbed[i] = prices[number]
                    absorber[i] = number
        if absorber[i] < 0:
            absorbed[i] = np.inf


@kernel
def _local_floors(
    trees: Trees, codes: NDArray[np.int32], k: int, around: NDArray[np.float64], floors: NDArray[np.float64]
) -> None:
    """What each record pays at least in any class made of these records: the k-1 cheapest partners decide."""
    count = len(codes)
    for i in range(count):
        for j in range(count):
            around[j] = joint_price(trees, codes[i], codes[j], np.inf)
        floors[i] = np.sort(around[:count])[min(k, count) - 1]  # the record itself is the first
