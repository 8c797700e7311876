"""Perfect matchings of a ring, counted by a transfer matrix over windows (003-6)."""

from __future__ import annotations

from collections import Counter


def transfer_count(records, k):
    """Original i may take the places i … i + k − 1. A state tells which of the next k − 1 places are taken already.

    Around the ring it has to come back to what it began with: places that the last originals take of the first ones.
    """
    total = 0
    for wrapped in range(1 << (k - 1)):  # places 0 … k − 2 that will be taken by the last originals
        states = Counter({wrapped: 1})
        for _ in range(records):
            following: Counter[int] = Counter()
            for taken, ways in states.items():
                for step in range(k):
                    if not taken >> step & 1:
                        now = taken | 1 << step
                        if now & 1:  # the place that falls out of the window is taken by someone, or never will be
                            following[now >> 1] += ways
            states = following
        total += states[wrapped]
    return total
