"""Show the items of one class as labels of a hierarchy: from the roots downwards, as long as no promise is broken.

The node that costs most is tried first: a label of u > 1 items costs u for every item of a record that it hides. It is opened if no
combination of at most m labels, one of its children among them, breaks the promise then. Combinations only become rarer when
nodes are opened, so a node that has to stay closed once stays closed, each is tried once, and none could be opened in the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.record_bits import broken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.record_bits import Asked


@kernel
def item_cut(
    leaves: NDArray[np.int32],
    bits: NDArray[np.uint64],
    held: NDArray[np.int64],
    parents: NDArray[np.int32],
    widths: NDArray[np.int64],
    asked: Asked,
) -> tuple[bool, NDArray[np.int32]]:
    """Whether the promise can be kept; and (items,) the node that each shows.

    leaves: (items,) codes of those that occur, ascending; bits: (items, words) the records that hold each; held: (items,) their
    number; parents, widths: (nodes,) of the hierarchy, which may have several roots; nodes come before their parents.
    """
    nodes, node_bits, node_held, above = _occurring(leaves, bits, held, parents)
    count, words = node_bits.shape
    shown = np.zeros(count, np.bool_)
    tried = np.zeros(count, np.bool_)
    cost = np.zeros(count, np.int64)
    labels = np.empty(count, np.int64)
    roots = 0
    for node in range(count):
        cost[node] = node_held[node] * widths[nodes[node]] if widths[nodes[node]] > 1 else 0
        tried[node] = node < len(leaves)
        if above[node] < 0:
            shown[node] = True
            labels[roots] = node
            roots += 1
    shared = np.empty((asked.m, words), np.uint64)
    if not _kept(labels[:roots], roots, node_bits, shared, asked):
        return False, nodes[: len(leaves)]
    while True:
        best = -1
        for node in range(count):
            if shown[node] and not tried[node] and (best < 0 or cost[node] > cost[best]):
                best = node
        if best < 0:
            break
        tried[best] = True
        children = 0
        for node in range(best):
            if above[node] == best:
                labels[children] = node
                children += 1
        end = children
        for node in range(count):
            if shown[node] and node != best:
                labels[end] = node
                end += 1
        if _kept(labels[:end], children, node_bits, shared, asked):
            shown[best] = False
            for child in range(children):
                shown[labels[child]] = True
    cut = np.empty(len(leaves), np.int32)
    for item in range(len(leaves)):
        node = item
        while not shown[node]:
            node = above[node]
        cut[item] = nodes[node]
    return True, cut


@kernel
def _occurring(
    leaves: NDArray[np.int32], bits: NDArray[np.uint64], held: NDArray[np.int64], parents: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Nodes above an item that occurs, items first, each before its parent; their bits, what they hide, and their parents here."""
    place = np.full(len(parents), -1, np.int64)
    count = 0
    for leaf in leaves:
        node = leaf
        while node >= 0 and place[node] < 0:
            place[node] = 0
            node = parents[node]
            count += 1
    nodes = np.empty(count, np.int32)
    count = 0
    for node in range(len(parents)):
        if place[node] == 0:
            place[node] = count
            nodes[count] = node
            count += 1
    node_bits, node_held = np.zeros((count, bits.shape[1]), np.uint64), np.zeros(count, np.int64)
    for item in range(len(leaves)):
        node_held[item] = held[item]
        for w in range(bits.shape[1]):
            node_bits[item, w] = bits[item, w]
    above = np.full(count, -1, np.int64)
    for node in range(count):
        parent = parents[nodes[node]]
        if parent >= 0:
            above[node] = place[parent]
            for w in range(bits.shape[1]):
                node_bits[above[node], w] |= node_bits[node, w]
            node_held[above[node]] += node_held[node]
    return nodes, node_bits, node_held, above


@kernel
def _kept(
    labels: NDArray[np.int64], new: int, bits: NDArray[np.uint64], shared: NDArray[np.uint64], asked: Asked
) -> bool:
    """Whether no combination of at most m labels breaks the promise, of those with one of the first `new`."""
    picks = np.zeros(asked.m, np.int64)
    depth = 0
    while depth >= 0:
        if picks[depth] >= (len(labels) if depth else new):
            depth -= 1
            if depth >= 0:
                picks[depth] += 1
            continue
        some = False
        for w in range(bits.shape[1]):
            word = bits[labels[picks[depth]], w]
            if depth:
                word &= shared[depth - 1, w]
            shared[depth, w] = word
            some |= word != np.uint64(0)
        if some and broken(shared[depth], asked):
            return False
        if some and depth < asked.m - 1:
            depth += 1
            picks[depth] = picks[depth - 1] + 1
        else:
            picks[depth] += 1
    return True
