"""A floor that knows of class mates: whoever shares a class with an expensive record pays as much as that record.

`floor.py` says what each record pays at least, f(r). All records of a class C pay the same, p(C): so two records r and s of one
class pay at least c(r, s) = max(f(r), f(s), the price of the smallest box around both), each.

**Claim.** For any numbers u(r), and no record suppressed, all records together pay at least

    sum of u(r) over all records  -  1/(k-1) · sum of max(0, u(r) + u(s) - 2 c(r, s)) over all pairs of records.

**Proof.** A record of C has |C| - 1 mates, so its p(C) - u(r) is the sum of (p(C) - u(r)) / (|C| - 1) over the pairs it is in. All
records together therefore pay the sum of u, and for every pair of mates (2 p(C) - u(r) - u(s)) / (|C| - 1). Each of
these is at least -max(0, u(r) + u(s) - 2 c(r, s)) / (k - 1), since p(C) is at least c(r, s) and |C| at least k. Pairs that are no
mates only make the claim weaker.

With u = f no pair counts (f(r) + f(s) ≤ 2 c), and this is the floor as it was. From there the shares of the most expensive tuples
are raised one after the other, each to where k - 1 mates begin to count, and only where the bound rises by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.tables.mates import raise_shares
from shoal.loss.loss import CellLoss

if TYPE_CHECKING:
    from shoal.methods.tables.floor import Floor
    from shoal.methods.tables.ground import Ground


_PAIRS = 8_000_000  # of tuples that are looked at: about a second


def floor_with_mates(ground: Ground, floor: Floor, most: int | None = None, passes: int = 1) -> float:
    """A loss that no release without suppression undercuts, and no lower than the floor. With suppression it is the floor.

    most: tuples whose shares are raised; as many as can be in about a second, unless it is given.
    """
    if ground.problem.suppression or ground.k < 2 or not isinstance(ground.problem.loss, CellLoss):
        return floor.loss
    frequency = ground.frequency
    if most is None:
        most = _PAIRS // len(frequency.counts)
    counts = frequency.counts.astype(np.int64)
    floors = np.ascontiguousarray(floor.prices)
    which = np.argsort(-floors, kind="stable")[:most].astype(np.int64)
    shares = floors.copy()
    gained = 0.0
    for _ in range(passes):
        gained += raise_shares(ground.priced, frequency.codes, counts, floors, shares, which, ground.k)
    return floor.loss + max(0.0, gained / frequency.rows * (1 - 1e-9))  # rounding must not make it too high
