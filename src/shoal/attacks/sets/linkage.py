"""Attacks by known items: somebody knows the most telling of a person's items, and picks one of the records that hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.attack import ATTACKS, SEED, Attack, Question, picking
from shoal.attacks.meter import Meter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.attacks.sets.crowds import Fitting

MOST_RECORDS = 1_000_000  # beyond it no bits are kept of who holds what


def known_items(
    crowds: Sequence[tuple[int | None, Fitting | None]], k: int, m: int, *, beside: str = "", all_promised: bool = False
) -> tuple[Attack, ...]:
    """crowds: by the items known (None: all of them, and that there are no others). m: items that the promise speaks of.

    beside: what is known besides items. None of the crowds: too many combinations to count, and nothing is said.
    """
    attacks = []
    for known, crowd in crowds:
        if crowd is None or not len(crowd.fits):
            continue
        meter = picking(crowd.fits, crowd.records, np.random.default_rng(SEED))
        promised = all_promised if known is None else known <= m
        words = "all items" if known is None else f"the {known} most telling item{'' if known == 1 else 's'}"
        name = f"known items: {beside}{' and ' if beside and known != 0 else ''}{'' if known == 0 else words}"
        question: Question = "singling out" if known is None else "linkability"
        baseline = 1 / int(crowd.records.sum())
        attacks.append(Attack(question, name, meter, baseline, 1 / k if promised else None))
    return tuple(attacks)


def absent_items(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    counts: NDArray[np.int64],
    present: int,
    absent: int,
    attacks: int = ATTACKS,
) -> Attack | None:
    """Somebody knows `present` items at random, and of `absent` others that the person does not show them. Nothing is promised.

    None where there are too many records to keep.
    """
    people = int(counts.sum())
    if not 0 < people <= MOST_RECORDS:
        return None
    rng = np.random.default_rng(SEED)
    labels = np.unique(items)
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    rows = np.repeat(np.arange(len(counts)), np.diff(offsets))
    order = np.argsort(items, kind="stable")
    starts = np.searchsorted(items[order], np.append(labels, labels[-1] + 1 if len(labels) else 0))
    bits: dict[int, int] = {}

    def holding(place: int) -> int:
        if place not in bits:
            there = np.zeros(len(counts), np.bool_)
            there[rows[order[starts[place] : starts[place + 1]]]] = True
            packed = np.packbits(np.repeat(there, counts), bitorder="little")
            bits[place] = int.from_bytes(packed.tobytes(), "little")
        return bits[place]

    everyone, successes = (1 << people) - 1, 0
    for target in rng.integers(0, people, attacks).tolist():
        row = int(np.searchsorted(bounds, target, "right")) - 1
        held = np.searchsorted(labels, items[offsets[row] : offsets[row + 1]])
        others = np.setdiff1d(np.arange(len(labels)), held, assume_unique=True)
        left = everyone
        for place in (held if len(held) <= present else rng.choice(held, present, replace=False)).tolist():
            left &= holding(place)
        for place in (others if len(others) <= absent else rng.choice(others, absent, replace=False)).tolist():
            left &= ~holding(place)
        before = (left & ((1 << target) - 1)).bit_count()
        successes += int(int(rng.integers(left.bit_count())) == before)
    name = f"negation: {_items(present)} that the person has and {absent} that they do not"
    return Attack("singling out", name, Meter(attacks, successes), 1 / people)


def _items(number: int) -> str:
    return f"{number} item{'' if number == 1 else 's'}"
