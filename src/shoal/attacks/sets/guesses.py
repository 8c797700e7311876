"""Attacks on published sets: someone knows some items of a person, and takes one of the records that hold them.

The attacker knows how items are published, so that knowing items is knowing labels. Which ones is drawn at random: a person is
picked, then so many of their published labels, or all if they have fewer. Of the records that hold all of these one is picked,
and the attack succeeded if it is the person's. A release that is k^m-anonymous keeps the rate at 1/k for up to m items; beyond m
nothing is promised, and the rate is measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.meter import Meter
from shoal.errors import InternalError

if TYPE_CHECKING:
    from numpy.typing import NDArray

ATTACKS = 10_000


def attack(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    known: int,
    attacks: int = ATTACKS,
    generator: np.random.Generator | None = None,
) -> Meter:
    """offsets, items: the published sets, one record after the other, the items of each ascending and distinct."""
    records = len(offsets) - 1
    if records < 1 or known < 0:
        raise InternalError("An attack needs a record, and no fewer than 0 known items.")
    rng = generator or np.random.default_rng()  # no privacy depends on it
    rows = np.repeat(np.arange(records), np.diff(offsets))
    order = np.argsort(items, kind="stable")
    holders = rows[order]  # the records that hold an item, ascending
    starts = np.searchsorted(items[order], np.arange(int(items.max(initial=-1)) + 2))
    successes = 0
    for target in rng.integers(0, records, attacks):
        held = items[offsets[target] : offsets[target + 1]]
        known_items = held if len(held) <= known else rng.choice(held, known, replace=False)
        if not len(known_items):
            successes += int(rng.integers(records) == target)
            continue
        lists = sorted((holders[starts[item] : starts[item + 1]] for item in known_items), key=len)
        fitting = lists[0]
        for more in lists[1:]:
            place = np.searchsorted(more, fitting)
            place[place == len(more)] = 0
            fitting = fitting[more[place] == fitting]
        successes += int(fitting[rng.integers(len(fitting))] == target)
    return Meter(attacks, successes)
