"""What records with expensive boxes cost those who share a class with them: the ascent behind `methods/tables/mates.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.tables.boxes import joint_price

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tables.boxes import Trees


@kernel
def raise_shares(
    trees: Trees,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    floors: NDArray[np.float64],
    shares: NDArray[np.float64],
    which: NDArray[np.int64],
    k: int,
) -> float:
    """Give each of these tuples, one after the other, the share that raises the bound most; returns by how much it rose.

    shares: (tuples,) changed in place. Of a tuple, with the others fixed, that is where k - 1 mates begin to pay.
    """
    tuples = len(codes)
    meets = np.empty(tuples, np.float64)  # the share from which on a pair counts: 2 c - the share of the other
    taken = np.empty(tuples, np.bool_)
    gained = 0.0
    for t in which:
        for s in range(tuples):
            # a pair beyond this cannot count: no share is raised above twice what the tuple pays at least
            price = joint_price(trees, codes[t], codes[s], floors[t] + 0.5 * shares[s])
            meets[s] = 2.0 * max(price, floors[t], floors[s]) - shares[s]
        meets[t] = floors[t]
        # sorting takes long to compile, and few are asked for: the least one again and again
        taken[:] = False
        mates, best = 0, floors[t]
        while mates < k - 1:
            least = -1
            for s in range(tuples):
                if not taken[s] and (least < 0 or meets[s] < meets[least]):
                    least = s
            if least < 0:
                break
            taken[least] = True
            mates += counts[least] - (1 if least == t else 0)
            best = min(meets[least], 2.0 * floors[t])
        if best <= shares[t]:
            continue
        old, paid, paid_before = shares[t], 0.0, 0.0
        for s in range(tuples):
            if s == t:
                pairs = 0.5 * (counts[t] - 1)
                paid += pairs * max(0.0, 2.0 * (best - floors[t]))
                paid_before += pairs * max(0.0, 2.0 * (old - floors[t]))
            else:
                paid += counts[s] * max(0.0, best - meets[s])
                paid_before += counts[s] * max(0.0, old - meets[s])
        gain = counts[t] * (best - old - (paid - paid_before) / (k - 1))
        if gain > 0.0:
            shares[t] = best
            gained += gain
    return gained
