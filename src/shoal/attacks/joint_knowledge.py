"""What someone who knows one identity learns about the others, in a release by blocks and by a ring (003-3).

In a block of b records whoever knows x of them has 1 / (b − x) for each of the others, and nothing about other blocks. On a
ring one known record tells something about its neighbours, because no two records have the same place. How much is worked out
by drawing many assignments as the method does, on a ring that is short enough to look at all pairs; ideal would be 1 / (k − 1).
Rings of k = 2 and k = 3 are no rings to publish: the longer they are, the nearer it comes to certainty.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.closed_walk import assignments

if TYPE_CHECKING:
    from collections.abc import Callable

_PAIRS = 40_000  # of a known record and an assignment, by which each figure is estimated
_LONG = 5  # times k: records of a ring that stands for longer ones


def ring_posterior(records: int, k: int, *, pairs: int = _PAIRS, random: Callable[[int], bytes] = os.urandom) -> float:
    """The highest probability of any match of another record when one true match is known, estimated by so many pairs."""
    together = np.zeros((k, records, k), np.int64)  # known step, how far the other record is, its step
    turns = (np.arange(records)[:, None] + np.arange(records)) % records
    runs = max(1, -(-pairs // records))
    for _ in range(runs):
        for steps in assignments(records, k, random):
            np.add.at(together, (steps[:, None], np.arange(records)[None, :], steps[turns]), 1)
    return float(together[:, 1:].max() / (runs * records))


def joint_knowledge(records: int, k: int) -> float:
    """The figure for the report on a ring of so many records: long rings are represented by one of 5k records."""
    return ring_posterior(min(records, _LONG * k), k)


def block_posterior(size: int, known: int) -> float:
    """Of a record in a block of so many, when so many others of it are known."""
    return 1.0 / max(size - known, 1)
