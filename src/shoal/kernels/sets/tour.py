"""Making an order of item sets shorter, segment by segment, with the first and the last set of every segment in their place.

Two local searches take turns until neither finds anything: 2-opt turns a stretch of the order round, and Or-opt puts a stretch
of up to three sets elsewhere, either way round. Both look only where a set would get one of its nearest others beside it, and a
set is looked at again only after something beside it has changed. Then two stretches that stand side by side change places, the
search goes on from there, and what it leads to is kept unless it is longer; again and again, in places spread by a fixed hash.

All is decided by whole numbers, ties by place, so that the same sets in the same order give the same tour. The given order is
never made longer. `benchmarks/sets/tour.py` compares this with other starts, without the exchanges, and with packaged solvers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.sets.differences import differences

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEIGHBOURS = 8  # nearest others of a set that a move may bring beside it
_STRETCH = 3  # sets that Or-opt moves together at most
_EXCHANGED = 30  # sets of a stretch that changes places with the next one at most
_NO_END = np.iinfo(np.int64).max
_UNDONE = 1024  # turns that can be taken back after an exchange; a search that needs more is ended

GIVEN, NEAREST = 0, 1  # what the improvement begins with


class Tour(NamedTuple):
    """A path that is being improved."""

    apart: NDArray[np.int32]  # (sets, sets)
    near: NDArray[np.int64]  # (sets, neighbours)
    path: NDArray[np.int64]  # (sets,)
    place: NDArray[np.int64]  # (sets,): where each set is on the path
    waiting: NDArray[np.int64]  # (sets,): a ring of sets to look at
    queued: NDArray[np.bool_]  # (sets,): whether a set is among them
    turns: NDArray[np.int64]  # (_UNDONE, 2): stretches turned round since the last exchange
    state: NDArray[np.int64]  # (3,): where the ring begins, how many wait, how many turns


@kernel
def shorten(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    universe: int,
    order: NDArray[np.int64],
    cuts: NDArray[np.int64],
    start: int,
    exchanges: int,
) -> NDArray[np.int64]:
    """(sets,): the order with every segment improved.

    cuts: (segments + 1,) where segments begin; start: GIVEN or NEAREST; exchanges: for every set of a segment.
    """
    improved = order.copy()
    numbers = np.full(universe, -1, np.int64)
    for s in range(len(cuts) - 1):
        low, count = cuts[s], cuts[s + 1] - cuts[s]
        if count < 4:
            continue  # at most two sets could change places; the ends stay
        apart = differences(offsets, items, order[low : low + count], numbers)
        path = np.arange(count) if start == GIVEN else _greedy(apart)
        tour = Tour(
            apart,
            _nearest(apart),
            path,
            np.argsort(path),
            path.copy(),
            np.ones(count, np.bool_),
            np.empty((_UNDONE, 2), np.int64),
            np.array([0, count, 0]),
        )
        _search(tour, _NO_END)
        _exchange(tour, exchanges * count)
        if _length(apart, path) < _length(apart, np.arange(count)):
            for i in range(count):
                improved[low + i] = order[low + path[i]]
    return improved


@kernel
def _length(apart: NDArray[np.int32], path: NDArray[np.int64]) -> int:
    total = 0
    for i in range(len(path) - 1):
        total += apart[path[i], path[i + 1]]
    return total


@kernel
def _nearest(apart: NDArray[np.int32]) -> NDArray[np.int64]:
    """(sets, neighbours): the nearest others of each set, ties by number."""
    count = len(apart)
    size = min(_NEIGHBOURS, count - 1)
    near = np.empty((count, size), np.int64)
    for i in range(count):
        found = 0
        for j in range(count):
            if j == i or (found == size and apart[i, j] >= apart[i, near[i, size - 1]]):
                continue
            at = found if found < size else size - 1
            while at > 0 and apart[i, near[i, at - 1]] > apart[i, j]:
                near[i, at] = near[i, at - 1]
                at -= 1
            near[i, at] = j
            found = min(found + 1, size)
    return near


@kernel
def _greedy(apart: NDArray[np.int32]) -> NDArray[np.int64]:
    """From the first set always to the nearest that is left, the last one excepted."""
    count = len(apart)
    path = np.arange(count)
    for place in range(1, count - 1):
        here, at = path[place - 1], place
        for i in range(place + 1, count - 1):
            less = apart[here, path[i]] - apart[here, path[at]]
            if less < 0 or (less == 0 and path[i] < path[at]):
                at = i
        path[place], path[at] = path[at], path[place]
    return path


@kernel
def _exchange(tour: Tour, times: int) -> None:
    """Exchange neighbouring stretches, search, and take back what did not help."""
    path, apart = tour.path, tour.apart
    most = min(_EXCHANGED, (len(path) - 2) // 2)
    for time in range(times):
        one = 1 + _hash(time, 0) % most
        two = 1 + _hash(time, 1) % most
        low = 1 + _hash(time, 2) % (len(path) - 1 - one - two)
        middle, high = low + one, low + one + two - 1
        before, after = path[low - 1], path[high + 1]
        gain = apart[before, path[low]] + apart[path[middle - 1], path[middle]] + apart[path[high], after]
        gain -= apart[before, path[middle]] + apart[path[high], path[low]] + apart[path[middle - 1], after]
        tour.state[2] = 0
        for at in (low - 1, low, middle - 1, middle, high, high + 1):
            _look(tour, path[at])
        _reverse(tour, low, middle - 1)
        _reverse(tour, middle, high)
        _reverse(tour, low, high)
        gain += _search(tour, _UNDONE - 3)  # a move is three turns at most
        if gain < 0:
            for turn in range(tour.state[2] - 1, -1, -1):
                _reverse(tour, tour.turns[turn, 0], tour.turns[turn, 1])


@kernel
def _hash(number: int, salt: int) -> int:
    """Splitmix64: numbers in a row come out spread evenly."""
    mixed = np.uint64(number) * np.uint64(3) + np.uint64(salt + 1)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return int((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(33))


@kernel
def _look(tour: Tour, one: int) -> None:
    """Put a set among those to look at."""
    if not tour.queued[one]:
        tour.queued[one] = True
        tour.waiting[(tour.state[0] + tour.state[1]) % len(tour.waiting)] = one
        tour.state[1] += 1


@kernel
def _search(tour: Tour, most: int) -> int:
    """Until no move makes the path shorter, or so many turns are made. Returns by how much it became shorter."""
    state = tour.state
    gained = 0
    while state[1] and state[2] < most:
        here = tour.waiting[state[0]]
        state[0] = (state[0] + 1) % len(tour.waiting)
        state[1] -= 1
        tour.queued[here] = False
        gain = _turn(tour, here)
        if gain == 0:
            gain = _move(tour, here)
        gained += gain
    while state[1]:
        state[1] -= 1
        tour.queued[tour.waiting[(state[0] + state[1]) % len(tour.waiting)]] = False
    return gained


@kernel
def _turn(tour: Tour, here: int) -> int:
    """The best 2-opt move that puts a near set beside this one. Returns what it saves; 0: there is none."""
    apart, path, place = tour.apart, tour.path, tour.place
    last = len(path) - 1
    i = place[here]
    ahead = apart[here, path[i + 1]] if i < last else -1
    back = apart[here, path[i - 1]] if i > 0 else -1
    best, low, high = 0, 0, 0
    for there in tour.near[here]:
        new = apart[here, there]
        if new >= ahead and new >= back:
            break  # the others are no nearer
        j = place[there]
        # beside each other, with the sets behind them joined: turn what lies between
        if new < ahead and j < last:
            gain = ahead + apart[there, path[j + 1]] - new - apart[path[i + 1], path[j + 1]]
            if gain > best:
                best, low, high = gain, min(i, j) + 1, max(i, j)
        # the same with the sets before them
        if new < back and j > 0:
            gain = back + apart[there, path[j - 1]] - new - apart[path[i - 1], path[j - 1]]
            if gain > best:
                best, low, high = gain, min(i, j), max(i, j) - 1
    if best > 0:
        for at in (low - 1, low, high, high + 1):
            _look(tour, path[at])
        _reverse(tour, low, high)
    return best


@kernel
def _move(tour: Tour, here: int) -> int:
    """The best Or-opt move of a stretch that begins or ends with this set, so that a near set comes to stand beside it."""
    apart, path, place = tour.apart, tour.path, tour.place
    count = len(path)
    i = place[here]
    best, best_low, best_high, best_gap, best_turned = 0, 0, 0, 0, False
    for size in range(1, _STRETCH + 1):
        for side in range(2):
            low = i if side == 0 else i - size + 1
            high = low + size - 1
            if low < 1 or high > count - 2 or (side == 1 and size == 1):
                continue
            before, after = path[low - 1], path[high + 1]
            other = path[high] if side == 0 else path[low]
            saved = apart[before, path[low]] + apart[path[high], after] - apart[before, after]
            if saved <= best:
                continue
            for there in tour.near[here]:
                if apart[here, there] >= saved:
                    break
                j = place[there]
                if low <= j <= high:
                    continue
                for behind in range(2):
                    gap = j if behind else j - 1  # the stretch comes after this place
                    if gap < 0 or gap > count - 2 or gap == low - 1 or gap == high:
                        continue
                    beyond = path[gap + 1] if behind else path[gap]
                    gain = saved + apart[there, beyond] - apart[there, here] - apart[other, beyond]
                    if gain > best:
                        turned = (behind == 1) == (side == 1)
                        best, best_low, best_high, best_gap, best_turned = gain, low, high, gap, turned
    if best == 0:
        return 0
    for at in (best_low - 1, best_low, best_high, best_high + 1, best_gap, best_gap + 1):
        _look(tour, path[at])
    # a stretch goes elsewhere by two turns, of what it passes and of both together, and comes out turned round
    if not best_turned:
        _reverse(tour, best_low, best_high)
    if best_gap > best_high:
        _reverse(tour, best_high + 1, best_gap)
        _reverse(tour, best_low, best_gap)
    else:
        _reverse(tour, best_gap + 1, best_low - 1)
        _reverse(tour, best_gap + 1, best_high)
    return best


@kernel
def _reverse(tour: Tour, low: int, high: int) -> None:
    if tour.state[2] < len(tour.turns):
        tour.turns[tour.state[2], 0] = low
        tour.turns[tour.state[2], 1] = high
    tour.state[2] += 1
    while low < high:
        tour.path[low], tour.path[high] = tour.path[high], tour.path[low]
        tour.place[tour.path[low]] = low
        tour.place[tour.path[high]] = high
        low += 1
        high -= 1
