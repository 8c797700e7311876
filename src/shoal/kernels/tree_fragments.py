"""How many records hold each combination of labels, by which of the labels stand one above the other.

A *fragment* is a combination of labels and the pattern of their relations, one bit for each pair. One pass counts fragments; the
records that hold a combination with at least certain relations are then the sum over the patterns that have them all. A pass is a
function of the trees, of what labels are shown as and of what is kept apart, and of nothing else, so partial counts add up.

Where a promise speaks of a sensitive value, it is one more digit of a fragment, and the records that hold a combination are counted
by value. Without one all records have the value 0, and the digit says nothing.

Only combinations with a label in *focus* are counted: when one label is opened, all others have been counted before. Labels in
focus have the lowest numbers, so a combination begins with one.

Patterns in one pass were chosen over lists of record numbers for each relation (the paper's synopsis tree): near the leaves, where
the time goes, most lists must be read to their end to tell a rare combination, and there are as many lists as relations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

from shoal.kernels.shown_trees import place_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOM = float(1 << 23)  # places for counts; more do not fit beside the trees in a processor's memory


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
    apart: NDArray[np.int64]  # upper * labels shown + lower, ascending: pairs that are kept apart
    apart_from: NDArray[np.bool_]  # (labels shown,) whether a label is the lower one of such a pair


@njit(cache=True, nogil=True)
def fragments(
    trees: Trees, chosen: NDArray[np.int64], showing: Showing, focus: int, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Fragments of this size with a label in focus, as keys in ascending order, and how many records hold each.

    chosen: the trees to look at; focus: how many labels are in it. A key is the combination, its labels ascending as digits to
    the base of the number of labels; then the value, a digit to the base of their number; then the pattern, two to the number of
    pairs. Where there is room for every key that could be, each has its place, and nothing has to be looked up.
    """
    base = np.int64(len(showing.apart_from))
    pairs = size * (size - 1) // 2
    could_be = float(focus) * float(base) ** (size - 1) * float(trees.value_count) * 2.0**pairs
    unit = np.int64(trees.value_count) << pairs  # what the lowest label counts for
    direct = could_be <= ROOM
    places = np.int64(could_be) if direct else np.int64(1 << 12)
    keys = np.full(0 if direct else places, -1, np.int64)
    counts, held = np.zeros(places, np.int64), 0
    most = 0
    for tree in chosen:
        most = max(most, trees.offsets[tree + 1] - trees.offsets[tree])
    shown, above, below = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    mine, scaled = np.empty(most, np.int32), np.empty(most, np.int64)
    place = np.full(base, -1, np.int32)
    related = np.zeros((most, most), np.int64)
    at, key, pattern = np.empty(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
    for tree in chosen:
        number = _held(trees, tree, showing, shown, above, below, place, mine, related)
        if number < size or mine[0] >= focus:
            continue
        records = trees.records[tree]
        value = trees.values[tree] << pairs
        if direct and size == 3:  # what most of the time goes into
            for i in range(number):
                scaled[i] = mine[i] * unit
            for i in range(number):
                if mine[i] >= focus:
                    break
                for j in range(i + 1, number):
                    two = (scaled[i] * base + scaled[j]) * base + value + related[i, j]
                    for h in range(j + 1, number):
                        counts[two + scaled[h] + (related[i, h] << 1) + (related[j, h] << 2)] += records
            continue
        depth, at[0] = 0, -1
        while depth >= 0:
            at[depth] += 1
            here = at[depth]
            if here > number - size + depth or (depth == 0 and mine[here] >= focus):
                depth -= 1
                continue
            key[depth] = mine[here] + (key[depth - 1] * base if depth else 0)
            bits = pattern[depth - 1] if depth else 0
            bit = depth * (depth - 1) // 2
            for other in range(depth):
                bits |= related[at[other], here] << (bit + other)
            pattern[depth] = bits
            if depth < size - 1:
                depth += 1
                at[depth] = here
                continue
            found = key[depth] * unit + value + bits
            if direct:
                counts[found] += records
                continue
            slot = _slot(keys, found)
            if keys[slot] < 0:
                keys[slot] = found
                held += 1
                if held * 2 > len(keys):
                    keys, counts = _larger(keys, counts)
                    slot = _slot(keys, found)
            counts[slot] += records
    if direct:
        there = np.flatnonzero(counts)
        return there, counts[there]
    return _ascending(keys, counts)


@njit(cache=True, nogil=True)
def path_sets(
    trees: Trees, chosen: NDArray[np.int64], showing: Showing, focus: int, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Combinations of this size with a label in focus that stand on one path, as keys, and how many records hold each so.

    A key is the combination and then the value, as for fragments.
    """
    base = np.int64(len(showing.apart_from))
    keys, counts, held = np.full(1 << 12, -1, np.int64), np.zeros(1 << 12, np.int64), 0
    most = 0
    for tree in chosen:
        most = max(most, trees.offsets[tree + 1] - trees.offsets[tree])
    shown, above, below = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    path = np.empty(most, np.int64)
    at, taken = np.empty(size, np.int64), np.empty(size, np.int64)
    found = np.empty(64, np.int64)
    for tree in chosen:
        nodes = place_nodes(
            trees.offsets[tree],
            trees.offsets[tree + 1],
            trees.labels,
            trees.parents,
            showing.shown_as,
            showing.apart,
            showing.apart_from,
            shown,
            above,
            below,
        )
        number = 0
        for node in range(nodes):
            if shown[node] < 0:
                continue
            length, up = 0, node  # the node itself first, then what stands above it
            while up >= 0:
                path[length] = shown[up]
                length, up = length + 1, above[up]
            if length < size:
                continue
            at[0] = 0  # the node is always taken: sets without it belong to the nodes above
            depth = 1
            if size == 1:
                depth = 0
            else:
                at[1] = 0
            while True:
                if depth == 0 and size > 1:
                    break
                if size > 1:
                    at[depth] += 1
                    if at[depth] > length - size + depth:
                        depth -= 1
                        continue
                    if depth < size - 1:
                        depth += 1
                        at[depth] = at[depth - 1]
                        continue
                for i in range(size):
                    taken[i] = path[at[i]]
                ordered = np.sort(taken)
                if ordered[0] < focus:
                    key = np.int64(0)
                    for label in ordered:
                        key = key * base + label
                    key = key * trees.value_count + trees.values[tree]
                    if number == len(found):
                        larger = np.empty(2 * number, np.int64)
                        larger[:number] = found
                        found = larger
                    found[number] = key
                    number += 1
                if size == 1:
                    break
        last = np.int64(-1)
        for one in np.sort(found[:number]):
            if one == last:
                continue
            last = one
            slot = _slot(keys, one)
            if keys[slot] < 0:
                keys[slot] = one
                held += 1
                if held * 2 > len(keys):
                    keys, counts = _larger(keys, counts)
                    slot = _slot(keys, one)
            counts[slot] += trees.records[tree]
    return _ascending(keys, counts)


@njit(cache=True, nogil=True)
def relation_supports(trees: Trees, chosen: NDArray[np.int64], showing: Showing) -> NDArray[np.int64]:
    """(labels, labels): how many of the records hold the first label above the second."""
    base = len(showing.apart_from)
    made = np.zeros((base, base), np.int64)
    last = np.full((base, base), -1, np.int64)  # the tree in which a pair was counted last
    most = 0
    for tree in chosen:
        most = max(most, trees.offsets[tree + 1] - trees.offsets[tree])
    shown, above, below = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    for tree in chosen:
        nodes = place_nodes(
            trees.offsets[tree],
            trees.offsets[tree + 1],
            trees.labels,
            trees.parents,
            showing.shown_as,
            showing.apart,
            showing.apart_from,
            shown,
            above,
            below,
        )
        for node in range(nodes):
            if shown[node] < 0:
                continue
            up = above[node]
            while up >= 0:
                if last[shown[up], shown[node]] != tree:
                    last[shown[up], shown[node]] = tree
                    made[shown[up], shown[node]] += trees.records[tree]
                up = above[up]
    return made


@njit(cache=True, nogil=True)
def trees_with(trees: Trees, asked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The trees that hold one of these labels (as they are)."""
    made, number = np.empty(len(trees.records), np.int64), 0
    for tree in range(len(trees.records)):
        for node in range(trees.offsets[tree], trees.offsets[tree + 1]):
            if asked[trees.labels[node]]:
                made[number] = tree
                number += 1
                break
    return made[:number].copy()


@njit(cache=True, nogil=True)
def holders_of(trees: Trees, first: NDArray[np.int32], last: NDArray[np.int32]) -> NDArray[np.int64]:
    """(ranges,): how many records hold a label of each of these ranges."""
    covering = np.zeros(last.max() + 2 if len(last) else 1, np.int64)  # ranges by label, as lists one after the other
    for i in range(len(first)):
        covering[first[i] + 1 : last[i] + 2] += 1
    for label in range(1, len(covering)):
        covering[label] += covering[label - 1]
    ranges, at = np.empty(covering[-1], np.int64), covering[:-1].copy()
    for i in range(len(first)):
        for label in range(first[i], last[i] + 1):
            ranges[at[label]] = i
            at[label] += 1
    made, seen = np.zeros(len(first), np.int64), np.full(len(first), -1, np.int64)
    for tree in range(len(trees.records)):
        for node in range(trees.offsets[tree], trees.offsets[tree + 1]):
            label = trees.labels[node]
            for place in range(covering[label], covering[label + 1]):
                one = ranges[place]
                if seen[one] != tree:
                    seen[one] = tree
                    made[one] += trees.records[tree]
    return made


@njit(cache=True, nogil=True)
def combinations_held(trees: Trees, chosen: NDArray[np.int64], size: int) -> float:
    """At most so many combinations of labels would be counted: as if all nodes of a tree differed."""
    total = 0.0
    for tree in chosen:
        total += _most_combinations(trees.offsets[tree + 1] - trees.offsets[tree], size)
    return total


@njit(cache=True, nogil=True)
def _most_combinations(number: int, size: int) -> float:
    made = 1.0
    for i in range(size):
        made = made * max(number - i, 0) / (i + 1)
    return made


@njit(cache=True, nogil=True)
def _held(
    trees: Trees,
    tree: int,
    showing: Showing,
    shown: NDArray[np.int32],
    above: NDArray[np.int32],
    below: NDArray[np.int32],
    place: NDArray[np.int32],
    mine: NDArray[np.int32],
    related: NDArray[np.int64],
) -> int:
    """Fill mine: the distinct labels a tree shows, ascending, and return their number. Fills related: by places among them, 1
    where one stands above the other."""
    nodes = place_nodes(
        trees.offsets[tree],
        trees.offsets[tree + 1],
        trees.labels,
        trees.parents,
        showing.shown_as,
        showing.apart,
        showing.apart_from,
        shown,
        above,
        below,
    )
    number = 0
    for node in range(nodes):
        label = shown[node]
        if label >= 0 and place[label] < 0:
            place[label] = 0
            at = number
            while at > 0 and mine[at - 1] > label:
                mine[at] = mine[at - 1]
                at -= 1
            mine[at] = label
            number += 1
    for i in range(number):
        place[mine[i]] = i
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
        place[mine[i]] = -1
    return number


@njit(cache=True, nogil=True)
def _slot(keys: NDArray[np.int64], key: int) -> int:
    """Where a key is, or belongs."""
    mask = np.uint64(len(keys) - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = (mixed >> np.uint64(29)) & mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return int(slot)


@njit(cache=True, nogil=True)
def _larger(keys: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    made_keys, made_counts = np.full(4 * len(keys), -1, np.int64), np.zeros(4 * len(keys), np.int64)
    for i in range(len(keys)):
        if keys[i] >= 0:
            slot = _slot(made_keys, keys[i])
            made_keys[slot], made_counts[slot] = keys[i], counts[i]
    return made_keys, made_counts


@njit(cache=True, nogil=True)
def _ascending(keys: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    there = np.flatnonzero(keys >= 0)
    order = there[np.argsort(keys[there])]
    return keys[order], counts[order]
