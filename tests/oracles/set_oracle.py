"""Item sets by definition, slowly: bitmaps, votes, partitions and matchings by enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np

from shoal.kernels.sets.voting import tie


def arrays(sets):
    """Offsets and items of a list of sets."""
    rows = [sorted(one) for one in sets]
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return offsets, np.array([item for row in rows for item in row], np.int32)


def of_bitmaps(bitmaps):
    return [{i for i, bit in enumerate(bitmap) if bit == "1"} for bitmap in bitmaps]


def bitmap(one, universe):
    return "".join("1" if i in one else "0" for i in range(universe))


def gray_rank(one, universe):
    """The number whose reflected binary code is the bitmap: bit i is the parity of the bits up to i."""
    rank, parity = 0, 0
    for i in range(universe):
        parity ^= i in one
        rank = 2 * rank + parity
    return rank


def cyclic_length(sets, order):
    return sum(len(sets[a] ^ sets[b]) for a, b in zip(order, [*order[1:], order[0]], strict=True))


def base_of(members, name):
    items = set().union(*members)
    votes = {item: sum(item in one for one in members) for item in items}
    return {
        item
        for item in items
        if 2 * votes[item] > len(members) or (2 * votes[item] == len(members) and tie(item, name))
    }


def differ_of(members):
    return set().union(*members) - set(members[0]).intersection(*members)


def block_price(sets, block, name):
    """The sum over members of the expected share of wrong bits."""
    base = base_of([sets[i] for i in block], name)
    return sum(Fraction(len(sets[i] ^ base), max(1, len(sets[i]))) for i in block)


def best_blocks(sets, order, least):
    """The least price of cutting an order into blocks of k to 2k − 1, over all ways to do it."""
    best = {0: Fraction(0)}
    for end in range(1, len(order) + 1):
        starts = [s for s in range(max(0, end - 2 * least + 1), end - least + 1) if s in best]
        if starts:
            best[end] = min(best[s] + block_price(sets, order[s:end], s) for s in starts)
    return best[len(order)]


def ring_matchings(records, k):
    """All perfect matchings of a ring, as steps along it."""
    for places in permutations(range(records)):
        steps = [(place - one) % records for one, place in enumerate(places)]
        if max(steps) < k:
            yield tuple(steps)
