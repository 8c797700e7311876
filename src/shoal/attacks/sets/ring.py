"""What one known identity tells about others when records match in a ring (paper 003, section 4.2; ERRATA 003-3).

An attacker who knows nothing has a chance of 1 in k. One who knows which published record is whose for a single person would, if
assignments were independent, have at most 1 in k − 1 for any other. On a ring the assignments of neighbours depend on each other,
and the chance is higher. It is measured: assignments are extracted as for a release, all of them equally likely.

It grows with the ring and then stays: for k = 5 it is 0.33 on a ring of 20 records, 0.39 of 100, and 0.40 of 300 and of 5,000.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDS = 1000  # of the ring that is measured
PLACES = 160_000  # counted for each k: the figure is then off by less than 0.01


def joint_knowledge(records: int, k: int, *, random: Callable[[int], bytes] = os.urandom) -> float:
    """The highest chance to place another record rightly, when the place of one is known. records: of the ring, k or more."""
    from shoal.kernels.sets.closed_walk import assignments

    number = min(records, RECORDS)
    runs = -(-PLACES // (number * k))
    rounds = np.concatenate([assignments(number, k, random) for _ in range(runs)])  # (runs · k, records) steps onward
    highest = 0.0
    # records that are k or more apart share no place; twice as far is looked at
    for apart in {step % number for step in range(1 - 2 * k, 2 * k)} - {0}:
        # a ring looks the same from every record, so all pairs this far apart are counted together
        pairs = rounds.astype(np.int64) * k + np.roll(rounds, -apart, axis=1)
        together = np.bincount(pairs.ravel(), minlength=k * k).reshape(k, k)
        highest = max(highest, float((together / np.maximum(together.sum(axis=1, keepdims=True), 1)).max()))
    return highest
