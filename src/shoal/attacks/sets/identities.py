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

from shoal.attacks.attack import ATTACKS, Attack
from shoal.attacks.meter import Meter
from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

MOST = 3  # identities known
_RING, _ON_RING = 100, 1_000  # records of a ring that is drawn, and attacks on it: each draws a ring of its own
_LEARNT = 30_000  # places from which the attacker learns


def identities_in_blocks(sizes: NDArray[np.int64], k: int) -> tuple[Attack, ...]:
    """sizes: records of each block of the release. The attacker goes for the smallest one, and names the first place left."""
    smallest, records = int(sizes.min()), int(sizes.sum())
    return tuple(
        Attack(
            "linkability", _name(known), _in_turn(smallest - known), 1 / records, 1 / (k - known) if known < k else None
        )
        for known in range(min(MOST + 1, smallest))
    )


def identities_on_a_ring(records: int, k: int) -> tuple[Attack, ...]:
    """Only to those who know nobody a ring promises something (ERRATA 003-3). A long ring tells no more than one of a hundred."""
    drawn = max(min(records, _RING), k)
    return tuple(
        Attack(
            "linkability",
            _name(known),
            attack_ring(drawn, k, known, _ON_RING) if known else _in_turn(k),
            1 / max(records, 1),
            None if known else 1 / k,
        )
        for known in range(min(MOST, drawn - 1) + 1)
    )


def _in_turn(left: int) -> Meter:
    """One of so many equally likely places is named. Each is the person's in turn: drawn ones would only add noise, and now and
    then a false alarm, for a promise is kept with nothing to spare."""
    return Meter(ATTACKS, -(-ATTACKS // left))


def _name(known: int) -> str:
    whose = {0: "nobody else's record is known", 1: "one other record is known"}
    return f"known identities: {whose.get(known, f'{known} other records are known')}"


def attack_block(size: int, known: int, attacks: int = ATTACKS, generator: np.random.Generator | None = None) -> Meter:
    """On a block of so many records, of which so many are known. The attacked record is none of these."""
    if not 0 <= known < size:
        raise InternalError("Someone must be left in a block to be attacked.")
    rng = generator or np.random.default_rng()  # no privacy depends on it
    guess = rng.integers(0, size - known, attacks)
    drawn = rng.permuted(np.tile(np.arange(size), (attacks, 1)), axis=1)  # (attacks, records): the place of each record
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
