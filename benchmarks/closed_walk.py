"""Closed walks against walks that backtrack, as in paper 003, Fig. 7 (a) and (b).

    python benchmarks/closed_walk.py [--steps N]

Extracts all k disjoint assignments from rings: k = 2 … 16 on as many records as Pumsb has, and k = 16 on 1 to 16 times the
records of Chess. A walk that backtracks never goes to a place it has seen; where there is no other it takes its last step back
(Wong, Mamoulis and Cheung, the paper's reference [24]). A step is one place gone to or one step taken back.

The paper does not say whether a place that was given up may be gone to again along another way. If not (`marks kept`), a walk
looks at each edge once, which is the O(k n²) that the paper states for it. If so (`marks forgotten`), the search is that of a
simple cycle, which has no such bound: it is stopped after N steps (20 million without it), and `rounds` tells how many of k
were finished by then.

Prints one JSON object. Seconds are without making random numbers for those that backtrack, and with it for the closed walk.
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

from shoal.kernels.closed_walk import STEPS, Walk, walk_on

CHESS, PUMSB = 3196, 49_046


@njit(cache=True)
def backtrack(
    offers: NDArray[np.int32], open_: int, numbers: NDArray[np.uint32], used: int, most: int, forget: bool
) -> tuple[NDArray[np.int64], int, int]:
    """One round: the place of every record, the steps it took, and the random numbers used; no places where they ran out."""
    count = len(offers)
    holder, place = np.arange(count), np.arange(count)
    left, where = np.arange(count), np.arange(count)
    size, steps, walk = count, 0, 0
    seen = np.full(count, -1)
    tried = np.zeros(count, np.int64)  # edges of an original that this walk has tried: the last ones of its offers
    fresh = np.full(count, -1)
    path = np.empty(count + 1, np.int64)  # places
    while size:
        if used + 1 >= len(numbers) or steps > most:
            return place[:0], steps, used
        start = left[numbers[used] % size]
        used += 1
        depth = 0
        while True:
            one = start if depth == 0 else holder[path[depth - 1]]
            if fresh[one] != walk:
                fresh[one], tried[one] = walk, 0
            to = -1
            while tried[one] < open_ and to < 0:
                if used >= len(numbers):
                    return place[:0], steps, used
                remaining = open_ - tried[one]
                at = numbers[used] % remaining
                used += 1
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
                    return place[:0], steps, used
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
    return place, steps, used


def backtracking(records: int, k: int, most: int, *, forget: bool) -> dict[str, Any]:
    """Until all rounds are done, or so many steps are made."""
    offers = np.tile(np.arange(k, dtype=np.int32), (records, 1))
    each = np.arange(records)
    steps, done, seconds = 0, 0, 0.0
    while done < k and steps <= most:
        numbers = np.frombuffer(os.urandom(4 * min(1 << 26, 60 * records * k + (1 << 16))), np.uint32)
        begun = time.perf_counter()
        place, taken, _ = backtrack(offers, k - done, numbers, 0, most - steps, forget)
        seconds += time.perf_counter() - begun
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
    begun = time.perf_counter()
    while not walk_on(walk, np.frombuffer(os.urandom(1 << 18), np.uint32)):
        pass
    return {"rounds": k, "steps": int(walk.state[STEPS]), "seconds": round(time.perf_counter() - begun, 2)}


def compare(records: int, k: int, most: int) -> dict[str, Any]:
    return {
        "records": records,
        "k": k,
        "closed walk": closed(records, k),
        "backtracking, marks kept": backtracking(records, k, most, forget=False),
        "backtracking, marks forgotten": backtracking(records, k, most, forget=True),
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--steps", type=int, default=20_000_000, help="for each extraction that backtracks")
    asked = arguments.parse_args()
    compare(50, 4, 1000)  # compile
    print(
        json.dumps(
            {
                "1 to 16 times Chess, k = 16": [compare(CHESS * n, 16, asked.steps) for n in (1, 2, 4, 8, 16)],
                "as many records as Pumsb": [compare(PUMSB, k, asked.steps) for k in (2, 4, 8, 16)],
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
