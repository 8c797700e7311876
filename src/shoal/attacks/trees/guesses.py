"""Attacks on published trees by fragments: values of a person, how some of them belong together, and values that they do not have.

What somebody knows is drawn from what the release shows of the person, as if the attacker knew how every value is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.attack import ATTACKS, SEED, Attack
from shoal.attacks.meter import Meter
from shoal.attacks.trees.fragments import Known, ShownRecords

if TYPE_CHECKING:
    from shoal.data.trees import Forest

MOST_RECORDS = 200_000


class FragmentGuesses:
    """Holds what was prepared for one release over several attacks."""

    def __init__(self, forest: Forest) -> None:
        self._shown = ShownRecords(forest)
        self._labels = np.unique(forest.labels)

    def attack(
        self, m: int, n: int, k: int | None, *, path: bool = False, absent: int = 0, attacks: int = ATTACKS
    ) -> Attack:
        """m, n: values and relations known; path: the values stand on one path; k: as promised against this, or None; absent:
        labels that the person does not show."""
        rng, shown, successes = np.random.default_rng(SEED), self._shown, 0
        for target in rng.integers(0, shown.records, attacks).tolist():
            tree = shown.tree(target)
            left = shown.fitting(self._known(tree, m, n, path, rng))
            if absent:
                forest = shown.forest
                held = forest.labels[forest.offsets[tree] : forest.offsets[tree + 1]]
                others = np.setdiff1d(self._labels, held)
                for label in rng.choice(others, min(absent, len(others)), replace=False).tolist():
                    left &= ~shown.showing(int(label))
            before = (left & ((1 << target) - 1)).bit_count()
            successes += int(int(rng.integers(left.bit_count())) == before)
        meter = Meter(attacks, successes)
        bound = None if k is None else 1 / k
        return Attack(
            "singling out" if absent else "linkability", _name(m, n, path, absent), meter, 1 / shown.records, bound
        )

    def _known(self, tree: int, m: int, n: int, path: bool, rng: np.random.Generator) -> Known:
        paths = sorted(self._shown.forest.paths(tree))
        if path:
            paths = [paths[int(rng.integers(len(paths)))]] if paths else []
        labels = sorted({label for way in paths for label in way})
        chosen = labels if len(labels) <= m else sorted(int(one) for one in rng.choice(labels, m, replace=False))
        among = sorted(pair for pair in self._shown.relations(tree) if set(pair) <= set(chosen))
        if len(among) > n:
            among = [among[place] for place in sorted(rng.choice(len(among), n, replace=False).tolist())]
        return Known(tuple(chosen), tuple(among), path)


def _name(m: int, n: int, path: bool, absent: int) -> str:
    values = f"{m} value{'' if m == 1 else 's'}"
    pairs = f" and {n} pair{'' if n == 1 else 's'} of them" if n else ""
    if absent:
        return f"negation: {values}{pairs} that the person has and {absent} that they do not"
    return f"fragments: {values}{pairs}{' on one path' if path else ''}"
