"""Closed walks against walks that backtrack, as in paper 003, Fig. 7 (a) and (b).

    python -m benchmarks.sets.closed_walk [--steps N] [--copies 1,2,4,8,16] [--k 2,4,8,16]

Extracts all k disjoint assignments from rings: k = 2 … 16 on as many records as Pumsb has, and k = 16 on 1 to 16 times the
records of Chess. A walk that backtracks never goes to a place it has seen; where there is no other it takes its last step back
(Wong, Mamoulis and Cheung, the paper's reference [24]). A step is one place gone to or one step taken back.

The paper does not say whether a place that was given up may be gone to again along another way. If not (`marks kept`), a walk
looks at each edge once, which is the O(k n²) that the paper states for it. If so (`marks forgotten`), the search is that of a
simple cycle, which has no such bound: it is stopped after N steps (20 million without it), and `rounds` tells how many of k
were finished by then.

Prints one JSON object. Seconds are of one core. Those that backtrack take cheap random numbers, the closed walk those of the
operating system.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from shoal.kernels.sets.closed_walk import STEPS, Walk, walk_on

CHESS, PUMSB = 3196, 49_046


@njit(cache=True)
def below(limit: int, random: NDArray[np.uint64]) -> int:
    """Xorshift: this is measured, not published."""
    random[0] ^= random[0] << np.uint64(13)
    random[0] ^= random[0] >> np.uint64(7)
    random[0] ^= random[0] << np.uint64(17)
    return int(random[0] % np.uint64(limit))


@njit(cache=True)
def backtrack(
    offers: NDArray[np.int32], open_: int, random: NDArray[np.uint64], most: int, forget: bool
) -> tuple[NDArray[np.int64], int]:
    """One round: the place of every record, and the steps it took; no places where they were too many."""
    count = len(offers)
    holder, place = np.arange(count), np.arange(count)
    left, where = np.arange(count), np.arange(count)
    size, steps, walk = count, 0, 0
    seen = np.full(count, -1)
    tried = np.zeros(count, np.int64)  # edges of an original that this walk has tried: the last ones of its offers
    fresh = np.full(count, -1)
    path = np.empty(count + 1, np.int64)  # places
    while size:
        start = left[below(size, random)]
        depth = 0
        while True:
            one = start if depth == 0 else holder[path[depth - 1]]
            if fresh[one] != walk:
                fresh[one], tried[one] = walk, 0
            to = -1
            while tried[one] < open_ and to < 0:
                remaining = open_ - tried[one]
                at = below(remaining, random)
                step = offers[one, at]
                offers[one, at], offers[one, remaining - 1] = offers[one, remaining - 1], step
                tried[one] += 1
                if seen[(one + step) % count] != walk:
                    to = (one + step) % count
            steps += 1
            if to < 0:
                depth -= 1
                if forget:  # the place may be gone to again, along another way
                    seen[path[depth]] = -1
                    fresh[one] = -1
                if steps > most:
                    return place[:0], steps
                continue
            path[depth] = to
            depth += 1
            seen[to] = walk
            if to == start:
                break
        mover = start
        for i in range(depth):
            before = holder[path[i]]
            holder[path[i]], place[mover] = mover, path[i]
            at = where[mover]
            if at < size:
                size -= 1
                last = left[size]
                left[at], left[size] = last, mover
                where[last], where[mover] = at, size
            mover = before
        walk += 1
    return place, steps


def backtracking(records: int, k: int, most: int, *, forget: bool) -> dict[str, Any]:
    """Until all rounds are done, or so many steps are made."""
    offers = np.tile(np.arange(k, dtype=np.int32), (records, 1))
    each = np.arange(records)
    steps, done, seconds = 0, 0, 0.0
    random = np.array([88172645463325252], np.uint64)
    while done < k and steps <= most:
        begun = time.process_time()
        place, taken = backtrack(offers, k - done, random, most - steps, forget)
        seconds += time.process_time() - begun
        steps += taken
        if not len(place):
            break
        moved = (place - each) % records
        at = (offers[:, : k - done] == moved[:, None]).argmax(axis=1)
        offers[each, at], offers[each, k - done - 1] = offers[each, k - done - 1], moved
        done += 1
    return {"rounds": done, "steps": int(steps), "seconds": round(seconds, 2)}


def closed(records: int, k: int) -> dict[str, Any]:
    walk = Walk.around(records, k)
    begun = time.process_time()
    while not walk_on(walk, np.frombuffer(os.urandom(1 << 18), np.uint32)):
        pass
    return {"rounds": k, "steps": int(walk.state[STEPS]), "seconds": round(time.process_time() - begun, 2)}


def compare(records: int, k: int, most: int) -> dict[str, Any]:
    return {
        "records": records,
        "k": k,
        "closed walk": closed(records, k),
        "backtracking, marks kept": backtracking(records, k, most, forget=False),
        "backtracking, marks forgotten": backtracking(records, k, most, forget=True),
    }


def numbers(given: str) -> list[int]:
    return [int(one) for one in given.split(",")]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--steps", type=int, default=20_000_000, help="for each extraction that backtracks")
    arguments.add_argument("--copies", default="1,2,4,8,16", help="so many times Chess")
    arguments.add_argument("--k", default="2,4,8,16")
    asked = arguments.parse_args()
    compare(50, 4, 1000)  # compile
    print(
        json.dumps(
            {
                "1 to 16 times Chess, k = 16": [compare(CHESS * n, 16, asked.steps) for n in numbers(asked.copies)],
                "as many records as Pumsb": [compare(PUMSB, k, asked.steps) for k in numbers(asked.k)],
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
