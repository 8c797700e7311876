"""Attacks on a matching: someone knows which published record is whose for some people, and guesses it for one more.

In a block every assignment is as likely as any other, so that someone who knows x of its b records has 1 chance in b − x. On a ring
the attacker knows the method: they draw many assignments of their own, learn from them what the places of neighbours tell, and
guess what is likeliest. What they reach is measured on assignments that they have not seen, every attack on one of its own: the
records of one ring move together, and would not be independent attacks.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.meter import Meter
from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

ATTACKS = 10_000
MOST = 3  # identities known on a ring
_LEARNT = 30_000  # places from which the attacker learns


def attack_block(size: int, known: int, attacks: int = ATTACKS, generator: np.random.Generator | None = None) -> Meter:
    """On a block of so many records, of which so many are known. The attacked record is none of these."""
    if not 0 <= known < size:
        raise InternalError("Someone must be left in a block to be attacked.")
    rng = generator or np.random.default_rng()  # no privacy depends on it
    drawn = rng.permuted(np.tile(np.arange(size), (attacks, 1)), axis=1)  # (attacks, records): the place of each record
    guess = rng.integers(0, size - known, attacks)
    left = np.sort(drawn[:, known:], axis=1)  # the places that nobody known has
    return Meter(attacks, int((left[np.arange(attacks), guess] == drawn[:, known]).sum()))


def attack_ring(
    records: int,
    k: int,
    known: int,
    attacks: int = ATTACKS,
    *,
    draw: Callable[[int, int, Callable[[int], bytes]], NDArray[np.int32]] | None = None,
) -> Meter:
    """On a ring of so many records, with the neighbours before (and after, and two before) the attacked one known.

    draw: gives all k assignments of a release as (k, records) steps onward; one of them is taken at random.
    """
    from shoal.kernels.sets.closed_walk import assignments  # a meter can be named without loading compiled code

    draw = draw or assignments
    if not 0 <= known <= min(MOST, records - 1):
        raise InternalError(f"Up to {MOST} neighbours can be known.")
    beside = np.array((-1, 1, -2)[:known], np.int64)
    rng = np.random.default_rng()  # for the choices of the attacker; assignments are drawn as for a release
    learnt = np.zeros((k**known, k), np.int64)
    for _ in range(-(-_LEARNT // (records * k))):
        for steps in draw(records, k, os.urandom):
            np.add.at(learnt, (_told(steps, beside, k), steps), 1)
    guesses = learnt.argmax(axis=1)
    successes = 0
    for target in rng.integers(0, records, attacks):
        taken = draw(records, k, os.urandom)[rng.integers(k)]
        successes += int(guesses[_told(taken, beside, k)[target]] == taken[target])
    return Meter(attacks, successes)


def _told(steps: NDArray[np.int32], beside: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """(records,): the steps of the known neighbours of each record, as one number."""
    numbers = np.zeros(len(steps), np.int64)
    for step in beside:
        numbers = numbers * k + np.roll(steps, -int(step))
    return numbers
