"""Attacks on published trees by someone who also knows values that a person does not have (paper 000, Fig. 18).

Besides values and relations, which are drawn as for `shoal.attacks.trees.fragments`, the attacker knows some values that the
original record does not hold. A value of the original domain rules out a record only if the record shows it as it is: a blurred
value may stand for another one. A generalized value, of the next level above the values, of which the person has none, rules out
the records that show it, or anything below it. Against this nothing is promised, but for the values that a recipe names
(`negated`), so it is measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from shoal.attacks.meter import Meter
from shoal.attacks.trees.fragments import ATTACKS
from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.attacks.trees.fragments import TreeAttacker

Values = Literal["original", "generalized"]
_BOUNDS = (1, 3, 5, 10, 15)  # records that fit, by the fewest of each bucket; the last ends below k


@dataclass(frozen=True)
class NegationAttack:
    """How often known absences left fewer than k records."""

    m: int
    n: int
    q: int  # values that the person does not have
    values: Values
    k: int
    below: Meter  # how often fewer than k records were left
    breached: float  # mean of the records that were left, where fewer than k were, and else of 0: as in the paper
    least: int
    sizes: Mapping[str, float]  # share of the attacks that left so few records, by bucket


class _Negations:
    """For every value that may be named: the records that are ruled out by it."""

    def __init__(self, attacker: TreeAttacker, values: Values) -> None:
        release, self._shown = attacker.release, attacker.shown
        self._named = release.ladder[0 if values == "original" else min(1, len(release.ladder) - 1)]
        self.names = np.unique(self._named)
        self._label_below: dict[int, list[int]] = {}
        start = 0
        for name in release.shape.names:
            tree = release.hierarchies[name]
            nodes = np.arange(len(tree.labels))
            for one in self.names[(self.names >= start) & (self.names < start + len(nodes))].tolist():
                at = one - start
                inside = (tree.first >= tree.first[at]) & (tree.last <= tree.last[at]) & (nodes <= at)
                self._label_below[one] = (np.flatnonzero(inside) + start).tolist()
            start += len(nodes)
        self._told: dict[int, int] = {}

    def absent(self, originals: NDArray[np.int32]) -> NDArray[np.int32]:
        """The names of which a record with these labels has none."""
        return np.setdiff1d(self.names, self._named[originals])

    def ruled_out(self, name: int) -> int:
        """As bits."""
        if name not in self._told:
            records = 0
            for label in self._label_below[name]:
                records |= self._shown.showing(label)
            self._told[name] = records
        return self._told[name]


def attack_by_absence(
    attacker: TreeAttacker, m: int, n: int, q: int, k: int, values: Values = "original", attacks: int = ATTACKS
) -> NegationAttack:
    """q: values that the person does not have; k: the promise."""
    if q < 0 or k < 2 or attacks < 1:
        raise InternalError("No fewer than 0 absent values can be known, and k is at least 2.")
    forest, shown, rng = attacker.release.originals, attacker.shown, attacker.rng
    negations = _Negations(attacker, values)
    fits = np.empty(attacks, np.int64)
    for number, target in enumerate(rng.integers(0, shown.records, attacks).tolist()):
        tree = shown.tree(target)
        left = shown.fitting(attacker.known(tree, m, n))
        absent = negations.absent(forest.labels[forest.offsets[tree] : forest.offsets[tree + 1]])
        for name in rng.choice(absent, min(q, len(absent)), replace=False).tolist():
            left &= ~negations.ruled_out(name)
        fits[number] = left.bit_count()
    breached = np.where(fits < k, fits, 0)
    lows = [low for low in _BOUNDS if low < k]
    sizes = {
        f"{low}-{high - 1}": float(((fits >= low) & (fits < high)).mean())
        for low, high in zip(lows, [*lows[1:], k], strict=True)
    }
    return NegationAttack(
        m, n, q, values, k, Meter(attacks, int((fits < k).sum())), float(breached.mean()), int(fits.min()), sizes
    )
