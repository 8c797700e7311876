"""A binary tree over classes of records, for finding the ones that are cheap to merge without looking at most of them.

Classes are sorted by a key that has what is dearest to give up in its highest bits, and the tree parts them by the highest bit in
which they differ. So the classes below a node are alike, and the ranges of hierarchy leaves they cover say what merging with any
of them costs at least. The same tree holds a tournament between the pairs that classes remember, the cheapest of which wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tables.common_prices import Prices

NONE = np.iinfo(np.int32).max
# What a node knows of the classes below it, the least of each: records, number, and then three figures for every column, the first
# leaf covered, the last one negated and the highest price negated.
SIZE, NUMBER, FIRST = 0, 1, 2


class State(NamedTuple):
    """Figures that change; (1,) each."""

    root: NDArray[np.int64]
    inner: NDArray[np.int64]  # inner nodes; the leaves come after them
    height: NDArray[np.int64]  # of the tree
    merges: NDArray[np.int64]  # so far
    small: NDArray[np.int64]  # classes that are too small


class Classes(NamedTuple):
    """Classes, the pair each that is too small remembers, and the tree over those that are left."""

    boxes: NDArray[np.int32]  # (classes, columns): the nodes each shows, by number within the column
    sizes: NDArray[np.int64]  # (classes,): records
    made: NDArray[np.int64]  # (classes,): merges before it was made
    into: NDArray[np.int64]  # (classes,): the class each was merged into; itself while it is there
    partners: NDArray[np.int64]  # (classes,): the other class of the pair each remembers; -1 for none
    partner_made: NDArray[np.int64]  # (classes,): when that was made
    costs: NDArray[np.int64]  # (classes,): of the pair
    unions: NDArray[np.int64]  # (classes,): records of the pair
    places: NDArray[np.int64]  # (classes,): leaf
    tree: NDArray[np.int32]  # (nodes, 2 + 3 · columns): see above; NONE throughout where no class is left
    children: NDArray[np.int64]  # (inner nodes, 2)
    parents: NDArray[np.int64]  # (nodes,): -1 for the root
    winners: NDArray[np.int64]  # (nodes,): the class that remembers the cheapest pair; -1 for none
    dearest: NDArray[np.int64]  # (nodes,): what the dearest pair remembered costs; -1 for none
    state: State

    @classmethod
    def of(cls, boxes: NDArray[np.int32], sizes: NDArray[np.int64], least: int) -> Classes:
        """boxes: (classes, columns); sizes: (classes,) records, fewer than 2^31 in all."""
        count, columns = boxes.shape
        state = State(*(np.zeros(1, np.int64) for _ in range(5)))
        state.small[0] = (sizes < least).sum()
        return cls(
            boxes.copy(),
            sizes.copy(),
            np.zeros(count, np.int64),
            np.arange(count),
            # A class that has not looked yet remembers itself, at a cost below all others: it looks before anything is merged.
            np.where(sizes < least, np.arange(count), -1),
            np.full(count, -1, np.int64),
            np.full(count, -1, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.empty((2 * count, FIRST + 3 * columns), np.int32),
            np.empty((count, 2), np.int64),
            np.empty(2 * count, np.int64),
            np.empty(2 * count, np.int64),
            np.empty(2 * count, np.int64),
            state,
        )

    @property
    def unfinished(self) -> bool:
        return bool(self.state.small[0] > 0 and self.state.merges[0] < len(self.sizes) - 1)


@kernel
def plant(prices: Prices, classes: Classes, left: NDArray[np.int64], keys: NDArray[np.uint64]) -> None:
    """Build the tree over the classes that are left, in the order of their keys. keys: (left, words), ascending; the last word
    counts most. What they remember stays."""
    inner = len(left) - 1
    classes.state.inner[0] = inner
    for i in range(len(left)):
        classes.places[left[i]] = inner + i
        describe(prices, classes, left[i])
    order = _part(classes, keys)
    for node in order:
        _summarize(classes, node)
    for one in left:
        _enter(classes, one)
    for node in order:
        _compete(classes, node)


@kernel
def _part(classes: Classes, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Inner node i parts the leaves up to i from those after it. Returns the inner nodes, children before parents."""
    count, words = keys.shape
    inner = count - 1
    bits = np.empty(inner, np.int64)
    for i in range(inner):
        bits[i] = _highest_bit(np.uint64(i ^ (i + 1))) - 64  # equal keys are parted evenly
        for word in range(words):
            if keys[i, word] != keys[i + 1, word]:
                bits[i] = _highest_bit(keys[i, word] ^ keys[i + 1, word]) + 64 * word
    children, parents = classes.children, classes.parents
    order, done = np.empty(inner, np.int64), 0
    waiting, height = np.empty(count, np.int64), 0
    levels = np.zeros(2 * count, np.int64)
    node = inner
    for i in range(count):
        node = inner + i
        while height and (i == inner or bits[waiting[height - 1]] < bits[i]):
            height -= 1
            above = waiting[height]
            children[above, 1] = node
            parents[node] = above
            levels[above] = 1 + max(levels[children[above, 0]], levels[node])
            order[done] = above
            done += 1
            node = above
        if i < inner:
            children[i, 0] = node
            parents[node] = i
            waiting[height] = i
            height += 1
    parents[node] = -1
    classes.state.root[0] = node
    classes.state.height[0] = levels[node]
    return order


@kernel
def _highest_bit(word: np.uint64) -> int:
    bit = 0
    while word > np.uint64(1):
        word >>= np.uint64(1)
        bit += 1
    return bit


@kernel
def describe(prices: Prices, classes: Classes, one: int) -> None:
    """What the leaf of a class knows of it."""
    tree, node, columns = classes.tree, classes.places[one], classes.boxes.shape[1]
    tree[node, SIZE], tree[node, NUMBER] = classes.sizes[one], one
    for column in range(columns):
        shown = prices.offsets[column] + classes.boxes[one, column]
        tree[node, FIRST + column] = prices.first[shown]
        tree[node, FIRST + columns + column] = -prices.last[shown]
        tree[node, FIRST + 2 * columns + column] = -prices.prices[shown]


@kernel
def changed(classes: Classes, one: int) -> None:
    """Tell the nodes above a class that it is another now, or gone."""
    node = classes.parents[classes.places[one]]
    while node >= 0 and _summarize(classes, node):
        node = classes.parents[node]
    remembers_another(classes, one)


@kernel
def remembers_another(classes: Classes, one: int) -> None:
    """Tell the nodes above a class that it remembers another pair."""
    _enter(classes, one)
    winners, dearest = classes.winners, classes.dearest
    node = classes.parents[classes.places[one]]
    while node >= 0:
        winner, most = winners[node], dearest[node]
        _compete(classes, node)
        if winners[node] == winner != one and dearest[node] == most:
            break  # nothing above can tell the difference
        node = classes.parents[node]


@kernel
def pair_of(classes: Classes, one: int) -> tuple[int, int, int, int]:
    """The pair a class remembers, in the order of pairs: cost, records, smaller number, larger number."""
    partner = classes.partners[one]
    return classes.costs[one], classes.unions[one], min(one, partner), max(one, partner)


@kernel
def _summarize(classes: Classes, node: int) -> bool:
    """Whether the node knows anything else now than before."""
    tree = classes.tree
    left, right = classes.children[node, 0], classes.children[node, 1]
    differs = False
    for i in range(tree.shape[1]):
        least = min(tree[left, i], tree[right, i])
        differs |= least != tree[node, i]
        tree[node, i] = least
    return differs


@kernel
def _enter(classes: Classes, one: int) -> None:
    remembers = classes.partners[one] >= 0
    classes.winners[classes.places[one]] = one if remembers else -1
    classes.dearest[classes.places[one]] = classes.costs[one] if remembers else -1


@kernel
def _compete(classes: Classes, node: int) -> None:
    left, right = classes.children[node, 0], classes.children[node, 1]
    classes.dearest[node] = max(classes.dearest[left], classes.dearest[right])
    one, two = classes.winners[left], classes.winners[right]
    if one < 0 or two < 0:
        classes.winners[node] = max(one, two)
    else:
        classes.winners[node] = one if pair_of(classes, one) <= pair_of(classes, two) else two
