"""Merge the pair of classes that costs least, again and again, until every class is large enough.

A pair may be merged when one of the two is too small. Merging a class of n records with box x into one with m records and box y
costs n · (price of the common box − price of x) + m · (the same for y). Ties: the smaller union, then the smaller numbers.

The cheapest partner of a class is found without looking at most of the others. Classes are sorted by a key that has what is
dearest to give up in its highest bits, and stand at the leaves of a binary tree that parts them by the highest bit in which they
differ. A node knows the range of leaves of each hierarchy that its classes cover, and so what merging with any of them costs at
least. The same tree keeps the tournament of the cheapest pairs. Ranges grow with every merge; planting the tree anew now and
then keeps them small.

Every class that is too small remembers a pair, so that the cheapest pair of all is remembered by at least one of the two. A merge
ends pairs, and makes a class that may be nearer to others than what they remember: if it is too small it looks around itself, and if
not it tells them. A class whose partner is gone looks again when its pair would be the next to be merged; until then what it
remembers is a lower bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.boxes import Trees

_NONE = np.iinfo(np.int32).max
_TABLE = 1 << 18  # entries of a table of common nodes of one column
_NEVER_LOOKED = -2
# What a node of the tree knows of its classes, as the least of each: records, number, and then three figures for each column, the
# first leaf covered, the last one negated and the highest price negated.
_SIZE, _NUMBER, _FIRST = 0, 1, 2


class Prices(NamedTuple):
    """The hierarchies of all columns, and the price of the lowest node that covers two."""

    offsets: NDArray[np.int64]  # (columns + 1,): where the nodes of each column begin
    first: NDArray[np.int32]  # (nodes,): first leaf below
    last: NDArray[np.int32]  # (nodes,): last leaf below, inclusive
    parents: NDArray[np.int32]  # (nodes,): number within the column; -1 for a root
    prices: NDArray[np.int64]  # (nodes,)
    common: NDArray[np.int32]  # common[at[c] + i · n + j]: the price of what covers the nodes i and j of column c, which has n
    at: NDArray[np.int64]  # (columns,): -1 for a column with too many nodes for a table

    @classmethod
    def of(cls, trees: Trees) -> Prices:
        offsets = np.append(trees.offsets, len(trees.parents)).astype(np.int64)
        sizes = np.diff(offsets)
        entries = np.where(sizes * sizes <= _TABLE, sizes * sizes, 0)
        at = np.where(entries > 0, np.cumsum(entries) - entries, -1)
        whole = trees.prices.astype(np.int64)
        made = cls(offsets, trees.first, trees.last, trees.parents, whole, np.empty(int(entries.sum()), np.int32), at)
        _tabulate(made)
        return made


@njit(cache=True, nogil=True)
def _tabulate(prices: Prices) -> None:
    for column in range(len(prices.at)):
        place = prices.at[column]
        if place >= 0:
            count = prices.offsets[column + 1] - prices.offsets[column]
            for one in range(count):
                for two in range(count):
                    prices.common[place] = prices.prices[prices.offsets[column] + _cover(prices, column, one, two)]
                    place += 1


@njit(cache=True, nogil=True)
def _cover(prices: Prices, column: int, one: int, two: int) -> int:
    """The lowest node that covers two."""
    at = prices.offsets[column]
    low, high = prices.first[at + two], prices.last[at + two]
    while prices.first[at + one] > low or prices.last[at + one] < high:
        one = prices.parents[at + one]
    return one


class State(NamedTuple):
    """Figures that change; (1,) each."""

    root: NDArray[np.int64]
    inner: NDArray[np.int64]  # inner nodes; the leaves come after them
    height: NDArray[np.int64]  # of the tree
    merges: NDArray[np.int64]  # so far
    small: NDArray[np.int64]  # classes that are too small


class Merges(NamedTuple):
    """Classes, the tree over those that are left, and the pairs they remember."""

    boxes: NDArray[np.int32]  # (classes, columns): the nodes each shows, by number within the column
    sizes: NDArray[np.int32]  # (classes,): records
    made: NDArray[np.int32]  # (classes,): merges before it was made
    into: NDArray[np.int64]  # (classes,): the class each was merged into; itself while it is there
    partners: NDArray[np.int32]  # (classes,): the other class of the pair each remembers; negative for none
    partner_made: NDArray[np.int32]  # (classes,): when that was made
    costs: NDArray[np.int64]  # (classes,): of the pair
    unions: NDArray[np.int64]  # (classes,): records of the pair
    places: NDArray[np.int32]  # (classes,): leaf
    tree: NDArray[np.int32]  # (nodes, 2 + 3 · columns): see above; _NONE throughout where no class is left
    children: NDArray[np.int32]  # (inner nodes, 2)
    parents: NDArray[np.int32]  # (nodes,): -1 for the root
    winners: NDArray[np.int32]  # (nodes,): the class that remembers the cheapest pair; -1 for none
    dearest: NDArray[np.int64]  # (nodes,): what the dearest pair remembered costs; -1 for none
    state: State

    @classmethod
    def of(cls, boxes: NDArray[np.int32], sizes: NDArray[np.int64], least: int) -> Merges:
        """boxes: (classes, columns); sizes: (classes,) records, fewer than 2^31 in all."""
        count, columns = boxes.shape
        state = State(*(np.zeros(1, np.int64) for _ in range(5)))
        state.small[0] = (sizes < least).sum()
        return cls(
            boxes.copy(),
            sizes.astype(np.int32),
            np.zeros(count, np.int32),
            np.arange(count),
            np.full(count, _NEVER_LOOKED, np.int32),
            np.zeros(count, np.int32),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count, np.int32),
            np.empty((2 * count, 2 + 3 * columns), np.int32),
            np.empty((count, 2), np.int32),
            np.empty(2 * count, np.int32),
            np.empty(2 * count, np.int32),
            np.empty(2 * count, np.int64),
            state,
        )

    @property
    def unfinished(self) -> bool:
        return bool(self.state.small[0] > 0 and self.state.merges[0] < len(self.sizes) - 1)


@njit(cache=True, nogil=True)
def plant(
    prices: Prices, merges: Merges, classes: NDArray[np.int64], keys: NDArray[np.uint64], least: int
) -> None:
    """Build the tree over the classes that are left. keys: (classes, words) of theirs, ascending; the last word counts most."""
    inner = len(classes) - 1
    merges.state.inner[0] = inner
    for i in range(len(classes)):
        merges.places[classes[i]] = inner + i
        _describe(prices, merges, classes[i])
    order = _part(merges, keys)
    for node in order:
        _summarize(merges, node)
    for c in classes:
        if merges.partners[c] == _NEVER_LOOKED and merges.sizes[c] < least:
            _look(prices, merges, c)
        _enter(merges, c)
    for node in order:
        _compete(merges, node)


@njit(cache=True, nogil=True)
def _part(merges: Merges, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Inner node i parts the classes up to i from those after it. Returns the inner nodes, children before parents."""
    count, words = keys.shape
    inner = count - 1
    bits = np.empty(inner, np.int64)
    for i in range(inner):
        bits[i] = _highest_bit(np.uint64(i ^ (i + 1))) - 64  # equal keys are parted evenly
        for word in range(words):
            if keys[i, word] != keys[i + 1, word]:
                bits[i] = _highest_bit(keys[i, word] ^ keys[i + 1, word]) + 64 * word
    order, done = np.empty(inner, np.int64), 0
    waiting, height = np.empty(count, np.int64), 0
    levels = np.zeros(2 * count, np.int64)
    node = inner
    for i in range(count):
        node = inner + i
        while height and (i == inner or bits[waiting[height - 1]] < bits[i]):
            height -= 1
            above = waiting[height]
            merges.children[above, 1] = node
            merges.parents[node] = above
            levels[above] = 1 + max(levels[merges.children[above, 0]], levels[node])
            order[done] = above
            done += 1
            node = above
        if i < inner:
            merges.children[i, 0] = node
            merges.parents[node] = i
            waiting[height] = i
            height += 1
    merges.parents[node] = -1
    merges.state.root[0] = node
    merges.state.height[0] = levels[node]
    return order


@njit(cache=True, nogil=True)
def _highest_bit(word: np.uint64) -> int:
    bit = 0
    while word > np.uint64(1):
        word >>= np.uint64(1)
        bit += 1
    return bit


@njit(cache=True, nogil=True)
def go_on(prices: Prices, merges: Merges, least: int, steps: int) -> None:
    """At most so many merges more. Done when no class is too small, or there is only one."""
    state, places = merges.state, merges.places
    while steps > 0 and state.small[0] > 0 and merges.winners[state.root[0]] >= 0:
        one = merges.winners[state.root[0]]
        two = merges.partners[one]
        if merges.into[two] != two or merges.made[two] != merges.partner_made[one]:
            _look(prices, merges, one)
            _climb(merges, one, False)
            continue
        steps -= 1
        one, two = min(one, two), max(one, two)
        state.small[0] -= (merges.sizes[one] < least) + (merges.sizes[two] < least)
        state.merges[0] += 1
        merges.into[two] = one
        merges.sizes[one] += merges.sizes[two]
        merges.made[one] = state.merges[0]
        state.small[0] += merges.sizes[one] < least
        for column in range(merges.boxes.shape[1]):
            merges.boxes[one, column] = _cover(prices, column, merges.boxes[one, column], merges.boxes[two, column])
        _describe(prices, merges, one)
        merges.tree[places[two]] = _NONE
        merges.partners[one] = merges.partners[two] = -1
        _climb(merges, two, True)
        _climb(merges, one, True)
        if merges.sizes[one] < least:
            _look(prices, merges, one)
            _climb(merges, one, False)
        else:
            _tell(prices, merges, one)


@njit(cache=True, nogil=True)
def _enter(merges: Merges, one: int) -> None:
    """The pair a class remembers takes part in the tournament."""
    there = merges.partners[one] >= 0
    merges.winners[merges.places[one]] = one if there else -1
    merges.dearest[merges.places[one]] = merges.costs[one] if there else -1


@njit(cache=True, nogil=True)
def _climb(merges: Merges, one: int, changed: bool) -> None:
    """Tell the nodes above a class what became of it, or only of the pair it remembers."""
    _enter(merges, one)
    node = merges.parents[merges.places[one]]
    while node >= 0:
        if changed:
            _summarize(merges, node)
        _compete(merges, node)
        node = merges.parents[node]


@njit(cache=True, nogil=True)
def _describe(prices: Prices, merges: Merges, one: int) -> None:
    """What the leaf of a class knows of it."""
    columns = merges.boxes.shape[1]
    node = merges.places[one]
    merges.tree[node, _SIZE], merges.tree[node, _NUMBER] = merges.sizes[one], one
    for column in range(columns):
        shown = prices.offsets[column] + merges.boxes[one, column]
        merges.tree[node, _FIRST + column] = prices.first[shown]
        merges.tree[node, _FIRST + columns + column] = -prices.last[shown]
        merges.tree[node, _FIRST + 2 * columns + column] = -prices.prices[shown]


@njit(cache=True, nogil=True)
def _summarize(merges: Merges, node: int) -> None:
    left, right = merges.children[node, 0], merges.children[node, 1]
    for i in range(merges.tree.shape[1]):
        merges.tree[node, i] = min(merges.tree[left, i], merges.tree[right, i])


@njit(cache=True, nogil=True)
def _compete(merges: Merges, node: int) -> None:
    one, two = merges.children[node, 0], merges.children[node, 1]
    left, right = merges.winners[one], merges.winners[two]
    merges.dearest[node] = max(merges.dearest[one], merges.dearest[two])
    if left < 0 or right < 0:
        merges.winners[node] = max(left, right)
    else:
        merges.winners[node] = left if _pair(merges, left) <= _pair(merges, right) else right


@njit(cache=True, nogil=True)
def _pair(merges: Merges, one: int) -> tuple[int, int, int, int]:
    """The order of pairs: cost, records, numbers."""
    partner = merges.partners[one]
    return merges.costs[one], merges.unions[one], min(one, partner), max(one, partner)


@njit(cache=True, nogil=True)
def _look(prices: Prices, merges: Merges, one: int) -> None:
    """Find the cheapest pair of a class."""
    tree, children = merges.tree, merges.children
    inner, root, size = merges.state.inner[0], merges.state.root[0], np.int64(merges.sizes[one])
    own, rows = _own(prices, merges, one)
    best_cost, best_union, best_low, best_high = np.iinfo(np.int64).max, np.int64(0), 0, 0
    partner = merges.partners[one]
    if partner >= 0:  # what the former partner is part of now is no bad start
        while merges.into[partner] != partner:
            partner = np.int32(merges.into[partner])
        best_cost = _cost(prices, merges.boxes, tree, own, rows, inner, merges.places[partner])
        best_union = size + merges.sizes[partner]
        best_low, best_high = min(one, partner), max(one, partner)
    stack, costs = np.empty(merges.state.height[0] + 2, np.int64), np.empty(merges.state.height[0] + 2, np.int64)
    start, height = np.int64(merges.places[one]), 0
    while height or start != root:
        if not height:  # first what stands near: it is alike, so it rules out much of the rest
            above = np.int64(merges.parents[start])
            near, far = np.int64(children[above, 0] + children[above, 1] - start), np.int64(-1)
            start = above
        else:
            height -= 1
            node, cost = stack[height], costs[height]
            if cost > best_cost:
                continue
            if node >= inner:
                number = tree[node, _NUMBER]
                union, low, high = size + tree[node, _SIZE], min(one, number), max(one, number)
                if (cost, union, low, high) < (best_cost, best_union, best_low, best_high):
                    best_cost, best_union, best_low, best_high, partner = cost, union, low, high, number
                continue
            near, far = np.int64(children[node, 0]), np.int64(children[node, 1])
        for child in (far, near):
            if child < 0 or tree[child, _SIZE] == _NONE:
                continue
            cost = _cost(prices, merges.boxes, tree, own, rows, inner, child)
            if cost <= best_cost:
                number = tree[child, _NUMBER]
                union, low, high = size + tree[child, _SIZE], min(one, number), max(one, number)
                if (cost, union, low, high) < (best_cost, best_union, best_low, best_high):
                    stack[height], costs[height] = child, cost
                    height += 1
                    if child == near and height > 1 and stack[height - 2] == far and costs[height - 2] < cost:
                        stack[height - 2], stack[height - 1] = near, far  # the cheaper one is looked at first
                        costs[height - 2], costs[height - 1] = cost, costs[height - 2]
    merges.costs[one], merges.unions[one] = best_cost, best_union
    merges.partners[one] = partner if partner >= 0 else -1
    if partner >= 0:
        merges.partner_made[one] = merges.made[partner]


@njit(cache=True, nogil=True)
def _tell(prices: Prices, merges: Merges, one: int) -> None:
    """Let the classes that are too small know of a new class, where it is cheaper than what they remember."""
    tree = merges.tree
    inner, size = merges.state.inner[0], np.int64(merges.sizes[one])
    own, rows = _own(prices, merges, one)
    stack, height = np.empty(merges.state.height[0] + 2, np.int64), 1
    stack[0] = merges.state.root[0]
    while height:
        height -= 1
        node = stack[height]
        if merges.dearest[node] < 0:
            continue
        cost = _cost(prices, merges.boxes, tree, own, rows, inner, node)
        if cost > merges.dearest[node]:
            continue
        if node < inner:
            stack[height], stack[height + 1] = merges.children[node, 0], merges.children[node, 1]
            height += 2
            continue
        other = tree[node, _NUMBER]
        union = size + tree[node, _SIZE]
        if other != one and (cost, union, min(one, other), max(one, other)) < _pair(merges, other):
            merges.costs[other], merges.unions[other], merges.partners[other] = cost, union, one
            merges.partner_made[other] = merges.made[one]
            _climb(merges, other, False)


@njit(cache=True, nogil=True)
def _own(prices: Prices, merges: Merges, one: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """What the leaf of a class knows of it, then its box; and where the tables have the rows of the box, -1 for no table."""
    columns = merges.boxes.shape[1]
    row = merges.tree.shape[1]
    own, rows = np.empty(row + columns, np.int32), np.empty(columns, np.int64)
    own[:row] = merges.tree[merges.places[one]]
    for column in range(columns):
        own[row + column] = merges.boxes[one, column]
        count = prices.offsets[column + 1] - prices.offsets[column]
        rows[column] = prices.at[column] + own[row + column] * count if prices.at[column] >= 0 else -1
    return own, rows


@njit(cache=True, nogil=True)
def _cost(
    prices: Prices,
    boxes: NDArray[np.int32],
    tree: NDArray[np.int32],
    own: NDArray[np.int32],
    rows: NDArray[np.int64],
    inner: int,
    node: int,
) -> int:
    """No merge of a class with one below a node costs less; for a leaf it is the cost."""
    columns = len(rows)
    last, top, box = _FIRST + columns, _FIRST + 2 * columns, _FIRST + 3 * columns
    up, other_up = 0, 0  # what one record of each side pays more
    for column in range(columns):
        other = own[box + column]
        if node >= inner:
            other = boxes[tree[node, _NUMBER], column]
        else:  # the nearest leaf; or the own value, if a class below may show the same: none costs less
            low, high = tree[node, _FIRST + column], -tree[node, last + column]
            other = high if high < own[_FIRST + column] else other
            other = low if low > -own[last + column] else other
        if rows[column] >= 0:
            price = np.int64(prices.common[rows[column] + other])
        else:
            price = prices.prices[prices.offsets[column] + _cover(prices, column, own[box + column], other)]
        up += price + own[top + column]
        other_up += max(price + tree[node, top + column], 0)
    return own[_SIZE] * up + tree[node, _SIZE] * other_up
