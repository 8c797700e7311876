"""A simulated attack and what came of it; and the order in which attacks are made while there is time.

Every attacker here is given more than a real one has: they know which class of records a person is in, or which labels are shown of
what they know, as if they had the program, the recipe and the person's true values. What is then measured is a function of the
published records and the recipe, so that a public report may tell it, unless it says otherwise (`public`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from shoal.attacks.meter import Meter

if TYPE_CHECKING:
    from numpy.typing import NDArray

Question = Literal["singling out", "linkability", "inference"]

ATTACKS = 10_000  # of each kind at least, where they are drawn
SEED = 20_140_410  # the same attacks every time; no privacy depends on it


@dataclass(frozen=True)
class Attack:
    """How one kind of attack went.

    `baseline`: the rate of somebody who has no release, or does not look at the person. `control`: of the same attack on people
    whose own record was taken out; what is more than that was learnt from the record itself. `bound`: what is promised, or None.
    `public`: worked out from the published records and the recipe alone.
    """

    question: Question
    name: str
    meter: Meter
    baseline: float
    bound: float | None = None
    control: Meter | None = None
    public: bool = True

    @property
    def kept(self) -> bool | None:
        """Whether what was measured is compatible with the promise; None: there is none."""
        return None if self.bound is None else self.meter.keeps(self.bound)


@dataclass(frozen=True)
class Simulated:
    """Attacks that were made, and the names of those for which there was no time."""

    attacks: tuple[Attack, ...] = ()
    left_out: tuple[str, ...] = ()

    def __add__(self, other: Simulated) -> Simulated:
        return Simulated(self.attacks + other.attacks, self.left_out + other.left_out)


Todo = Sequence[tuple[str, Callable[[], Sequence[Attack]]]]


def simulate(todo: Todo, budget: float, *, clock: Callable[[], float] = time.monotonic) -> Simulated:
    """One after the other; once `budget` seconds have passed none is begun."""
    end = clock() + budget
    made: list[Attack] = []
    left: list[str] = []
    for name, attack in todo:
        if clock() < end:
            made += attack()
        else:
            left.append(name)
    return Simulated(tuple(made), tuple(left))


def picking(
    fits: NDArray[np.int64], records: NDArray[np.int64], rng: np.random.Generator, attacks: int = ATTACKS
) -> Meter:
    """Somebody picks one of the records that fit, for everybody at least once.

    fits: (groups,) records that fit what is known of each person of a group; records: (groups,) people in it.
    """
    people = int(records.sum())
    rounds = -(-attacks // people)
    # by size, so that what is drawn does not depend on the order in which groups come
    sizes, place = np.unique(fits, return_inverse=True)
    alike = np.bincount(place.reshape(-1), records).astype(np.int64)
    successes = rng.binomial(alike * rounds, 1 / sizes)
    return Meter(people * rounds, int(successes.sum()))
