"""How far the item sets of clusters lie apart: BTD, the bit-vector transaction distance of paper 001, as ERRATA 001-5 has it.

Of two sets: (items of one of them only + 1) · (items of either) / (items of both + 1). Of a cluster: the largest of any two of its
records. It is a quotient of whole numbers so small that two different ones never become the same float.

The members of a cluster are a chain, the largest sets first. Two sets of a and b items lie at most (a + b + 1)(a + b) apart, and
exactly that when they share none, so after a few pairs the rest is known to lie nearer. A word of bits for each set, every item one
of 64, tells of most pairs that they share none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Chains(NamedTuple):
    """Sets of items, and clusters of them. Those of a cluster follow each other, the largest first; empty ones too."""

    offsets: NDArray[np.int64]  # (sets + 1,)
    items: NDArray[np.int32]  # ascending in each set
    signs: NDArray[np.uint64]  # (sets,)
    heads: NDArray[np.int64]  # (clusters,): the first set of each, -1 for none
    after: NDArray[np.int64]  # (sets,): the next one, -1 for none


def chains_of(offsets: NDArray[np.int64], items: NDArray[np.int32], groups: NDArray[np.int32], count: int) -> Chains:
    """groups: (sets,) the cluster of each."""
    by_size = np.argsort(np.diff(offsets), kind="stable")
    return Chains(offsets, items, *_chained(offsets, items, groups, count, by_size))


@kernel
def _chained(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    groups: NDArray[np.int32],
    count: int,
    by_size: NDArray[np.int64],
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    signs = np.zeros(len(groups), np.uint64)
    for one in range(len(groups)):
        for i in range(offsets[one], offsets[one + 1]):
            mixed = np.uint64(items[i]) * np.uint64(0x9E3779B97F4A7C15)
            signs[one] |= np.uint64(1) << (mixed >> np.uint64(58))
    heads, after = np.full(count, -1, np.int64), np.full(len(groups), -1, np.int64)
    for one in by_size:  # put in front: the largest come last, and stand first
        after[one] = heads[groups[one]]
        heads[groups[one]] = one
    return signs, heads, after


@kernel
def apart(chains: Chains, one: int, two: int) -> float:
    """BTD of two sets."""
    offsets, items = chains.offsets, chains.items
    a, b = offsets[one], offsets[two]
    total = offsets[one + 1] - a + offsets[two + 1] - b
    common = 0
    if chains.signs[one] & chains.signs[two] != np.uint64(0):
        while a < offsets[one + 1] and b < offsets[two + 1]:
            if items[a] == items[b]:
                common += 1
                a += 1
                b += 1
            elif items[a] < items[b]:
                a += 1
            else:
                b += 1
    distance: float = (total - 2 * common + 1) * (total - common) / (common + 1)
    return distance


@kernel
def farthest(chains: Chains, one: int, two: int, most: float) -> float:
    """The largest BTD of a set of one chain and a set of another, or `most` if that is larger. one, two: where they begin."""
    offsets, after = chains.offsets, chains.after
    while one >= 0:
        size, other, first = offsets[one + 1] - offsets[one], two, True
        while other >= 0:
            total = size + offsets[other + 1] - offsets[other]
            if (total + 1) * total <= most:
                break
            first = False
            most = max(most, apart(chains, one, other))
            other = after[other]
        if first:
            break
        one = after[one]
    return most


@kernel
def widest(chains: Chains) -> NDArray[np.float64]:
    """(clusters,): BTD of each. A set beside itself lies no farther apart than any pair that it is in."""
    made = np.zeros(len(chains.heads))
    for cluster in range(len(made)):
        head = chains.heads[cluster]
        if head >= 0 and chains.after[head] >= 0:
            made[cluster] = farthest(chains, head, chains.after[head], 0.0)
    return made


@kernel
def together(chains: Chains, own: NDArray[np.float64], cluster: int, others: NDArray[np.int64]) -> NDArray[np.float64]:
    """(others,): BTD of a cluster with each of the others. own: (clusters,) BTD of each alone."""
    made = np.empty(len(others))
    for i in range(len(others)):
        most = max(own[cluster], own[others[i]])
        made[i] = farthest(chains, chains.heads[cluster], chains.heads[others[i]], most)
    return made


@kernel
def join_chains(chains: Chains, one: int, two: int) -> None:
    """The sets of cluster two come to cluster one."""
    offsets, heads, after = chains.offsets, chains.heads, chains.after
    a, b, last = heads[one], heads[two], -1
    heads[two] = -1
    while a >= 0 or b >= 0:
        if b < 0 or (a >= 0 and offsets[a + 1] - offsets[a] >= offsets[b + 1] - offsets[b]):
            taken = a
            a = after[a]
        else:
            taken = b
            b = after[b]
        if last < 0:
            heads[one] = taken
        else:
            after[last] = taken
        last = taken
    if last >= 0:
        after[last] = -1
