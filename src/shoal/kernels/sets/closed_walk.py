"""Disjoint assignments from a ring of records, by closed walks (paper 003, Algorithm 1).

On a ring every original record may become the published record at its own place or at one of the k − 1 places after it. In
every round each original gets one of its places that no earlier round has given it, so that k rounds use every edge exactly
once. A round begins with everyone at the own place, valid or not. A walk starts at an original that has had no turn: it goes to
a place, to the original that holds that place now, on to another place of that one, until it comes back to the place where it
began. Places that were not yet visited are preferred; where there is none the walk goes back to one that was, along an edge it
has not used. From the places visited the last way onward is followed, which leaves detours out (003-11).

A single round is far from uniform (003-2). Whoever picks one of all k rounds uniformly gets every edge with probability 1/k.

Random numbers are handed in. When they are used up the walk stops where it is, and goes on with the next ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

# places in `Walk.state`
_ROUND, _WALK, _START, _FIRST, _AT, _LEFT, STEPS = range(7)
_CALL = 1 << 16  # random numbers asked for at a time


class Walk(NamedTuple):
    """All there is to know about an extraction that may be stopped at any step."""

    offers: NDArray[
        np.int32
    ]  # (records, k) steps onward; those not used in earlier rounds first, of them those of this walk last
    gone: NDArray[np.int32]  # (records,): how many were used in the walk `walked`
    walked: NDArray[np.int64]  # (records,)
    seen: NDArray[np.int64]  # (places,): the walk that was here last
    child: NDArray[np.int64]  # (places,): where it went from here
    holder: NDArray[np.int64]  # (places,): the original that holds the place in this round
    place: NDArray[np.int64]  # (records,): the inverse
    left: NDArray[np.int64]  # (records,): those that have had no turn in this round come first
    where: NDArray[np.int64]  # (records,): the inverse
    rounds: NDArray[np.int32]  # (k, records): what each round has given: steps onward
    state: NDArray[np.int64]  # (7,)

    @classmethod
    def around(cls, records: int, k: int) -> Walk:
        each = np.arange(records)
        state = np.zeros(7, np.int64)
        state[_START], state[_LEFT] = -1, records
        return cls(
            np.tile(np.arange(k, dtype=np.int32), (records, 1)),
            np.zeros(records, np.int32),
            np.full(records, -1, np.int64),
            np.full(records, -1, np.int64),
            np.zeros(records, np.int64),
            each.copy(),
            each.copy(),
            each.copy(),
            each.copy(),
            np.zeros((k, records), np.int32),
            state,
        )


def assignments(records: int, k: int, random: Callable[[int], bytes]) -> NDArray[np.int32]:
    """(k, records): in each of k assignments, by how many steps along the ring every record moves.

    random: so many bytes, each as likely as any other.
    """
    walk = Walk.around(records, k)
    while not walk_on(walk, np.frombuffer(random(4 * _CALL), np.uint32)):
        pass
    return walk.rounds


@kernel
def walk_on(walk: Walk, numbers: NDArray[np.uint32]) -> bool:
    """Go on until the random numbers are used up. Returns whether all is done."""
    state = walk.state
    k = walk.offers.shape[1]
    used = 0
    while state[_ROUND] < k:
        if state[_START] < 0:
            number, used = _below(state[_LEFT], numbers, used)
            if number < 0:
                return False
            state[_START] = walk.left[number]
            state[_WALK] += 1
            state[_FIRST] = -1
        here = state[_START] if state[_FIRST] < 0 else walk.holder[state[_AT]]
        to, used = _pick(walk, here, numbers, used)
        if to < 0:
            return False
        state[STEPS] += 1
        if state[_FIRST] < 0:
            state[_FIRST] = to
        else:
            walk.child[state[_AT]] = to
        state[_AT] = to
        walk.seen[to] = state[_WALK]
        if to == state[_START]:  # it has had no turn, so it still holds its own place
            _close(walk)
            if state[_LEFT] == 0:
                _end_round(walk)
    return True


@kernel
def _below(limit: int, numbers: NDArray[np.uint32], used: int) -> tuple[int, int]:
    """A number below the limit, all equally likely, and how many random numbers are used now; -1: there are too few."""
    if limit == 1:
        return 0, used
    fair = (1 << 32) // limit * limit
    while used < len(numbers):
        number = int(numbers[used])
        used += 1
        if number < fair:
            return number % limit, used
    return -1, used


@kernel
def _pick(walk: Walk, here: int, numbers: NDArray[np.uint32], used: int) -> tuple[int, int]:
    """The next place for an original; -1: there are too few random numbers, and all stands as it stood."""
    count, k = walk.offers.shape
    offers = walk.offers[here]
    now = walk.state[_WALK]
    gone = walk.gone[here] if walk.walked[here] == now else 0
    open_ = k - walk.state[_ROUND] - gone
    # In random order, until a place is new: each new one is as likely as the others. Those that are not new are laid aside.
    chosen, rest = -1, open_
    while chosen < 0 and rest > 0:
        number, used = _below(rest, numbers, used)
        if number < 0:
            return -1, used
        if walk.seen[(here + offers[number]) % count] != now:
            chosen = number
        else:
            rest -= 1
            offers[number], offers[rest] = offers[rest], offers[number]
    if chosen < 0:
        chosen, used = _below(open_, numbers, used)
        if chosen < 0:
            return -1, used
    offers[chosen], offers[open_ - 1] = offers[open_ - 1], offers[chosen]
    walk.gone[here] = gone + 1
    walk.walked[here] = now
    return (here + offers[open_ - 1]) % count, used


@kernel
def _close(walk: Walk) -> None:
    """Everyone on the walk, detours left out, moves to the place that comes next."""
    state = walk.state
    mover, to = state[_START], state[_FIRST]
    while True:
        before = walk.holder[to]
        walk.holder[to] = mover
        walk.place[mover] = to
        at = walk.where[mover]
        if at < state[_LEFT]:
            state[_LEFT] -= 1
            last = walk.left[state[_LEFT]]
            walk.left[at], walk.left[state[_LEFT]] = last, mover
            walk.where[last], walk.where[mover] = at, state[_LEFT]
        if to == state[_START]:
            break
        mover, to = before, walk.child[to]
    state[_START] = -1


@kernel
def _end_round(walk: Walk) -> None:
    count, k = walk.offers.shape
    open_ = k - walk.state[_ROUND]
    for one in range(count):
        step = (walk.place[one] - one) % count
        walk.rounds[walk.state[_ROUND], one] = step
        for i in range(open_):
            if walk.offers[one, i] == step:
                walk.offers[one, i], walk.offers[one, open_ - 1] = walk.offers[one, open_ - 1], step
                break
        walk.holder[one] = walk.place[one] = one
    walk.state[_LEFT] = count
    walk.state[_ROUND] += 1
