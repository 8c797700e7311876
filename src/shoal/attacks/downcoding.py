"""Downcoding: somebody guesses what a blurred record was before (Cohen, Attacks on Deidentification's Defenses, 2022).

The attacker knows how often each raw combination occurs in the original (more than anybody has), and guesses for every published
record the most frequent one that it may stand for. Nothing is promised against it: a blur that leaves what most people have
is undone for them. The baseline guesses the most frequent combination of all. It is worked out from the original, and so it
stays with the custodian.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.attack import Attack
from shoal.attacks.meter import Meter

if TYPE_CHECKING:
    from numpy.typing import NDArray


def downcoding(
    groups: NDArray[np.int64], counts: NDArray[np.int64], most: int, what: str = "all quasi-identifiers"
) -> Attack:
    """groups: (entries,) the published group of each raw combination in it; counts: (entries,) records; most: of the most frequent
    combination in the whole original."""
    people = int(counts.sum())
    best = np.zeros(int(groups.max()) + 1, np.int64)
    np.maximum.at(best, groups, counts)
    meter = Meter(people, int(best.sum()))
    return Attack("singling out", f"downcoding: {what} guessed back", meter, min(1.0, most / people), public=False)
