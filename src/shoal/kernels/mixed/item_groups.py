"""Show the items of one class as sets of items, merged until combinations of at most m labels break no promise.

Items begin as they are. Combinations of 1, 2, …, m labels are counted, those that break the promise are taken one after the other,
rarest first, and each gets the merge of two labels that mends it and is the cheapest for every broken combination that it mends. A
label of u > 1 items costs u for every item of a record that it hides (item NCP, times the number of items there are). Where no
merge mends a combination the cheapest is taken, and so it is where a rare label could be mended only by a dear merge: else all rare
items would end in the label of the one that is not.

A label is kept as the bits of the records that show it, so the records of a combination are an intersection. Most merges are known
not to mend a combination without looking at bits: the other label is shown by too few records. Merging never makes a combination
rarer, so one sweep is enough for k; a sensitive value may become too frequent by it (ERRATA 001-12), so with those the sweeps go on
until one finds nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.mixed.broken_combinations import broken_pairs, broken_sets
from shoal.kernels.mixed.item_labels import labels_of, merge_labels, merge_price, share, share_merged, shown_now
from shoal.kernels.mixed.label_buckets import add_to_bucket, buckets_of, take_from_bucket
from shoal.kernels.record_bits import ones, too_alike

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.mixed.item_labels import Labels
    from shoal.kernels.mixed.label_buckets import Buckets
    from shoal.kernels.record_bits import Asked

TRIED = 8  # merges that mend a combination, the cheapest of them, which are compared by what else they mend
LOOKED = 64  # broken combinations that are looked at for that


@kernel
def item_groups(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    copies: NDArray[np.int64],
    bits: NDArray[np.uint64],
    held: NDArray[np.int64],
    family: NDArray[np.int32],
    asked: Asked,
    tried: int,
    looked: int,
) -> tuple[bool, NDArray[np.int32]]:
    """Whether the promise can be kept; and (items,) the first item of the label of each.

    offsets, items: sets of items numbered from 0, each item in at least one; copies: (sets,) records of each; bits: (items, words)
    the records that hold each; held: (items,) their number.
    """
    labels = labels_of(bits, held, family)
    buckets = buckets_of(labels)
    room = np.empty((3, bits.shape[1]), np.uint64)
    again = True
    while again:
        again = False
        for size in range(1, asked.m + 1):
            while True:
                if size == 2:
                    found = broken_pairs(offsets, items, copies, labels.label_of, labels.bits, asked)
                else:
                    found = broken_sets(labels.label_of, labels.bits, asked, size)
                if len(found) == 0:
                    break
                again = len(asked.secrets) > 0
                for place in range(len(found)):
                    if not _mend(labels, buckets, asked, found[place : place + looked], tried, room):
                        return False, labels.label_of
    return True, labels.label_of


@kernel
def _mend(
    labels: Labels,
    buckets: Buckets,
    asked: Asked,
    found: NDArray[np.int32],
    tried: int,
    room: NDArray[np.uint64],
) -> bool:
    """Merge labels so that the first of these combinations does not break the promise any more. Whether something could be done.

    What is looked for, by price and then by the labels: of the merges that mend it the first ones, of the others the first. Labels
    of a bucket cost the same, so of those too rare to mend anything only the first counts.
    """
    # taken out of its tuple inside the loop, an array costs more than what is done with it
    label_of, family, bits, _, held, width, _, _, _, _ = labels
    first, _, keys, _, after, _, used = buckets
    k = asked.k
    shared, rest, made = room
    mine = np.empty(found.shape[1], np.int32)
    mine = mine[: shown_now(label_of, found[0], mine)]
    together = share(bits, mine, shared)
    if together >= k and not too_alike(shared, together, asked):
        return True
    best = np.full((tried, 3), -1, np.int64)  # price, and the two labels: of those that mend it …
    step = np.full((1, 3), -1, np.int64)  # … and of the others
    have, near = 0, 0
    for i in range(len(mine)):
        label = mine[i]
        share(bits, np.concatenate((mine[:i], mine[i + 1 :])), rest)
        for other in mine[i + 1 :]:  # another label of the combination: it is mended, or shown by one label fewer
            if family[other] == family[label]:
                price = merge_price(held, width, label, other)
                if _helps(bits, asked, mine, label, other, rest, shared, made):
                    have = _insert(best, have, price, label, other, tried)
                else:
                    near = _insert(step, near, price, label, other, 1)
        for bucket in range(used[0]):
            other = first[bucket]
            if other < 0 or keys[bucket, 0] != family[label]:
                continue
            price = merge_price(held, width, label, other)
            few = together + keys[bucket, 1] < k
            while other >= 0:
                if other != label and not _among(mine, other):
                    one, two = min(label, other), max(label, other)
                    mends = not few and _comes_in(best, have, price, one, two, tried)
                    if not mends and not _comes_in(step, near, price, one, two, 1):
                        break  # nor do those after it
                    if not few and _helps(bits, asked, mine, label, other, rest, shared, made):
                        have = _insert(best, have, price, one, two, tried)
                    else:
                        near = _insert(step, near, price, one, two, 1)
                other = after[other]
    if have == 0 and near == 0:
        return False
    dear = have > 0 and near > 0 and len(mine) == 1 and step[0, 0] < best[0, 0]
    if have == 0 or (dear and _too_dear(labels, mine[0], best[0, 0], k - together)):
        _merge(labels, buckets, step[0, 1], step[0, 2])
        return True
    chosen = _worthiest(labels, asked, found, best[:have], made) if have > 1 else 0
    _merge(labels, buckets, best[chosen, 1], best[chosen, 2])
    return True


@kernel
def _merge(labels: Labels, buckets: Buckets, one: int, two: int) -> None:
    take_from_bucket(buckets, one)
    take_from_bucket(buckets, two)
    merge_labels(labels, one, two)
    add_to_bucket(buckets, labels, one)


@kernel
def _comes_in(best: NDArray[np.int64], have: int, price: int, one: int, two: int, most: int) -> bool:
    """Whether it would be kept."""
    return have < most or (price, one, two) < (best[have - 1, 0], best[have - 1, 1], best[have - 1, 2])


@kernel
def _too_dear(labels: Labels, label: int, price: int, missing: int) -> bool:
    """Whether a merge that mends a rare label costs more than its share of one with as many others as records are missing, each of
    one item of one record, which would mend them all."""
    held, width = labels.held[label], labels.width[label]
    before = held * width if width > 1 else 0
    return missing > 0 and (missing + 1) * price > (held + missing) * (width + missing) - before


@kernel
def _among(combination: NDArray[np.int32], label: int) -> bool:
    found = False
    for one in combination:
        found = found or one == label
    return found


@kernel
def _helps(
    bits: NDArray[np.uint64],
    asked: Asked,
    mine: NDArray[np.int32],
    label: int,
    other: int,
    rest: NDArray[np.uint64],
    shared: NDArray[np.uint64],
    made: NDArray[np.uint64],
) -> bool:
    """Whether a combination breaks the promise no more when one of its labels is merged with another.

    shared: its records; rest: those of its other labels; made: room.
    """
    if _among(mine, other):
        records = share_merged(bits, mine, label, other, made)
    else:
        records = 0
        for w in range(len(shared)):
            made[w] = shared[w] | (bits[other, w] & rest[w])
            records += ones(made[w])
    return records >= asked.k and not too_alike(made, records, asked)


@kernel
def _worthiest(
    labels: Labels, asked: Asked, found: NDArray[np.int32], best: NDArray[np.int64], made: NDArray[np.uint64]
) -> int:
    """The merge that is the cheapest for each of these combinations that it mends."""
    now, sizes = np.empty(found.shape, np.int32), np.empty(len(found), np.int64)
    for p in range(len(found)):
        sizes[p] = shown_now(labels.label_of, found[p], now[p])
    breaks = np.full(len(found), -1, np.int8)  # -1: not known
    chosen, price, also = 0, best[0, 0], 0
    for b in range(len(best)):
        one, two, mended = best[b, 1], best[b, 2], 0
        for p in range(len(found)):
            combination, touched = now[p, : sizes[p]], False
            for label in combination:
                touched = touched or label in (np.int32(one), np.int32(two))
            if not touched:
                continue
            if breaks[p] < 0:
                records = share(labels.bits, combination, made)
                breaks[p] = records < asked.k or too_alike(made, records, asked)
            if breaks[p]:
                records = share_merged(labels.bits, combination, one, two, made)
                mended += records >= asked.k and not too_alike(made, records, asked)
        if b == 0 or best[b, 0] * also < price * mended:
            chosen, price, also = b, best[b, 0], mended
    return chosen


@kernel
def _insert(best: NDArray[np.int64], have: int, price: int, one: int, two: int, most: int) -> int:
    """Keep the cheapest, in order; returns how many there are."""
    at = have
    while at > 0 and (price, one, two) < (best[at - 1, 0], best[at - 1, 1], best[at - 1, 2]):
        at -= 1
    if at > 0 and best[at - 1, 0] == price and best[at - 1, 1] == one and best[at - 1, 2] == two:
        return have  # from another label of the combination
    if at >= most:
        return have
    have = min(have + 1, most)
    for i in range(have - 1, at, -1):
        for j in range(3):
            best[i, j] = best[i - 1, j]
    best[at, 0], best[at, 1], best[at, 2] = price, one, two
    return have
