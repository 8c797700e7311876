"""Attacks that tie a published record of a table to a person: by somebody who knows all quasi-identifiers.

- *prosecutor*: knows that the person is in the data, and goes for the people who are easiest to find: those of the smallest class.
- *marketer*: goes for everybody.
- *journalist*: does not know who is in the data, and picks among the people of a register, or of a population of known size, who
  look like the record. How many of the population do is estimated from the class where there is no register (`shoal.attacks.risk`).

k-anonymity promises 1/k against the first two, and so against the third, who knows less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.attack import ATTACKS, SEED, Attack, picking
from shoal.attacks.meter import Meter
from shoal.attacks.risk import expected_inverse

if TYPE_CHECKING:
    from numpy.typing import NDArray


def prosecutor(sizes: NDArray[np.int64], k: int) -> Attack:
    """sizes: (classes,) published records."""
    smallest = sizes[sizes == sizes.min()]
    meter = picking(smallest, smallest, np.random.default_rng(SEED))
    return Attack("singling out", "prosecutor: the people easiest to find", meter, 1 / int(sizes.sum()), 1 / k)


def marketer(sizes: NDArray[np.int64], k: int) -> Attack:
    """sizes: (classes,) published records."""
    meter = picking(sizes, sizes, np.random.default_rng(SEED))
    return Attack("linkability", "marketer: everybody", meter, 1 / int(sizes.sum()), 1 / k)


def journalist(sizes: NDArray[np.int64], k: int, population: int) -> Attack:
    """population: people from whom the records were drawn; who of them look like a class is estimated."""
    records = int(sizes.sum())
    distinct, classes = np.unique(sizes, return_counts=True)
    chance = expected_inverse(distinct, records / population) if records < population else 1.0 / distinct
    rounds = -(-ATTACKS // records)
    successes = np.random.default_rng(SEED).binomial(distinct * classes * rounds, np.minimum(chance, 1.0))
    meter = Meter(records * rounds, int(successes.sum()))
    return Attack("linkability", "journalist: a population of known size", meter, 1 / population, 1 / k)


def journalist_with_register(sizes: NDArray[np.int64], matches: NDArray[np.int64], k: int, register: int) -> Attack:
    """matches: (classes,) people of the register who look like each class; where there is none nobody is named.

    register: people in it. Whoever is not in it cannot be named rightly, so the rate may be lower than 1 in the matches; that all
    of the data are in it is what the attacker hopes, and is supposed here.
    """
    named = matches > 0
    rounds = -(-ATTACKS // int(sizes.sum()))
    chance = 1 / np.maximum(np.maximum(matches[named], sizes[named]), 1)  # as many at least as are in the data
    successes = np.random.default_rng(SEED).binomial(sizes[named] * rounds, chance)
    meter = Meter(int(sizes.sum()) * rounds, int(successes.sum()))
    return Attack("linkability", "journalist: a register", meter, 1 / register, 1 / k, public=False)
